/**
 * The intervals by which verdicts are given: of one answer and of differences, for one look or for all, and for several answers together.
 *
 * A fixed interval reaches 1.96 standard errors to both sides, or somewhat more to one of them where the estimate is near a limit. Another
 * critical value reaches further in proportion. The two differ by a part of 1/√n, which matters where counts are small; there the ends are
 * exact, and so is the test of two counts against each other (statistics/counts.ts).
 */

import { isStringLaw, type Law, type ListLaw, mechanismOf, type Support } from '@murmuration/shared';
import { type Distribution, interval, shareOf } from './distribution.ts';
import type { Estimate, Interval, People } from './estimate.ts';
import { estimationOf } from './mechanisms/table.ts';
import { alikeReports } from './pure.ts';
import {
  differenceEvidence,
  differenceSequence,
  equalSharesPValue,
  isSmall,
  type Supported,
  withExactSequence,
  withExactTails,
} from './statistics/counts.ts';
import { criticalValue, LEVEL, type Looks, pValueOf } from './statistics/looks.ts';
import { Z95 } from './statistics/tails.ts';
import { chanceOf } from './string-fit.ts';

/** How verdicts are given. */
export interface Judging {
  readonly looks: Looks;
  /** The reports for which sequences are tuned (statistics/looks.ts). */
  readonly planned: number;
  /** The probability of a wrong verdict; less than 5 % where several answers are judged together. */
  readonly level?: number;
}

/** An estimate, the reports that it is from, and its count where reports support an answer or not. */
export interface Judged {
  readonly estimate: Estimate;
  readonly reports: number;
  readonly supported?: Supported | undefined;
}

/** True if a law is of a list. */
export const isList = (law: Law): law is ListLaw => mechanismOf(law).tells === 'shares' && !isStringLaw(law);

/** P(a report supports an answer), by whether the device has it; undefined where an answer's reports are no single count. */
export function supportOf(law: Law): Support | undefined {
  if (isStringLaw(law)) {
    const bloom = estimationOf(law).bloom(law);
    const { p, q } = mechanismOf(law).support(law);
    return bloom.hashes === 1 ? { p, q: q + (p - q) * chanceOf(bloom) } : undefined;
  }
  return isList(law) && law.mechanism !== 'd-bit-flip' ? mechanismOf(law).support(law) : undefined;
}

/** A count, as it is judged beside its estimate: of reports that are independent. */
function independent(counted: Supported, reports: number, estimate: Estimate, { perDevice, people }: People): Supported {
  if (perDevice === 1 && people >= reports) return counted;
  const { count, trials, support } = counted;
  const alike = Math.min(trials, alikeReports(support, estimate, people));
  return { count: (count * alike) / trials, trials: alike, support };
}

/** The estimates of a law as they are judged. */
export function judgedOf(law: Law, estimates: readonly Estimate[], reports: number, described: People): readonly Judged[] {
  const support = supportOf(law);
  if (support === undefined) return estimates.map((estimate) => ({ estimate, reports }));
  const { p, q } = support;
  return estimates.map((estimate) => {
    const count = Math.min(reports, Math.max(0, Math.round(reports * (q + (p - q) * estimate.estimate))));
    return { estimate, reports, supported: independent({ count, trials: reports, support }, reports, estimate, described) };
  });
}

/** The share of a distribution's cells from `from` (included) to `to` (excluded), as it is judged. */
export function judgedShare(distribution: Distribution, reports: number, people: number, from: number, to: number): Judged {
  const estimate = interval(shareOf(distribution, from, to));
  const counted = distribution.countOf(from, to);
  return { estimate, reports, ...(counted && { supported: independent(counted, reports, estimate, { perDevice: 1, people }) }) };
}

/** The share below each edge of a cell, from the low end of the range to its high end, as it is judged. */
export const edgesOf = (distribution: Distribution, reports: number, people: number): readonly Judged[] =>
  Array.from({ length: distribution.cells + 1 }, (_, edge) => judgedShare(distribution, reports, people, 0, edge));

/** An interval that reaches in proportion to a critical value. */
function reaching({ estimate, low, high }: Estimate, z: number): Interval {
  return { low: estimate - ((estimate - low) * z) / Z95, high: estimate + ((high - estimate) * z) / Z95 };
}

