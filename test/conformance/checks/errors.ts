/** Pooled statistics of one estimate's errors, with a fixed seed. A correct mechanism fails with a probability below 1e-6. */

import { createCoins, seededRng, words } from '@murmuration/client/testing';
import type { Law } from '@murmuration/shared';
import { expect } from 'vitest';
import type { Estimate } from '#collector/estimation/estimate.ts';
import type { Tallies } from '#collector/estimation/tally.ts';
import { range } from '../../proofs/channel.ts';
import { atMost, binomial, upperTail } from '../../proofs/statistics.ts';
import type { Subject } from '../subject.ts';
import { reportOf, tallyOf } from './channel.ts';

const FALSE_ALARM = 1e-6;
/** With effort 1, a variance that is misstated by a half fails, whatever the number of reports. */
const [ROUNDS, REPORTS] = [200, 100];

/** The devices of one round, and the law's expectation and variance for one row of their estimates. */
export interface Population {
  readonly inputs: readonly number[];
  readonly row: number;
  readonly truth: number;
  /** As a function of the number of reports in each cohort. */
  readonly variance: (tallies: Tallies) => number;
}

function tallied<L extends Law>(subject: Subject<L>, law: L, inputs: readonly number[], coins: ReturnType<typeof createCoins>): Tallies {
  const cohorts = new Map<number, (readonly number[])[]>();
  for (const input of inputs) {
    const { cohort, cells } = subject.mechanism.decode(law, reportOf(subject, law, input, coins, 2 ** 32));
    const reports = cohorts.get(cohort) ?? [];
    cohorts.set(cohort, reports);
    reports.push(cells);
  }
  return new Map([...cohorts].map(([cohort, reports]) => [cohort, tallyOf(subject, law, reports)]));
}

/**
 * Fails unless the sum of squared errors over their variance is chi-squared, and intervals cover the truth. Uses one row per round, so that
 * rounds are independent.
 */
export function expectErrors<L extends Law>(
  subject: Subject<L>,
  law: L,
  effort: number,
  population: (round: number, reports: number) => Population,
): void {
  const [rounds, reports] = [ROUNDS * effort, REPORTS * effort];
  const coins = createCoins(words(seededRng(31)));
  let [statistic, covered] = [0, 0];
  for (const round of range(rounds)) {
    const { inputs, row, truth, variance } = population(round, reports);
    const tallies = tallied(subject, law, inputs, coins);
    const { estimate, low, high } = subject.estimates(law, tallies)[row] as Estimate;
    statistic += (estimate - truth) ** 2 / variance(tallies);
    if (low <= truth && truth <= high) covered++;
  }
  const tail = upperTail({ statistic, degrees: rounds });
  expect(tail).toBeGreaterThan(FALSE_ALARM);
  expect(1 - tail).toBeGreaterThan(FALSE_ALARM);
  // If devices may have an answer in part, intervals are wider than the whole answers here need.
  const coverage = subject.specimen.inPart ? atMost(covered, rounds, 0.95) : upperTail(binomial(covered, 0.95, rounds));
  expect(coverage).toBeGreaterThan(FALSE_ALARM);
}
