/**
 * The expected precision of a law's estimate of a share among all users, before there are any reports. It combines the law's own variance
 * (pure.ts, strings.ts) with that of who reports (estimate.ts), and says which shares are told from 0. It is normal where counts are not small.
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
  type Support,
} from '@murmuration/shared';
import { type Among, peopleIn } from './estimate.ts';
import { estimationOf, scoresOf } from './mechanisms/table.ts';
import { worstOf } from './number.ts';
import { pureEstimates } from './pure.ts';
import { intervalOf, isList, type Judged, judgedOf, supportOf } from './sequences.ts';
import { atMost, isSmall } from './statistics/counts.ts';
import { criticalValue, LEVEL } from './statistics/looks.ts';
import { endOf, Z95 } from './statistics/tails.ts';

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

/*
 * Power. With many reports an estimate is nearly normal. With few, its count C of supporting reports is skewed, or hardly ever above 0, and s(0)
 * is near 0. A normal power is then far from the true one. So the power of counts is exact: the counts that a test takes are found by the test
 * that readers get, and their probability under the share is binomial (statistics/counts.ts).
 */

/** The chance of a find for which differences and shares are stated. */
export const POWER = 0.8;

/** The count's variance from which on powers are normal. Its skewness is then at most 0.01, which moves a power by less than a point. */
const MANY = 10_000;

/** A test of counts of reports, by the answers that are tested with it. */
export interface Counted {
  readonly reports: number;
  /** P(a report supports an answer that a share of all users has). */
  readonly chance: (share: number) => number;
  /** The estimate from a count, as it is judged. */
  readonly judged: (count: number) => Judged;
}

/** The estimate from a count of single reports, as it is judged. */
function judgedAt(law: Law, support: Support, reports: number, perPerson: number, count: number): Judged {
  const basis = { perDevice: 1, people: peopleIn('population', reports, perPerson) };
  const estimates = pureEstimates({ reports, cells: Float64Array.of(count) }, support, support, 1, basis.people);
  return judgedOf(law, estimates, reports, basis)[0] as Judged;
}

/** The counts of an answer's reports; undefined where none is small at this share, or reports do not support answers one by one. */
export function countedAt(law: Law, expected: number, share: number, perPerson = 1): Counted | undefined {
  const support = isList(law) ? supportOf(law) : undefined;
  const reports = Math.round(expected);
  if (support === undefined || reports < 1) return undefined;
  const { p, q } = support;
  const chance = (f: number): number => q + (p - q) * f;
  if (reports * chance(share) * (1 - chance(share)) >= MANY) return undefined;
  const known = new Map<number, Judged>();
  return {
    reports,
    chance,
    judged: (count) => {
      const found = known.get(count) ?? judgedAt(law, support, reports, perPerson, count);
      known.set(count, found);
      return found;
    },
  };
}

/**
 * The ± of a 95 % interval: half the length of the one at the expected estimate. It is longer than the normal one where the count is small, also
 * that of few people who report often.
 */
export function marginAt(law: Law, reports: number, share: number, perPerson = 1): number {
  const normal = Z95 * standardErrorAt(law, reports, share, 'population', perPerson);
  const support = isList(law) ? supportOf(law) : undefined;
  const all = Math.round(reports);
  if (support === undefined || all < 1) return normal;
  const expected = all * (support.q + (support.p - support.q) * share);
  const below = Math.floor(expected);
  const [near, next] = [below, Math.min(all, below + 1)].map((count) => judgedAt(law, support, all, perPerson, count)) as [Judged, Judged];
  if (!(near.supported && isSmall(near.supported))) return normal;
  const [half, other] = [near, next].map(({ estimate: { low, high } }) => (high - low) / 2) as [number, number];
  return half + (expected - below) * (other - half);
}

/**
 * Decides whether the test of "nobody" finds a share with a power of 80 %, by the least count that is told from 0: with n reports, P(C >= count)
 * with C binomial. Several reports of one device count as those of as many devices as vary alike (pure.ts).
 */
function foundByCounts(law: Law, counted: Counted, level: number, perPerson: number): (share: number) => boolean {
  const { reports, chance, judged } = counted;
  const critical = least(1, reports, (count) => intervalOf(judged(count), { looks: 'once', planned: reports, level }).low > 0);
  if (critical === null) return () => false;
  return (share) => {
    const trials = Math.round((standardErrorAt(law, 1, share) / standardErrorAt(law, reports, share, 'population', perPerson)) ** 2);
    return 1 - atMost([{ trials, chance: chance(share) }], Math.ceil((critical * trials) / reports) - 1) >= POWER;
  };
}

/**
 * The smallest share that is told from 0 with a power of 80 %. All answers are tested together, and the probability of any false detection is at
 * most 5 % (Bonferroni: 5 % divided by their number for each, which gives z). Small counts are exact, see above. Otherwise f = z s(0) + 0.84
 * s(f), with s the standard error. With the same power, at least one user must have the answer: 1 - (1-f)^n = 80 %. Null when f is above 1,
 * and for numbers and distributions.
 */
export function smallestShare(law: Law, reports: number, tested = 1, perPerson = 1): number | null {
  if (isNumberLaw(law) || isDistributionLaw(law)) return null;
  const level = LEVEL / tested;
  const errorAt = (f: number): number => standardErrorAt(law, reports, f, 'population', perPerson);
  const counted = countedAt(law, reports, 0, perPerson);
  const threshold = criticalValue(1, level, 'once') * errorAt(0);
  const isFound = counted ? foundByCounts(law, counted, level, perPerson) : (f: number): boolean => f >= threshold + Z80 * errorAt(f);
  if (!isFound(1)) return null;
  return Math.max(endOf(1, 0, isFound), -Math.expm1((perPerson * Math.log(1 - POWER)) / reports));
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
