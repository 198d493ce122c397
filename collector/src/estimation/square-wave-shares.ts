/**
 * The shares of cells from the square wave: unbiased by scores, and the likeliest by expectation maximization.
 *
 * Scores are the best linear unbiased estimate of any mean weight for evenly spread numbers (Gauss-Markov, in
 * Aitken's form). They are unbiased whatever the numbers are. The law is in shared/src/mechanisms/square-wave.ts.
 *
 * With F_e the share below edge e of the d cells, F_e = 0 up to e = 0 and 1 from e = d on, the share y_j of output j has
 *   E z_j = F_{j+1} - F_{j+1-L},  z = (y - q) / (p - q)
 * and a mean weight is w_{d-1} + Σ_e g_e F_e, g_e = w_{e-1} - w_e, over the inner edges e = 1 .. d - 1. Least squares with weights W_j = 1
 * / E y_j, E y for an even distribution, solves M F^ = Cᵀ W (z - c). Row j of C is +1 at edge j + 1 and -1 at j + 1 - L, where these are
 * inner edges, and c_j is 1 where j + 1 >= d. So the score of a report with output j is
 *   t(j) = w_{d-1} + W_j u_j / (p - q) - Σ_i W_i u_i (q / (p - q) + c_i),  u = C v,  M v = g
 * M = Cᵀ W C only couples edges that are L apart. It is tridiagonal in each class of edges modulo L, so computing scores takes a number of
 * steps proportional to d + L.
 */

import { MODULUS, type SquareWaveLaw } from '@murmuration/shared';

/** p and q of a law: P(an output in the window), P(another output). */
export const chancesOf = ({ grid, window, inside }: SquareWaveLaw): { readonly p: number; readonly q: number } => ({
  p: inside / (MODULUS * window),
  q: (MODULUS - inside) / (MODULUS * grid),
});

/** Maps a weight for each cell to the score of each output. */
export function squareWaveScores(law: SquareWaveLaw): (weights: ArrayLike<number>) => Float64Array {
  const { grid, window } = law;
  const { p, q } = chancesOf(law);
  const [cells, outputs] = [grid + 1, grid + window];
  // W: for an even distribution, windows are cut off at both ends.
  const weight = Float64Array.from({ length: outputs }, (_, j) => {
    const held = Math.min(cells, j + 1) - Math.max(0, j + 1 - window);
    return 1 / (q + ((p - q) * held) / cells);
  });
  // M = U D Uᵀ by classes: `joined[e]` is the entry of M between edges e - L and e, divided by the pivot of e - L.
  const [pivot, joined] = [new Float64Array(cells), new Float64Array(cells + window)];
  for (let edge = 1; edge < cells; edge++) {
    const own = weight[edge - 1] as number;
    pivot[edge] = own + (weight[edge - 1 + window] as number);
    if (edge <= window) continue;
    joined[edge] = -own / (pivot[edge - window] as number);
    pivot[edge] = (pivot[edge] as number) + own * (joined[edge] as number);
  }
  return (weights) => {
    const v = new Float64Array(cells + window); // 0 at edges that are not inner edges
    for (let edge = 1; edge < cells; edge++) {
      const step = (weights[edge - 1] as number) - (weights[edge] as number);
      v[edge] = edge > window ? step - (joined[edge] as number) * (v[edge - window] as number) : step;
    }
    for (let edge = cells - 1; edge > 0; edge--) {
      v[edge] = (v[edge] as number) / (pivot[edge] as number) - (joined[edge + window] as number) * (v[edge + window] as number);
    }
    let constant = weights[cells - 1] as number;
    const scores = new Float64Array(outputs);
    for (let j = 0; j < outputs; j++) {
      const from = j + 1 - window;
      const above = j + 1 < cells ? (v[j + 1] as number) : 0;
      const share = (weight[j] as number) * (above - (from > 0 ? (v[from] as number) : 0));
      scores[j] = share / (p - q);
      constant -= share * (q / (p - q) + (j + 1 < cells ? 0 : 1));
    }
    return scores.map((score) => score + constant);
  };
}

/*
 * Expectation maximization for the square wave: Li et al. 2020, "Estimating Numerical Distributions under Local Differential Privacy",
 * §5.5, algorithm 1. The shares are not negative and sum to 1; they are biased and have no interval.
 *
 * E and M together: θ_i <- θ_i Σ_j (c_j / n) P(j | i) / π_j, with π_j = Σ_i P(j | i) θ_i. A row of the channel is q outside its window, so
 * both sums are differences of running sums. It stops when the log-likelihood grows by less than 10^-3 e^ε, which avoids fitting the noise.
 */

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

/** The shares of the cells from the counts of the outputs. */
export function expectationMaximization(law: SquareWaveLaw, counts: ArrayLike<number>, most: number = MOST_ROUNDS): Float64Array {
  const { grid, window } = law;
  const { p, q } = chancesOf(law);
  const [cells, outputs] = [grid + 1, grid + window];
  const reports = Array.from(counts).reduce((sum, count) => sum + count, 0);
  const enough = (1e-3 * p) / q;
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
  }
  return shares;
}
