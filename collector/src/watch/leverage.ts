/**
 * The leverage of crafted reports. Every estimate here is a mean of scores, one a report: of a support estimate
 * (1 - q)/(p - q) for a report that supports the answer and -q/(p - q) for one that does not (Wang et al. 2017, §3.1,
 * equation 1), of RAPPOR the same with its collisions taken out, of a number its output's score. So where a share β of the
 * reports is crafted to one end, an estimate f becomes, in expectation and exactly,
 *   (1 - β) f + β s,  s the largest score or the least,
 * and moves by β (s - f), whatever the law's ε buys: noise that honest devices add is what a liar need not (Cheu, Smith,
 * Ullman 2021, "Manipulation Attacks in Local Differential Privacy", §1).
 */

import { isNumberLaw, type Law, mechanismOf } from '@murmuration/shared';
import { scoresOf } from '../estimators/estimator.ts';

/** What one report can say at most and at least, in shares, or in widths of a number's range. */
export interface Leverage {
  readonly low: number;
  readonly high: number;
}

/** The leverage of a law. */
export function leverageOf(law: Law): Leverage {
  if (isNumberLaw(law)) {
    const values = Array.from(scoresOf(law).values);
    return { low: Math.min(...values), high: Math.max(...values) };
  }
  const { p, q } = mechanismOf(law).support(law);
  // A string's bits are ones for others too: ρ of estimators/rappor.ts.
  const rho = law.mechanism === 'rappor' ? 1 - (1 - 1 / law.bits) ** law.hashes : 0;
  const score = (support: number): number => (support - q - (p - q) * rho) / ((p - q) * (1 - rho));
  return { low: score(0), high: score(1) };
}

/** How far a share of crafted reports can move an estimate, at most: to either end, from wherever it is in [0, 1]. */
export const shiftOf = ({ low, high }: Leverage, share: number): number => share * Math.max(high, 1 - low);
