/** The additional requirements for a mechanism of numbers: rounding that preserves the mean, unbiased scores, and the mean's estimate. */

import { MODULUS, type NumberLaw } from '@murmuration/shared';
import { expect } from 'vitest';
import { distribution, range } from '../../proofs/channel.ts';
import { type Distribution, exactDistribution } from '../../proofs/enumerate.ts';
import { expectUnbiasedNumber } from '../../proofs/number-estimator.ts';
import { multiply, rational, toNumber } from '../../proofs/rational.ts';
import type { NumberSubject } from '../subject.ts';
import { channelChecks, reportRows, said } from './channel.ts';
import type { Check } from './check.ts';
import { expectErrors } from './errors.ts';

/** A number between two points of the grid: `up` / T of the way to the upper one. */
interface Between {
  readonly place: number;
  readonly row: Distribution;
}

/** The points of a law. The last is the range's width. */
const pointsOf = ({ specimen: { points, steps } }: NumberSubject, law: NumberLaw): readonly number[] =>
  points?.(law) ?? range(steps(law) + 1);

/** The positions of the points, from 0 to 1. */
function placesOf(subject: NumberSubject, law: NumberLaw): readonly number[] {
  const points = pointsOf(subject, law);
  return points.map((point) => point / (points.at(-1) as number));
}

/** Numbers in the last step, near its ends and inside; only those that doubles represent exactly. */
function betweenPoints(subject: NumberSubject, rows: readonly Distribution[], law: NumberLaw, T: number): readonly Between[] {
  const [start, end] = pointsOf(subject, law).slice(-2) as [number, number];
  const [low, high] = rows.slice(-2) as [Distribution, Distribution];
  const part = (row: Distribution, weight: number) => [...row].map(([report, p]) => [report, multiply(p, rational(weight, T))] as const);
  return [1, T / 4, T / 2, T - 1]
    .map((up) => ({ up, place: (start + ((end - start) * up) / T) / end }))
    .filter(({ up, place }) => (place * end - start) / (end - start) === up / T)
    .map(({ up, place }) => ({ place, row: distribution([...part(low, T - up), ...part(high, up)]) }));
}

export const rounding: Check<NumberSubject, NumberLaw> = {
  name: 'mixes the rows of two points in exactly the parts of a number between them',
  of: ['small'],
  run: (subject, law, T) => {
    const { between } = subject.specimen;
    if (between === undefined) return;
    for (const { place, row } of betweenPoints(subject, reportRows(subject, law, T), law, T)) {
      expect(exactDistribution((coins) => between(law, place, coins, T), T)).toEqual(row);
    }
  },
};

/** Mean and variance of a report's score minus the number itself. */
function momentsOf(subject: NumberSubject, law: NumberLaw, row: Distribution, place: number) {
  const { values } = subject.scores(law);
  const errors = [...row].map(([report, p]) => {
    const [cell] = said(subject, law, report).cells;
    return [(values[cell as number] as number) - place, toNumber(p)] as const;
  });
  const bias = errors.reduce((total, [error, p]) => total + p * error, 0);
  return { bias, variance: errors.reduce((total, [error, p]) => total + p * error * error, 0) };
}

export const scores: Check<NumberSubject, NumberLaw> = {
  name: 'has scores without bias for every number, of the stated variance and none above the worst',
  of: ['laws', 'large'],
  run: (subject, law) => {
    const { varianceAt, worst } = subject.scores(law);
    const rows = reportRows(subject, law, MODULUS);
    const places = placesOf(subject, law);
    const points = rows.map((row, point) => ({ row, place: places[point] as number }));
    const numbers = subject.specimen.between ? betweenPoints(subject, rows, law, MODULUS) : [];
    for (const { row, place } of [...points, ...numbers]) {
      const { bias, variance } = momentsOf(subject, law, row, place);
      expect(Math.abs(bias) / Math.sqrt(worst)).toBeLessThan(1e-9);
      expect(Math.abs(varianceAt(place) / variance - 1)).toBeLessThan(1e-6);
    }
    const largest = Math.max(...range(2001).map((i) => varianceAt(i / 2000)));
    expect(largest / worst).toBeLessThan(1 + 1e-9);
    expect(largest / worst).toBeGreaterThan(0.99);
  },
};

export const unbiased: Check<NumberSubject, NumberLaw> = {
  name: 'has an estimator without bias, of the stated variance, whose error bars are of that variance',
  of: ['laws'],
  run: (subject, law, T) => {
    const most = subject.specimen.steps(law);
    for (const points of [
      [0, most, most],
      [most, Math.floor(most / 2)],
    ]) {
      expectUnbiasedNumber(
        reportRows(subject, law, T),
        points,
        placesOf(subject, law),
        subject.scores(law),
        (report) => said(subject, law, report).cells[0] as number,
        (tally) => subject.estimates(law, new Map([[0, tally]])),
      );
    }
  },
};

const errors: Check<NumberSubject, NumberLaw> = {
  name: 'errs as its variance says, and its intervals cover, where all numbers are one',
  of: ['large'],
  run: (subject, law, _T, effort) => {
    const places = placesOf(subject, law);
    const points = places.length;
    const { varianceAt } = subject.scores(law);
    expectErrors(subject, law, effort, (round, reports) => {
      const truth = places[round % points] as number;
      return { inputs: range(reports).map(() => round % points), row: 0, truth, variance: () => varianceAt(truth) / reports };
    });
  },
};

/** The requirements for a mechanism of numbers. */
export const numberChecks: readonly Check<NumberSubject, NumberLaw>[] = [...channelChecks<NumberLaw>(), rounding, scores, unbiased, errors];
