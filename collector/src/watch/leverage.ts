/**
 * The leverage of crafted reports. Every estimate here is a mean of scores, one a report: of a support estimate
 * (1 - q)/(p - q) for a report that supports the answer and -q/(p - q) for one that does not (Wang et al. 2017, §3.1,
 * equation 1), of strings the same with their collisions taken out, of a number its output's score, of a law with a matrix an
 * entry of its left inverse. So where a share β of the reports is crafted to one end, an estimate f becomes, in expectation and exactly,
 *   (1 - β) f + β s,  s the largest score or the least,
 * and moves by β (s - f), whatever the law's ε buys: noise that honest devices add is what a liar need not (Cheu, Smith,
 * Ullman 2021, "Manipulation Attacks in Local Differential Privacy", §1).
 * Where an answer is estimated from a part of the reports, a share r that each device draws, liars all draw it: then β is
 * β / (β + (1 - β) r).
 */

import type { Law } from '@murmuration/shared';
import { estimationOf } from '../estimators/table.ts';
import type { Leverage } from './reach.ts';

/** The leverage of a law; undefined where there are no estimates. */
export const leverageOf = (law: Law): Leverage | undefined => estimationOf(law).leverage(law);

/** How far a share of crafted reports can move an estimate, at most: to either end, from wherever it is in [0, 1]. */
export function shiftOf(law: Law, share: number): number | undefined {
  const leverage = leverageOf(law);
  if (leverage === undefined) return undefined;
  const { low, high, drawn } = leverage;
  return (share / (share + (1 - share) * drawn)) * Math.max(high, 1 - low);
}
