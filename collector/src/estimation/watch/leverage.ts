/**
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

import type { Law } from '@murmuration/shared';
import { estimationOf } from '../mechanisms/table.ts';
import type { Leverage } from './reach.ts';

/** The leverage of a law; undefined where there are no estimates. */
export const leverageOf = (law: Law): Leverage | undefined => estimationOf(law).leverage(law);

/** The farthest that a share of crafted reports can move an estimate: to either end, from any value in [0, 1]. */
export function shiftOf(law: Law, share: number): number | undefined {
  const leverage = leverageOf(law);
  if (leverage === undefined) return undefined;
  const { low, high, drawn } = leverage;
  return (share / (share + (1 - share) * drawn)) * Math.max(high, 1 - low);
}
