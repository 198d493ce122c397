/**
 * The poisoning watch of a metric: tests of its reports against the law, and how far crafted reports could move its estimates.
 */

import { type Law, mechanismOf, type Range, type ShareLaw } from '@murmuration/shared';
import { estimationOf } from '../mechanisms/table.ts';
import type { DailyOnes, Tallies } from '../tally.ts';
import { cellsPValue, chancesPValue, type Leverage } from './bounds.ts';

/** The results. A p-value is left out where a law has no such test, or where too few reports came for it. */
export interface Watch {
  /** The p-value of "every report came through the law, whatever the answers", over all tests by Bonferroni. 1 without tests. */
  readonly pValue: number;
  /** Each cell is set as often as the law can set it. */
  readonly cells?: number;
  /** The part that no shares of the answers explain is noise: chi-squared. */
  readonly fit?: number;
  /** No answer has a share below 0 or above 1. */
  readonly answers?: number;
  /** Cohorts are drawn uniformly. */
  readonly cohorts?: number;
  /** Bit vectors have the expected number of ones, day by day. */
  readonly ones?: number;
  /**
   * The farthest that 1 % of crafted reports could move an estimate: a share, or a number in the unit of its range. Left out where the law
   * distinguishes no answers.
   */
  readonly perPercent?: number;
}

/** The watch of a metric's evidence. */
export function watchOf(law: Law, tallies: Tallies, days: readonly DailyOnes[], perDevice: number, range: Range = [0, 1]): Watch {
  const { bounds, fit, isOneBit } = estimationOf(law);
  const tests = {
    cells: cellsPValue(bounds(law), tallies, perDevice),
    ...(tallies.size > 0 && fit(law, tallies, perDevice)),
    cohorts: cohortsPValue(law, tallies, perDevice),
    ones: isOneBit?.(law) ? onesPValue(law as ShareLaw, days) : undefined,
  };
  const shift = shiftOf(law, 0.01);
  const found = Object.entries(tests).flatMap(([name, pValue]) => (pValue === undefined ? [] : [[name, pValue] as const]));
  return {
    pValue: Math.min(1, ...found.map(([, pValue]) => found.length * pValue)),
    ...Object.fromEntries(found),
    ...(shift !== undefined && { perPercent: (range[1] - range[0]) * shift }),
  };
}

/*
 * Tests of what a device draws independently of its answer: its cohort, and the number of ones among its bits. A small p-value is evidence
 * of crafted reports or of a broken client. A large one does not prove honesty.
 */

/** Tests that cohorts are drawn uniformly. Reports of one symbol share its cohort, so T of them count as one. */
export function cohortsPValue(law: Law, tallies: Tallies, perDevice: number): number | undefined {
  const { cohorts } = mechanismOf(law).shape(law);
  const counts = Array.from({ length: cohorts }, (_, cohort) => tallies.get(cohort)?.reports ?? 0);
  return chancesPValue(
    counts,
    counts.map(() => 1 / cohorts),
    perDevice,
  );
}

/**
 * P(number of ones) for a report of k bits, one of which is the answer's: k - 1 Bernoulli q, from their mode outwards, and one Bernoulli p.
 */
function weightLaw(bits: number, p: number, q: number): readonly number[] {
  const others = bits - 1;
  const chances = new Float64Array(bits);
  const mode = Math.min(others, Math.floor(bits * q));
  chances[mode] = 1;
  for (let i = mode; i < others; i++) chances[i + 1] = ((chances[i] as number) * (others - i) * q) / ((i + 1) * (1 - q));
  for (let i = mode; i > 0; i--) chances[i - 1] = ((chances[i] as number) * i * (1 - q)) / ((others - i + 1) * q);
  const total = chances.reduce((sum, chance) => sum + chance, 0);
  return Array.from({ length: bits + 1 }, (_, ones) => ((chances[ones] ?? 0) * (1 - p) + (chances[ones - 1] ?? 0) * p) / total);
}

/**
 * Tests the number of ones, day by day, for a law in which every answer has one bit: the least p-value over all days times
 * their number.
 */
function onesPValue(law: ShareLaw, days: readonly DailyOnes[]): number | undefined {
  if (days.length === 0) return undefined;
  const { cells } = mechanismOf(law).shape(law);
  const { p, q } = mechanismOf(law).support(law);
  const chances = weightLaw(cells, p, q);
  const found = days.flatMap(({ reports }) => {
    const counts = chances.map((_, ones) => reports.get(ones) ?? 0);
    const pValue = chancesPValue(counts, chances, 1); // a day has one report of each device
    return pValue === undefined ? [] : [pValue];
  });
  return found.length === 0 ? undefined : Math.min(1, Math.min(...found) * found.length);
}

/*
 * The leverage of crafted reports. Every estimate here is a mean of scores, one per report. For a support estimate the score is (1 - q)/(p
 * - q) when the report supports the answer and -q/(p - q) otherwise (Wang et al. 2017, §3.1, equation 1). For strings it is the same,
 * corrected for collisions; for a number, the score of its output; for a law with a matrix, an entry of its left inverse. When a share β of
 * the reports is crafted towards one end, the expected estimate changes from f to exactly
 *   (1 - β) f + β s,  s the largest score or the least,
 * It moves by β (s - f), whatever ε is: honest devices add noise, but a liar need not (Cheu, Smith, Ullman 2021, "Manipulation Attacks in
 * Local Differential Privacy", §1).
 * When an answer is estimated from a part of the reports, a share r that each device draws at random, all liars choose that part. Then β
 * becomes β / (β + (1 - β) r).
 */

/** The leverage of a law; undefined where there are no estimates. */
export const leverageOf = (law: Law): Leverage | undefined => estimationOf(law).leverage(law);

/** The farthest that a share of crafted reports can move an estimate: to either end, from any value in [0, 1]. */
export function shiftOf(law: Law, share: number): number | undefined {
  const leverage = leverageOf(law);
  if (leverage === undefined) return undefined;
  const { low, high, drawn } = leverage;
  return (share / (share + (1 - share) * drawn)) * Math.max(high, 1 - low);
}
