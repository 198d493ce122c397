/** The estimator of means, exactly: the distribution of every tally of a few numbers, and the collector's estimate of each. */

import { expect } from 'vitest';
import { numberEstimates, type Scores } from '../../collector/src/estimators/number.ts';
import { range } from './channel.ts';
import type { Distribution } from './enumerate.ts';
import { multiply, ONE, power, type Rational, sum, toNumber } from './rational.ts';

/** E[score^order] under a row. */
export const moment = (row: Distribution, score: (report: string) => Rational, order: number): Rational =>
  sum([...row].map(([report, p]) => multiply(p, power(score(report), order))));

/** Every string of outputs of numbers that report through their rows, with its probability. */
function outputsOf(
  rows: readonly Distribution[],
  numbers: readonly number[],
): readonly (readonly [outputs: readonly number[], p: Rational])[] {
  return numbers.reduce<readonly (readonly [readonly number[], Rational])[]>(
    (found, number) =>
      found.flatMap(([outputs, p]) =>
        [...(rows[number] as Distribution)].map(([report, q]) => [[...outputs, Number.parseInt(report, 16)], multiply(p, q)] as const),
      ),
    [[[], ONE]],
  );
}

/** Fails unless, over every tally, the estimate has the numbers' mean as its mean, and the stated variance. */
export function expectUnbiasedNumber(rows: readonly Distribution[], points: readonly number[], scores: Scores): void {
  const n = points.length;
  const places = points.map((point) => point / (rows.length - 1));
  const truth = places.reduce((total, place) => total + place, 0) / n;
  let [mean, square, mass] = [0, 0, 0];
  for (const [outputs, probability] of outputsOf(rows, points)) {
    const cells = Float64Array.from(range(scores.values.length), (cell) => outputs.filter((output) => output === cell).length);
    const [row] = numberEstimates(scores, new Map([[0, { reports: n, cells }]]));
    const { estimate = Number.NaN, low = 0, high = 0, standardError = 0 } = row ?? {};
    expect(low < estimate && estimate < high && standardError > 0).toBe(true);
    const p = toNumber(probability);
    mass += p;
    mean += p * (estimate - truth);
    square += p * (estimate - truth) ** 2;
  }
  const stated = places.reduce((total, place) => total + scores.varianceAt(place), 0) / n ** 2;
  expect(mass).toBeCloseTo(1, 12);
  expect(Math.abs(mean) / Math.sqrt(stated)).toBeLessThan(1e-9);
  expect(square / stated).toBeCloseTo(1, 9);
}
