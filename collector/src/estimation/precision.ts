/**
 * The expected precision of a law's estimate of a share among all users, before there are any reports. It combines the law's own variance
 * (pure.ts, strings.ts) with that of who reports (estimate.ts), in the normal approximation.
 */

import {
  canonicalJson,
  cellsOf,
  type DistributionLaw,
  isDistributionLaw,
  isNumberLaw,
  isStringLaw,
  type Json,
  type Law,
  type MetricDocument,
  type StringLaw,
} from '@murmuration/shared';
import { type Among, peopleIn } from './estimate.ts';
import { estimationOf, scoresOf } from './mechanisms/table.ts';
import { worstOf } from './number.ts';
import { chiSquaredTail, Z95 } from './statistics/tails.ts';

/** One-sided 80 % of the normal distribution. */
export const Z80 = 0.8416212335729143;

/** More devices than there will ever be. */
const MOST_DEVICES: number = 2 ** 40;

/** The share for which a distribution's error is stated: the share below the middle of the range. */
const belowMiddle = (law: DistributionLaw): number => Math.floor(cellsOf(law) / 2) / cellsOf(law);

/**
 * The standard error of the estimate of a true share, from single reports of this many devices. Default: the share among all users, of whom
 * these devices are a sample (estimate.ts); otherwise the share among these devices.
 * Strings: averaged over the hash. Those reported have Σ f² = `COLLISION_MASS`, so with n reports in m cohorts, COLLISION_MASS / m + 1 / n
 * collide. Numbers: the error of the mean, relative to the width of the range, for the worst numbers. Distributions: the error of the share
 * below the middle of the range, for evenly spread numbers.
 *
 * @param perPerson how many of the reports one device may have sent: the noise is that of all reports, sampling that of the people
 */
export function standardErrorAt(law: Law, reports: number, share: number, among: Among = 'population', perPerson = 1): number {
  if (isNumberLaw(law)) return Math.sqrt(worstOf(scoresOf(law), among, perPerson) / reports);
  const f = isDistributionLaw(law) ? belowMiddle(law) : share;
  return Math.sqrt(estimationOf(law).noiseAt(law, reports, share) + (f * (1 - f)) / peopleIn(among, reports, perPerson));
}

/** The ± of a 95 % interval. */
export const marginAt = (law: Law, reports: number, share: number, perPerson = 1): number =>
  Z95 * standardErrorAt(law, reports, share, 'population', perPerson);

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
export function smallestShare(law: Law, reports: number, tested = 1, perPerson = 1): number | null {
  if (isNumberLaw(law) || isDistributionLaw(law)) return null;
  const z = twoSided(0.05 / tested);
  const errorAt = (f: number): number => standardErrorAt(law, reports, f, 'population', perPerson);
  const excess = (f: number): number => f - z * errorAt(0) - Z80 * errorAt(f);
  if (excess(1) < 0) return null;
  let [low, high] = [0, 1];
  for (let halving = 0; halving < 50; halving++) {
    const middle = (low + high) / 2;
    if (excess(middle) < 0) low = middle;
    else high = middle;
  }
  return Math.max(high, -Math.expm1((perPerson * Math.log(0.2)) / reports));
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

/*
 * Cohorts of strings. Reports are spread over cohorts, each with its own hash. Strings that collide in one cohort do not collide in
 * another. So the number of cohorts sets a lower limit to the error, and a schema's `devices` determines that number.
 */

/** The `devices` of a schema, and the resulting number of cohorts. */
export interface Cohorts {
  readonly devices: number;
  readonly cohorts: number;
}

/** Maps the number of devices to the law of a metric's strings. */
export type LawFor = (devices: number) => StringLaw;

/**
 * The law that a metric would have with another number of devices; undefined when it asks for no string, or came from an expert's
 * parameters.
 */
export function lawsFor({ law, epsilon, permanent }: MetricDocument, devices: number): LawFor | undefined {
  if (!isStringLaw(law)) return undefined;
  const { lawFor } = estimationOf(law);
  const at: LawFor = (expected) => lawFor(epsilon, expected, permanent?.epsilon);
  return canonicalJson(at(devices) as unknown as Json) === canonicalJson(law as unknown as Json) ? at : undefined;
}

/**
 * The fewest devices that reach a margin of at most `error` when the schema expects exactly that many; null when no number of cohorts is
 * enough.
 */
export function cohortsForError(at: LawFor, error: number, share: number): Cohorts | null {
  const devices = leastDevices((expected) => marginAt(at(Math.min(expected, MOST_DEVICES)), expected, share) <= error);
  return devices === null ? null : { devices, cohorts: at(devices).cohorts };
}
