/**
 * The sum of the means of those estimates that were large enough to be reported. Their own sum is too large: an estimate near the threshold
 * is reported where chance raised it, and left out where chance lowered it.
 *
 * For X ~ N(θ, σ²) with density f,  E[(X - θ) 1(X >= c)] = σ² f(c), whatever θ is. So the sum over all candidates is too large by σ² times
 * the number of estimates per unit at the threshold, on average: by σ n, with n the number per standard error. It is known where the
 * estimates are independent of each other, and of the threshold. (Efron 2011, "Tweedie's Formula and Selection Bias", for one estimate.)
 *
 * n is estimated from the reported ones themselves: y = (X - c)/σ of the m that lie within WIDTH of their thresholds. Strings get rarer with
 * their share, so their density is taken to fall exponentially there: with the rate λ of the largest likelihood, n = m λ / (1 - e^(-λ WIDTH)).
 * The logarithms of m and of λ have variances of about 1/m each.
 */

import { endOf } from './bisection.ts';

/** A reported estimate. The threshold is that of its own, at most the estimate. */
export interface Reported {
  readonly estimate: number;
  readonly standardError: number;
  readonly threshold: number;
}

/** Beyond, the density at the threshold is not told. */
const WIDTH = 3;
const [LEAST_RATE, MOST_RATE] = [1e-6, 100];

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
  return { density: m * each, error: each * Math.sqrt(2 * Math.max(m, 1)) };
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
