/**
 * The expected precision of a law's estimate of a share among all users, before there are any reports. It combines the law's own variance
 * (pure.ts, strings.ts) with that of who reports (people.ts), in the normal approximation.
 */

import { cellsOf, type DistributionLaw, isDistributionLaw, isNumberLaw, type Law } from '@murmuration/shared';
import { scoresOf } from '../../estimation/estimator.ts';
import { estimationOf } from '../../estimation/mechanisms/table.ts';
import { worstOf } from '../../estimation/number.ts';
import { type Among, peopleIn } from '../../estimation/people.ts';
import { chiSquaredTail } from '../../estimation/statistics/chi-squared.ts';
import { Z95 } from '../../estimation/statistics/normal.ts';

/** One-sided 80 % of the normal distribution. */
const Z80 = 0.8416212335729143;

/** More devices than there will ever be. */
export const MOST_DEVICES: number = 2 ** 40;

/** The share for which a distribution's error is stated: the share below the middle of the range. */
const belowMiddle = (law: DistributionLaw): number => Math.floor(cellsOf(law) / 2) / cellsOf(law);

/**
 * The standard error of the estimate of a true share, from single reports of this many devices. Default: the share among all users, of whom
 * these devices are a sample (people.ts); otherwise the share among these devices.
 * Strings: averaged over the hash. Those reported have Σ f² = `COLLISION_MASS`, so with n reports in m cohorts, COLLISION_MASS / m + 1 / n
 * collide. Numbers: the error of the mean, relative to the width of the range, for the worst numbers. Distributions: the error of the share
 * below the middle of the range, for evenly spread numbers.
 */
export function standardErrorAt(law: Law, reports: number, share: number, among: Among = 'population'): number {
  if (isNumberLaw(law)) return Math.sqrt(worstOf(scoresOf(law), among) / reports);
  const f = isDistributionLaw(law) ? belowMiddle(law) : share;
  return Math.sqrt(estimationOf(law).noiseAt(law, reports, share) + (f * (1 - f)) / peopleIn(among, reports, 1));
}

/** The ± of a 95 % interval. */
export const marginAt = (law: Law, reports: number, share: number): number => Z95 * standardErrorAt(law, reports, share);

/** The z that a normal variable exceeds on either side with this probability. */
export function twoSided(probability: number): number {
  let [low, high] = [0, 40];
  for (let halving = 0; halving < 60; halving++) {
    const middle = (low + high) / 2;
    if (chiSquaredTail(middle * middle, 1) > probability) low = middle;
    else high = middle;
  }
  return high;
}

/**
 * The smallest share f that a two-sided test of "nobody" detects with a power of 80 %. All answers are tested together, and the probability
 * of any false detection is at most 5 % (Bonferroni: 5 % divided by their number for each, which gives z): f = z s(0) + 0.84 s(f), with s
 * the standard error. With the same power, at least one user must have the answer: 1 - (1-f)^n = 80 %. Null when f is above 1, and for
 * numbers and distributions.
 */
export function smallestShare(law: Law, reports: number, tested = 1): number | null {
  if (isNumberLaw(law) || isDistributionLaw(law)) return null;
  const z = twoSided(0.05 / tested);
  const excess = (f: number): number => f - z * standardErrorAt(law, reports, 0) - Z80 * standardErrorAt(law, reports, f);
  if (excess(1) < 0) return null;
  let [low, high] = [0, 1];
  for (let halving = 0; halving < 50; halving++) {
    const middle = (low + high) / 2;
    if (excess(middle) < 0) low = middle;
    else high = middle;
  }
  return Math.max(high, -Math.expm1(Math.log(0.2) / reports));
}

/** The least whole number from `low` to `high` from which on a condition holds; null when it does not hold at `high`. */
export function least(low: number, high: number, holds: (n: number) => boolean): number | null {
  if (!holds(high)) return null;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return high;
}

/** The fewest devices with which a condition holds; null when no number is enough. */
export const leastDevices = (holds: (devices: number) => boolean): number | null => least(1, MOST_DEVICES, holds);

/** The devices that reduce the margin to `error`; null when collisions of strings alone exceed it. */
export const devicesFor = (law: Law, error: number, share: number): number | null =>
  leastDevices((devices) => marginAt(law, devices, share) <= error);
