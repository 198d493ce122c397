/**
 * Tests the total number of ones. A bit vector has h bits of the answer, which are 1 with probability p, and k - h others, which are 1 with
 * probability q. So the ones of n reports have mean n (h p + (k-h) q) and variance n (h p(1-p) + (k-h) q(1-q)), exactly and whatever the
 * answers are. This tests that shares sum to 1, cohort by cohort. When hashes of a string may collide, h is anything from 1 to their
 * number.
 */

import { type BitStages, bitSupport } from '@murmuration/shared';
import type { Tallies } from '../tally.ts';
import { pooled, type Squares, sumsOf } from './classes.ts';

/** The mean and variance of one report's number of ones. */
interface Ones {
  readonly least: number;
  readonly most: number;
  readonly variance: number;
}

function onesOf(stages: BitStages, k: number, hashes: number): Ones {
  const { p, q } = bitSupport(stages);
  const mean = (h: number): number => h * p + (k - h) * q;
  const variance = (h: number): number => h * p * (1 - p) + (k - h) * q * (1 - q);
  return { least: mean(1), most: mean(hashes), variance: Math.max(variance(1), variance(hashes)) };
}

/** The sum of values. */
export const sum = (values: Iterable<number>): number => {
  let total = 0;
  for (const value of values) total += value;
  return total;
};

/** Tests the ones of each cohort, with neighbours pooled, for k bits and this many hashes. */
export function totalsFit(stages: BitStages, k: number, hashes: number, tallies: Tallies, perDevice: number): Squares | undefined {
  const { least, most, variance } = onesOf(stages, k, hashes);
  const cohorts = [...tallies].sort(([a], [b]) => a - b).map(([, tally]) => tally);
  const variances = cohorts.map(({ reports }) => reports * variance);
  const classes = pooled(variances, perDevice);
  const reports = sumsOf(
    cohorts.map((tally) => tally.reports),
    classes,
  );
  const ones = sumsOf(
    cohorts.map(({ cells }) => sum(cells)),
    classes,
  );
  const statistic = sum(
    ones.map((count, i) => {
      const n = reports[i] as number;
      return Math.max(0, count - n * most, n * least - count) ** 2 / (n * variance * perDevice);
    }),
  );
  return ones.length === 0 ? undefined : { statistic, degrees: ones.length };
}
