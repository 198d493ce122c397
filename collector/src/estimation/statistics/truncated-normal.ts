/**
 * What the estimate of a string that was found says, given that it was large enough to be found. Without that condition, estimates of found
 * strings are too large on average ("winner's curse"), and intervals about them cover too rarely.
 *
 * In standard errors, the estimate is z ~ N(θ, 1), seen only if it is at least c, the procedure's own threshold with the other strings held
 * fixed (Benjamini and Yekutieli 2005). The median-unbiased signal is where P(Z >= z | Z >= c) = Φ(θ - z) / Φ(θ - c) is a half.
 *
 * The interval holds the θ whose shortest region of 95 % has z in it (Zhong and Prentice 2008; Weinstein, Fithian, Benjamini 2013). The
 * density falls from max(c, θ) on, so the region is
 *   [c, u] with Φ(θ - u) = 0.05 Φ(θ - c)                  if θ <= c + t
 *   [θ - d, θ + d] with 2 Φ(d) - 1 = 0.95 Φ(θ - c)        beyond,
 * and both are one at d = t, where 1.05 Φ(t) = 1. Equal tails would have 95 %, too. But they say of a z just above c that every θ above 0 is
 * unlikely: a string was found, and would have a share of at most 0. Here the upper end is at least c + t.
 */

import { endOf } from './bisection.ts';
import { normalTail, Z95 } from './normal.ts';

export interface Conditional {
  readonly low: number;
  readonly middle: number;
  readonly high: number;
}

/** This far above the threshold it no longer matters. */
const CLEAR = 9;
const COVERED = 0.95;
/** t. */
const MEETING = 1.6683911939470795;

/** Where a function that rises through 0 between two ends does so. */
const rootOf = (rising: (theta: number) => number, least: number, most: number): number => endOf(least, most, (theta) => rising(theta) < 0);

/** The signal at 0 or above for which a z of at least this, given one of at least c, has this probability. */
function signalAt(probability: number, z: number, c: number): number {
  const excess = (theta: number): number => normalTail(z - theta) - probability * normalTail(c - theta);
  return excess(0) >= 0 ? 0 : rootOf(excess, 0, z + 8);
}

/** By how much a distance of z and θ exceeds d: as probabilities. */
const beyond = (z: number, c: number, theta: number): number => 1 - 2 * normalTail(Math.abs(z - theta)) - COVERED * normalTail(c - theta);

function lowEnd(z: number, c: number): number {
  if (z <= c + 2 * MEETING) return signalAt(1 - COVERED, z, c);
  return Math.max(
    0,
    rootOf((theta) => -beyond(z, c, theta), z - Z95, z),
  );
}

/** In standard errors, at least 0. `z` is at least `c`. */
export function conditionalOn(z: number, c: number): Conditional {
  if (z - c > CLEAR) return { low: Math.max(0, z - Z95), middle: z, high: z + Z95 };
  const high = rootOf((theta) => beyond(z, c, theta), z, z + Z95);
  return { low: lowEnd(z, c), middle: signalAt(1 / 2, z, c), high: Math.max(0, high) };
}
