/**
 * What a reported candidate's estimate says, given that it was large enough to be reported. Without that condition, estimates of reported
 * candidates are too large on average ("winner's curse"), and intervals about them cover too rarely.
 *
 * In standard errors, the estimate is z ~ N(θ, 1), seen only if it is at least c. So P(Z >= z | Z >= c) = Φ(θ - z) / Φ(θ - c), which rises
 * with θ. The interval ends where it is 2.5 % and 97.5 %, and the median-unbiased estimate is where it is a half (Zhong and Prentice 2008;
 * Benjamini and Yekutieli 2005 for c, the procedure's own threshold with the other candidates held fixed).
 */

import { normalTail } from '../../statistics/normal.ts';

export interface Conditional {
  readonly low: number;
  readonly middle: number;
  readonly high: number;
}

/** This far above the threshold it no longer matters. */
const CLEAR = 9;
const STEPS = 32;
const [LOW, HALF, HIGH] = [0.025, 0.5, 0.975];
const BOTH_SIDES = 1.959963984540054;

/** The signal at 0 or above for which a z of at least this, given one of at least c, has this probability. */
function signalAt(probability: number, z: number, c: number): number {
  const excess = (theta: number): number => normalTail(z - theta) - probability * normalTail(c - theta);
  if (excess(0) >= 0) return 0;
  let [from, to] = [0, z + 8];
  for (let step = 0; step < STEPS; step++) {
    const middle = (from + to) / 2;
    if (excess(middle) < 0) from = middle;
    else to = middle;
  }
  return (from + to) / 2;
}

/** In standard errors, at least 0. `z` is at least `c`. */
export function conditionalOn(z: number, c: number): Conditional {
  if (z - c > CLEAR) return { low: Math.max(0, z - BOTH_SIDES), middle: z, high: z + BOTH_SIDES };
  return { low: signalAt(LOW, z, c), middle: signalAt(HALF, z, c), high: signalAt(HIGH, z, c) };
}