/** The intervals of estimates, each at the level. */
export function intervalsOf(judged: readonly Judged[], { looks, planned, level = LEVEL }: Judging): readonly Interval[] {
  const values = new Map<number, number>();
  const exact = new Map<number, Interval>(); // by count, since long lists have many equal ones
  return judged.map(({ estimate, reports, supported }) => {
    if (looks === 'once' && level === LEVEL) return { low: estimate.low, high: estimate.high };
    const z = values.get(reports) ?? criticalValue(reports / planned, level, looks);
    values.set(reports, z);
    const found = reaching(estimate, z);
    if (supported === undefined || !isSmall(supported)) return found;
    const known =
      exact.get(supported.count) ??
      (looks === 'once' ? withExactTails(found, supported, level) : withExactSequence(found, supported, planned, level));
    exact.set(supported.count, known);
    return known;
  });
}

/** The interval of one estimate. */
export const intervalOf = (judged: Judged, judging: Judging): Interval => intervalsOf([judged], judging)[0] as Interval;

/** A difference b - a that is judged. */
export interface JudgedDifference {
  readonly a: Judged;
  readonly b: Judged;
  /** The difference, with its 95 % interval for one look. */
  readonly difference: Estimate;
}

/**
 * The present information about a difference over that at the planned size of both sides: V / (planned (V_a / N_a + V_b / N_b)), V the mean
 * variance of a report. It is a mean of N_a and N_b, weighted by the variances of the two estimates.
 */
function sizeOf({ a, b }: JudgedDifference, planned: number): number {
  const [ofA, ofB] = [a.estimate.standardError ** 2, b.estimate.standardError ** 2];
  return ofA + ofB > 0 ? (a.reports * ofA + b.reports * ofB) / ((ofA + ofB) * planned) : 0;
}

/** The counts of both sides, where one of them is small. */
function smallCounts({ a, b }: JudgedDifference): readonly [Supported, Supported] | undefined {
  if (a.supported === undefined || b.supported === undefined) return undefined;
  return isSmall(a.supported) || isSmall(b.supported) ? [a.supported, b.supported] : undefined;
}

/** The interval of a difference. Where a count is small and looks are many, it is the exact one of both counts. */
export function differenceInterval(judged: JudgedDifference, { looks, planned, level = LEVEL }: Judging): Interval {
  const { difference } = judged;
  if (looks === 'once' && level === LEVEL) return { low: difference.low, high: difference.high };
  const counts = looks === 'always' ? smallCounts(judged) : undefined;
  if (counts !== undefined) {
    // The count of a distribution's cell is not all that its estimate is from.
    const { low, high } = differenceSequence(counts, planned, level);
    return { low: Math.min(low, difference.estimate), high: Math.max(high, difference.estimate) };
  }
  return reaching(difference, criticalValue(sizeOf(judged, planned), level, looks));
}

/**
 * The range in which a difference is told. Ranges at the levels of Bonferroni hold together, also those of the answers that a verdict picks;
 * a sign that a test at these levels, or Holm's, has shown ends them at 0 (Guilbaud 2008, Simultaneous confidence regions corresponding to
 * Holm's step-down procedure).
 */
export function toldInterval(judged: JudgedDifference, clear: boolean, judging: Judging): Interval {
  const { low, high } = differenceInterval(judged, judging);
  if (!clear) return { low, high };
  return judged.difference.estimate > 0 ? { low: Math.max(0, low), high } : { low, high: Math.min(0, high) };
}

/**
 * The p-value of "no difference". Of small counts it is exact, because a normal one errs most where several answers share a level. For one look,
 * it is 1 where 0 is in the interval.
 */
export function differencePValue(judged: JudgedDifference, judging: Judging): number {
  const { looks, planned } = judging;
  const { estimate, standardError } = judged.difference;
  const counts = smallCounts(judged);
  if (counts !== undefined && looks === 'always') return Math.min(1, Math.exp(-differenceEvidence(counts, 0, planned)));
  const { low, high } = differenceInterval(judged, { looks, planned });
  if ((low <= 0 && 0 <= high) || !(standardError > 0)) return 1;
  const pValue = pValueOf(estimate / standardError, sizeOf(judged, planned), looks);
  return counts === undefined ? pValue : Math.max(pValue, equalSharesPValue(counts));
}
