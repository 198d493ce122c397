/**
 * Expectation maximization for the square wave, plain and smoothed: Li et al. 2020, "Estimating Numerical Distributions
 * under Local Differential Privacy", §5.5, algorithm 1. Shares that are not negative and sum to 1, biased, without interval.
 *
 * E and M together: θ_i <- θ_i Σ_j (c_j / n) P(j | i) / π_j, with π_j = Σ_i P(j | i) θ_i. As a row of the channel is q but
 * for its window, both sums are differences of running sums. The smoothed one then takes weights 1, 2, 1 over 4 of a cell
 * and its neighbours; what would fall out at an end stays in the end's cell.
 * Plain EM stops when the logarithm of the likelihood grows by less than 10^-3 e^ε, which keeps it from fitting the noise;
 * smoothed, when it changes by less than 10^-3 (ibid.). The paper smooths over three of 1024 cells; three of 64 are a wider
 * part of the range, so here the plain one is the closer to the truth (the table in shared/README.md).
 */

import { MODULUS, type SquareWaveLaw } from '@murmuration/shared';

/** It stops much sooner; this bounds what a request may take. */
const MOST_ROUNDS = 10_000;

/** Sums of `window` consecutive values, with zeros beyond both ends: one for each place at which it may end. */
export function windowSums(values: ArrayLike<number>, window: number, from: number, count: number): Float64Array {
  const running = new Float64Array(values.length + 1);
  for (let i = 0; i < values.length; i++) running[i + 1] = (running[i] as number) + (values[i] as number);
  const at = (i: number): number => running[Math.min(values.length, Math.max(0, i))] as number;
  return Float64Array.from({ length: count }, (_, j) => at(from + j + window) - at(from + j));
}

/** p and q of a law: P(an output of the window), P(another). */
export const chancesOf = ({ grid, window, inside }: SquareWaveLaw): { readonly p: number; readonly q: number } => ({
  p: inside / (MODULUS * window),
  q: (MODULUS - inside) / (MODULUS * grid),
});

function smooth(shares: Float64Array): Float64Array {
  const last = shares.length - 1;
  const at = (i: number): number => shares[Math.min(last, Math.max(0, i))] as number;
  return shares.map((share, i) => (at(i - 1) + 2 * share + at(i + 1)) / 4);
}

/** The shares of the cells from the counts of the outputs. */
export function expectationMaximization(law: SquareWaveLaw, counts: ArrayLike<number>, smoothed: boolean): readonly number[] {
  const { grid, window } = law;
  const { p, q } = chancesOf(law);
  const [cells, outputs] = [grid + 1, grid + window];
  const reports = Array.from(counts).reduce((sum, count) => sum + count, 0);
  const enough = 1e-3 * (smoothed ? 1 : p / q);
  let shares: Float64Array = new Float64Array(cells).fill(1 / cells);
  let before = Number.NEGATIVE_INFINITY;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const expected = windowSums(shares, window, 1 - window, outputs).map((mass) => q + (p - q) * mass);
    const likelihood = expected.reduce((sum, chance, j) => sum + (counts[j] as number) * Math.log(chance), 0);
    if (Math.abs(likelihood - before) < enough) break;
    before = likelihood;
    const ratios = expected.map((chance, j) => (counts[j] as number) / (reports * chance));
    const all = q * ratios.reduce((sum, ratio) => sum + ratio, 0);
    const near = windowSums(ratios, window, 0, cells);
    shares = shares.map((share, i) => share * (all + (p - q) * (near[i] as number)));
    if (smoothed) shares = smooth(shares);
  }
  return Array.from(shares);
}
