/**
 * Expectation maximization for the square wave, with adjustable smoothing: Li et al. 2020, "Estimating Numerical Distributions under Local
 * Differential Privacy", §5.5, algorithm 1. The shares are not negative and sum to 1; they are biased and have no interval.
 *
 * E and M together: θ_i <- θ_i Σ_j (c_j / n) P(j | i) / π_j, with π_j = Σ_i P(j | i) θ_i. A row of the channel is q outside its window, so
 * both sums are differences of running sums. Smoothing of strength a then takes 1 - 2 a of a cell and a of each neighbour; at the ends, the
 * part that would fall outside stays in the last cell. The paper's EM has a = 0, its EMS a = 1/4.
 * Without smoothing, it stops when the log-likelihood grows by less than 10^-3 e^ε, which avoids fitting the noise. With smoothing, it
 * stops when the log-likelihood changes by less than 10^-3 (ibid.).
 */

import type { SquareWaveLaw } from '@murmuration/shared';
import { chancesOf } from './square-wave-scores.ts';

/** Most runs stop much sooner. This bounds the time of a request. */
const MOST_ROUNDS = 10_000;

/** Sums of `window` consecutive values, with zeros beyond both ends: one sum for each position at which the window may end. */
export function windowSums(values: ArrayLike<number>, window: number, from: number, count: number): Float64Array {
  const sums = new Float64Array(count);
  addWindowSums(values, window, from, sums, new Float64Array(values.length + 1));
  return sums;
}

/** The same, written into existing arrays. */
function addWindowSums(values: ArrayLike<number>, window: number, from: number, sums: Float64Array, running: Float64Array): void {
  const { length } = values;
  for (let i = 0; i < length; i++) running[i + 1] = (running[i] as number) + (values[i] as number);
  for (let j = 0; j < sums.length; j++) {
    const [low, high] = [Math.max(0, from + j), Math.min(length, from + j + window)];
    sums[j] = (running[high] as number) - (running[low] as number);
  }
}

/** Smooths shares in place. */
function smooth(shares: Float64Array, strength: number): void {
  const last = shares.length - 1;
  let before = shares[0] as number;
  for (let i = 0; i <= last; i++) {
    const own = shares[i] as number;
    shares[i] = own + strength * (before - 2 * own + (shares[Math.min(last, i + 1)] as number));
    before = own;
  }
}

/** The shares of the cells from the counts of the outputs. */
export function expectationMaximization(
  law: SquareWaveLaw,
  counts: ArrayLike<number>,
  strength: number,
  most: number = MOST_ROUNDS,
): Float64Array {
  const { grid, window } = law;
  const { p, q } = chancesOf(law);
  const [cells, outputs] = [grid + 1, grid + window];
  const reports = Array.from(counts).reduce((sum, count) => sum + count, 0);
  const enough = 1e-3 * (strength > 0 ? 1 : p / q);
  const shares = new Float64Array(cells).fill(1 / cells);
  const [masses, near, running] = [new Float64Array(outputs), new Float64Array(cells), new Float64Array(outputs + 1)];
  let before = Number.NEGATIVE_INFINITY;
  for (let round = 0; round < most; round++) {
    addWindowSums(shares, window, 1 - window, masses, running);
    let [likelihood, all] = [0, 0];
    for (let j = 0; j < outputs; j++) {
      const chance = q + (p - q) * (masses[j] as number);
      const count = counts[j] as number;
      if (count > 0) likelihood += count * Math.log(chance);
      const ratio = count / (reports * chance);
      masses[j] = ratio;
      all += ratio;
    }
    if (Math.abs(likelihood - before) < enough) break;
    before = likelihood;
    addWindowSums(masses, window, 0, near, running);
    for (let i = 0; i < cells; i++) shares[i] = (shares[i] as number) * (q * all + (p - q) * (near[i] as number));
    if (strength > 0) smooth(shares, strength);
  }
  return shares;
}
