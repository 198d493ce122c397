/**
 * The leverage of crafted reports. Every estimate here is a mean of scores, one a report: of a support estimate
 * (1 - q)/(p - q) for a report that supports the answer and -q/(p - q) for one that does not (Wang et al. 2017, §3.1,
 * equation 1), of RAPPOR the same with its collisions taken out, of a number its output's score. So where a share β of the
 * reports is crafted to one end, an estimate f becomes, in expectation and exactly,
 *   (1 - β) f + β s,  s the largest score or the least,
 * and moves by β (s - f), whatever the law's ε buys: noise that honest devices add is what a liar need not (Cheu, Smith,
 * Ullman 2021, "Manipulation Attacks in Local Differential Privacy", §1).
 */

import { isNumberLaw, type Law, type Mechanism, mechanismOf } from '@murmuration/shared';
import { scoresOf } from '../estimators/estimator.ts';

/** What one report can say at most and at least, in shares, or in widths of a number's range. */
export interface Leverage {
  readonly low: number;
  readonly high: number;
}

/** Whose estimates are supports' (estimators/pure.ts, rappor.ts), and whose cells are set with p or q. Of others neither is claimed. */
const PURE: ReadonlySet<Law['mechanism']> = new Set(['k-ary', 'subset', 'unary', 'rappor', 'privset']);

/** The mechanism of such a law; of any other undefined. */
export const pureOf = (law: Law): Mechanism<Law> | undefined =>
  PURE.has(law.mechanism) ? (mechanismOf(law) as Mechanism<Law>) : undefined;

/** The leverage of a law; undefined where an estimate is no mean of scores. */
export function leverageOf(law: Law): Leverage | undefined {
  if (isNumberLaw(law)) {
    const values = Array.from(scoresOf(law).values);
    return { low: Math.min(...values), high: Math.max(...values) };
  }
  const pure = pureOf(law);
  if (pure === undefined) return undefined;
  const { p, q } = pure.support(law);
  // A string's bits are ones for others too: ρ of estimators/rappor.ts.
  const rho = law.mechanism === 'rappor' ? 1 - (1 - 1 / law.bits) ** law.hashes : 0;
  const score = (support: number): number => (support - q - (p - q) * rho) / ((p - q) * (1 - rho));
  return { low: score(0), high: score(1) };
}

/** How far a share of crafted reports can move an estimate, at most: to either end, from wherever it is in [0, 1]. */
export function shiftOf(law: Law, share: number): number | undefined {
  const leverage = leverageOf(law);
  return leverage && share * Math.max(leverage.high, 1 - leverage.low);
}
