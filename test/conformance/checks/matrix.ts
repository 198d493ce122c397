/** The additional requirements for a mechanism whose reports describe all inputs together: estimates of any mean over devices. */

import { MODULUS } from '@murmuration/shared';
import { expect } from 'vitest';
import type { Estimate } from '#collector/estimation/estimate.ts';
import { Z95 } from '#collector/estimation/statistics/tails.ts';
import type { Tallies, Tally } from '#collector/estimation/tally.ts';
import { range } from '../../proofs/channel.ts';
import { collections } from '../../proofs/estimator.ts';
import { toNumber } from '../../proofs/rational.ts';
import type { MatrixLaw } from '../specimens.ts';
import type { MatrixSubject } from '../subject.ts';
import { channelChecks, reportRows, talliesOf } from './channel.ts';
import type { Check } from './check.ts';
import { expectErrors } from './errors.ts';
import { expectedTallies, influencesOf, meanBy, varianceOf } from './influence.ts';

/** The share of each input in a population. */
const sharesIn = (population: readonly number[], inputs: number): readonly number[] =>
  range(inputs).map((input) => population.filter((each) => each === input).length / population.length);

const countsIn = (tallies: Tallies, cohorts: number): readonly number[] =>
  range(cohorts).map((cohort) => tallies.get(cohort)?.reports ?? 0);

/**
 * Runs over every collection of reports of a few devices, grouped by the number of reports in each cohort; collections with an empty cohort
 * are left out.
 */
function expectMoments(subject: MatrixSubject, law: MatrixLaw, population: readonly number[]): void {
  const { cohorts } = subject.mechanism.shape(law);
  const weights = subject.weights(law);
  const found = new Map<string, { counts: readonly number[]; mass: number; readonly mean: number[]; readonly square: number[] }>();
  const shares = sharesIn(population, subject.inputs(law));
  const truths = weights.map((each) => meanBy(shares, each));
  for (const [reports, chance] of collections(reportRows(subject, law, MODULUS), population)) {
    const tallies = talliesOf(subject, law, reports);
    if (tallies.size < cohorts) continue;
    const counts = countsIn(tallies, cohorts);
    const zeros = (): number[] => weights.map(() => 0);
    const of = found.get(counts.join()) ?? { counts, mass: 0, mean: zeros(), square: zeros() };
    const p = toNumber(chance);
    subject.estimates(law, tallies).forEach(({ estimate }, row) => {
      const error = estimate - (truths[row] as number);
      of.mean[row] = (of.mean[row] as number) + p * error;
      of.square[row] = (of.square[row] as number) + p * error * error;
    });
    found.set(counts.join(), { ...of, mass: of.mass + p });
  }
  const influences = influencesOf(subject, law);
  expect(found.size).toBeGreaterThan(0);
  for (const { counts, mass, mean, square } of found.values()) {
    for (const [row, influence] of influences.entries()) {
      const variance = varianceOf(influence, weights[row] as readonly number[], shares, counts);
      expect(Math.abs((mean[row] as number) / mass) / Math.sqrt(variance)).toBeLessThan(1e-7);
      expect(Math.abs((square[row] as number) / mass / variance - 1)).toBeLessThan(1e-7);
    }
  }
}

/** So many reports that chance is negligible. */
const MANY = 1e12;

/** Checks that the expected reports of very many devices give the truth as estimates, and error bars that match the variance. */
function expectErrorBars(subject: MatrixSubject, law: MatrixLaw, shares: readonly number[]): void {
  const tallies = expectedTallies(subject, law, shares, MANY);
  const counts = countsIn(tallies, subject.mechanism.shape(law).cohorts);
  const weights = subject.weights(law);
  const rows = subject.estimates(law, tallies);
  for (const [row, influence] of influencesOf(subject, law).entries()) {
    const { estimate, standardError, low, high } = rows[row] as Estimate;
    const deviation = Math.sqrt(varianceOf(influence, weights[row] as readonly number[], shares, counts));
    expect(Math.abs(estimate - meanBy(shares, weights[row] as readonly number[])) / deviation).toBeLessThan(1e-2);
    for (const length of [standardError, (estimate - low) / Z95, (high - estimate) / Z95]) {
      expect(Math.abs(length / deviation - 1)).toBeLessThan(1e-3);
    }
  }
}

export const unbiased: Check<MatrixSubject, MatrixLaw> = {
  name: 'has an estimator without bias, of the stated variance, whose error bars are of that variance',
  of: ['laws'],
  run: (subject, law) => {
    const inputs = subject.inputs(law);
    expectMoments(subject, law, [1, 0, 1]);
    const total = (inputs * (inputs + 3)) / 2;
    for (const weightOf of [() => 1 / inputs, (x: number) => (x + 2) / total]) expectErrorBars(subject, law, range(inputs).map(weightOf));
  },
};

const errors: Check<MatrixSubject, MatrixLaw> = {
  name: 'errs as its variance says, and its intervals cover',
  of: ['large'],
  run: (subject, law, _T, effort) => {
    const [inputs, { cohorts }] = [subject.inputs(law), subject.mechanism.shape(law)];
    const [weights, influences] = [subject.weights(law), influencesOf(subject, law)];
    expectErrors(subject, law, effort, (round, reports) => {
      const [own, row] = [round % inputs, round % weights.length];
      const population = range(reports).map((i) => (i < 0.2 * reports ? own : (own + 1 + (i % (inputs - 1))) % inputs));
      const shares = sharesIn(population, inputs);
      const weight = weights[row] as readonly number[];
      const variance = (tallies: ReadonlyMap<number, Tally>): number =>
        varianceOf(influences[row] as (typeof influences)[number], weight, shares, countsIn(tallies, cohorts));
      return { inputs: population, row, truth: meanBy(shares, weight), variance };
    });
  },
};

/** The requirements for a mechanism whose reports describe all inputs together. */
export const matrixChecks: readonly Check<MatrixSubject, MatrixLaw>[] = [...channelChecks<MatrixLaw>(), unbiased, errors];
