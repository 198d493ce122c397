/**
 * The unbiased estimates of the square wave; the law is in shared/src/mechanisms/square-wave.ts.
 *
 * With y_j the shares of the outputs and B the K x d matrix that is 1 where output j is in the window of cell i, 0
 * elsewhere, E y = q + (p - q) B θ. B has full column rank and does not know ε, so with a positive diagonal W
 *   θ^ = A⁻¹ Bᵀ W z + A⁻¹ 1 (1 - 1ᵀ A⁻¹ Bᵀ W z) / (1ᵀ A⁻¹ 1),  A = Bᵀ W B,  z = (y - q) / (p - q)
 * is unbiased whatever θ is, as the second term only uses that θ sums to 1. W = diag(1 / E y) for an even θ: then it is the
 * best linear unbiased estimator there (Gauss-Markov, in Aitken's form), and near to it elsewhere.
 *
 * A report is one output, so each cell i has scores s_i(j) with E[s_i(j) | x] = [x = i]. For weights w of the cells,
 * t(j) = Σ_i w_i s_i(j), the estimate is the mean of t, and Var(t | x) = Σ_j P(j | x) t(j)² - w_x². Its mean over devices is
 * taken at the likeliest θ, whose outputs come just as often as those that came.
 *
 * A population's mean weight varies by Var(w) / m more over the m people who were drawn from it (people.ts), by the likeliest θ with
 * some people more at both ends of the weights, for cells that nobody has named yet.
 *
 * Where few reports make the sum of t, as those of a narrow range at a large ε, its error is far from normal. There its
 * quantiles are those of n independent errors t(j) - w_x, x drawn by the likeliest θ, by the saddlepoint; of a population's
 * mean those of t(j) - E w.
 */

import type { SquareWaveLaw } from '@murmuration/shared';
import { CholeskyDecomposition, Matrix } from 'ml-matrix';
import { type Cumulants, quantileAt } from '../statistics/saddlepoint.ts';
import type { Tallies } from '../store/store.ts';
import { cautious, type Distribution } from './distribution.ts';
import { Z95 } from './estimate.ts';
import { chancesOf, expectationMaximization, windowSums } from './expectation-maximization.ts';
import { THESE } from './people.ts';

/** Below so many times the largest squared score the sum of scores is not near to normal. */
const ENOUGH = 10;

/** Exponents of doubles. */
const MOST = 300;

/** s_i(j): a row for each cell, a column for each output. */
export function squareWaveScores(law: SquareWaveLaw): Matrix {
  const { p, q } = chancesOf(law);
  const [cells, outputs] = [law.grid + 1, law.grid + law.window];
  const inWindow = (output: number, cell: number): boolean => output >= cell && output < cell + law.window;
  const even = windowSums(new Float64Array(cells).fill(1 / cells), law.window, 1 - law.window, outputs);
  const weight = even.map((mass) => 1 / (q + (p - q) * mass));
  const weighted = new Matrix(cells, outputs); // Bᵀ W
  const a = new Matrix(cells, cells);
  for (let i = 0; i < cells; i++) {
    for (let j = i; j < i + law.window; j++) weighted.set(i, j, weight[j] as number);
    for (let k = 0; k < cells; k++) {
      let sum = 0;
      for (let j = i; j < i + law.window; j++) if (inWindow(j, k)) sum += weight[j] as number;
      a.set(i, k, sum);
    }
  }
  const solver = new CholeskyDecomposition(a);
  const inverse = solver.solve(weighted);
  const ones = solver.solve(Matrix.ones(cells, 1)).to1DArray();
  const total = ones.reduce((sum, x) => sum + x, 0);
  const column = inverse.sum('column'); // of all cells, for each output
  const spread = Matrix.columnVector(ones).mmul(Matrix.rowVector(column)).div(total);
  const left = Matrix.sub(inverse, spread);
  const rows = left.sum('row'); // of all outputs, for each cell
  return new Matrix(
    Array.from({ length: cells }, (_, i) =>
      Array.from({ length: outputs }, (__, j) => (left.get(i, j) - q * (rows[i] as number)) / (p - q) + (ones[i] as number) / total),
    ),
  );
}

const scoreOf = (scores: Matrix, weights: ArrayLike<number>): readonly number[] =>
  Matrix.rowVector(Array.from(weights)).mmul(scores).to1DArray();

