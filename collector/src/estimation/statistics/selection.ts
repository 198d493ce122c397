/**
 * Inference on the estimate of a found string, given that it was large enough to be found. Without that condition, estimates of found
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
 *
 * The median-unbiased signal of a z just above c is 0 all the same. There the middle is the median of the likelihood φ(z - θ) / Φ(θ - c) over
 * the signals above 0, which is never 0: the larger of the two is taken.
 */

import { endOf, logUpperTail, normalTail, Z95 } from './tails.ts';

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

/** Where the median of the likelihood may be the larger one, and its steps. */
const [EDGE, STEP] = [1.5, 0.1];

/** The median of φ(z - θ) / Φ(θ - c) over θ > 0, by the midpoints of steps. */
function likelyMiddle(z: number, c: number): number {
  const weights: number[] = [];
  for (let theta = STEP / 2; theta < z + 5; theta += STEP) weights.push(Math.exp(-((z - theta) ** 2) / 2 - logUpperTail(c - theta)));
  let half = weights.reduce((sum, weight) => sum + weight, 0) / 2;
  const last = weights.findIndex((weight) => {
    half -= weight;
    return half <= 0;
  });
  return (last + 1 + half / (weights[last] as number)) * STEP;
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
  const unbiased = signalAt(1 / 2, z, c);
  return { low: lowEnd(z, c), middle: z - c < EDGE ? Math.max(unbiased, likelyMiddle(z, c)) : unbiased, high: Math.max(0, high) };
}

/*
 * The sum of the means of those estimates that were large enough to be reported. Their own sum is too large: an estimate near the threshold
 * is reported where chance raised it, and left out where chance lowered it.
 *
 * For X ~ N(θ, σ²) with density f,  E[(X - θ) 1(X >= c)] = σ² f(c), whatever θ is. So the sum over all candidates is too large by σ² times
 * the number of estimates per unit at the threshold, on average: by σ n, with n the number per standard error. It is known where the
 * estimates are independent of each other, and of the threshold. (Efron 2011, "Tweedie's Formula and Selection Bias", for one estimate.)
 *
 * n is estimated from the reported ones themselves: y = (X - c)/σ of the m that lie within WIDTH of their thresholds. Strings get rarer with
 * their share, so their density is taken to fall exponentially there: with the rate λ of the largest likelihood, n = m λ / (1 - e^(-λ WIDTH)).
 * The logarithms of m and of λ have variances of about 1/m each. Strings of one size or of an even spread do not fall off like that, and n is
 * only known to within a part of it.
 */

/** A reported estimate. The threshold is that of its own, at most the estimate. */
export interface Reported {
  readonly estimate: number;
  readonly standardError: number;
  readonly threshold: number;
}

/** Beyond, the density at the threshold is not told. */
const WIDTH = 3;
const [LEAST_RATE, MOST_RATE] = [1e-6, 100];
/** The standard error of n from the shape of the density, as a part of n. */
const UNSHAPED = 0.5;

/** λ for a mean distance, at least 0, where the density does not fall. */
function rateOf(mean: number): number {
  const meanAt = (rate: number): number => 1 / rate - WIDTH / Math.expm1(rate * WIDTH);
  return mean >= WIDTH / 2 ? 0 : endOf(LEAST_RATE, MOST_RATE, (rate) => meanAt(rate) > mean);
}

/** How many estimates per standard error there are at the threshold, and the standard error of that number. */
function densityAt(distances: readonly number[]): { readonly density: number; readonly error: number } {
  const near = distances.filter((distance) => distance <= WIDTH);
  const m = near.length;
  const rate = m === 0 ? 0 : rateOf(near.reduce((sum, y) => sum + y, 0) / m);
  const each = rate === 0 ? 1 / WIDTH : rate / -Math.expm1(-rate * WIDTH);
  return { density: m * each, error: each * Math.hypot(Math.sqrt(2 * Math.max(m, 1)), UNSHAPED * m) };
}

/** The sum of the means of reported estimates, with its variance. At least 0. */
export function selectedSum(reported: readonly Reported[]): { readonly sum: number; readonly variance: number } {
  if (reported.length === 0) return { sum: 0, variance: 0 };
  const { density, error } = densityAt(reported.map(({ estimate, standardError, threshold }) => (estimate - threshold) / standardError));
  const squares = reported.reduce((total, { standardError }) => total + standardError ** 2, 0);
  const plain = reported.reduce((total, { estimate }) => total + estimate, 0);
  const typical = Math.sqrt(squares / reported.length);
  return { sum: Math.max(0, plain - typical * density), variance: squares + (typical * error) ** 2 };
}