/** The mean of Var(t | x) over devices whose cells have these shares. */
function meanVariance(law: SquareWaveLaw, score: readonly number[], weights: ArrayLike<number>, shares: readonly number[]): number {
  const { p, q } = chancesOf(law);
  const squares = score.map((t) => t * t);
  const all = q * squares.reduce((sum, square) => sum + square, 0);
  const near = windowSums(squares, law.window, 0, shares.length);
  return shares.reduce((sum, share, x) => sum + share * (all + (p - q) * (near[x] as number) - (weights[x] as number) ** 2), 0);
}

/** K, K' and K'' of the sum of so many errors t - w_x, x drawn by these shares. */
function errorCumulants(
  law: SquareWaveLaw,
  reports: number,
  score: readonly number[],
  weights: ArrayLike<number>,
  shares: readonly number[],
) {
  const { p, q } = chancesOf(law);
  const held = shares.flatMap((share, x) => (share > 0 ? [{ share, x, weight: weights[x] as number }] : []));
  return (s: number): Cumulants => {
    // Of e^{s t}, t e^{s t} and t² e^{s t}: their sums up to each output.
    const running = [0, 1, 2].map(() => new Float64Array(score.length + 1)) as [Float64Array, Float64Array, Float64Array];
    score.forEach((t, j) => {
      let term = Math.exp(s * t);
      for (const sums of running) {
        sums[j + 1] = (sums[j] as number) + term;
        term *= t;
      }
    });
    const [all0, all1, all2] = running.map((sums) => q * (sums[score.length] as number)) as [number, number, number];
    const near = (sums: Float64Array, x: number): number => (p - q) * ((sums[x + law.window] as number) - (sums[x] as number));
    let [m0, m1, m2] = [0, 0, 0];
    for (const { share, x, weight } of held) {
      const mass = share * Math.exp(-s * weight);
      const [a0, a1, a2] = [all0 + near(running[0], x), all1 + near(running[1], x), all2 + near(running[2], x)];
      m0 += mass * a0;
      m1 += mass * (a1 - weight * a0);
      m2 += mass * (a2 - 2 * weight * a1 + weight * weight * a0);
    }
    const mean = m1 / m0;
    return [reports * Math.log(m0), reports * mean, reports * (m2 / m0 - mean * mean)];
  };
}

/** The variance of one report's estimate of a mean weight, of numbers that are spread evenly. */
export function squareWaveEven(law: SquareWaveLaw, weights: readonly number[]): number {
  const even = weights.map(() => 1 / weights.length);
  return meanVariance(law, scoreOf(squareWaveScores(law), weights), weights, even);
}

/** Of a law's tallies; undefined without reports. */
export function squareWaveDistribution(law: SquareWaveLaw, tallies: Tallies, people: number = THESE): Distribution | undefined {
  const tally = tallies.get(0);
  if (tally === undefined) return undefined;
  const { reports, cells: counts } = tally;
  const scores = squareWaveScores(law);
  const likeliest = expectationMaximization(law, counts, false);
  return {
    cells: law.grid + 1,
    meanOf: (weights) => {
      const score = scoreOf(scores, weights);
      const estimate = score.reduce((sum, t, j) => sum + t * (counts[j] as number), 0) / reports;
      const shares = people === THESE ? likeliest : cautious(likeliest, weights, reports);
      const mean = shares.reduce((sum, share, x) => sum + share * (weights[x] as number), 0);
      const spread = shares.reduce((sum, share, x) => sum + share * ((weights[x] as number) - mean) ** 2, 0);
      const variance = Math.max(0, meanVariance(law, score, weights, shares)) / reports + spread / people;
      const widest = Math.max(...score.map(Math.abs));
      if (reports * reports * variance >= ENOUGH * widest * widest) return { estimate, variance };
      const truths = people === THESE ? weights : new Float64Array(shares.length).fill(mean);
      const cumulantsAt = errorCumulants(law, reports, score, truths, shares);
      const [below, above] = [-Z95, Z95].map((z) => quantileAt(z, MOST / widest, cumulantsAt) / reports) as [number, number];
      return { estimate, variance, errors: [below, above] };
    },
    shapes: { em: likeliest, ems: expectationMaximization(law, counts, true) },
  };
}
