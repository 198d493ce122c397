/**
 * The shares of inputs of an exponential mechanism, by a left inverse of its matrix. With P(j | i) the channel, c_j / n the
 * shares of outcomes and A with Σ_j A_ij P(j | x) = [i = x], f_i = Σ_j A_ij c_j / n is unbiased, and given the inputs
 *   n Var(f_i) = Σ_x f_x S_ix - f_i,   S_ix = Σ_j A_ij² P(j | x)
 * Of all left inverses, A = (P W Pᵀ)⁻¹ P W with W = 1 / mean_x P(j | x) has the least variance where inputs are alike in
 * number (Gauss and Markov). Where there are as many outcomes as inputs, there is but one.
 * Σ_j A_ij² c_j / n is unbiased for the sum, but falls short while rare outcomes have not come yet; so what it leaves to the
 * other inputs is held between the least and the largest S_ix, and the interval is the score interval in f_i.
 */

import { type ExponentialLaw, MODULUS } from '@murmuration/shared';
import { LuDecomposition, Matrix } from 'ml-matrix';
import { type Estimate, scored } from './estimate.ts';
import type { Question } from './estimator.ts';

/** A, and S_ix: rows are inputs. */
interface Inverse {
  readonly left: Matrix;
  readonly squares: Matrix;
}

const RESIDUE = 1e-6; // of A Pᵀ: what doubles may lose

/**
 * The left inverse of a law's matrix.
 *
 * @throws {RangeError} when inputs can't be told apart: their rows are dependent, or all but
 */
export function inverseOf({ weights }: ExponentialLaw): Inverse {
  const channel = new Matrix(weights.map((row) => row.map((weight) => weight / MODULUS)));
  const weighted = Matrix.mul(channel, 1);
  const mass = channel.sum('column');
  mass.forEach((sum, j) => {
    weighted.mulColumn(j, channel.rows / sum);
  });
  const gram = new LuDecomposition(weighted.mmul(channel.transpose()));
  const left = gram.isSingular() ? Matrix.zeros(channel.rows, channel.columns) : gram.solve(weighted);
  const residue = left.mmul(channel.transpose()).sub(Matrix.eye(channel.rows)).abs().max();
  if (!(residue < RESIDUE)) {
    const { rows, columns } = channel;
    throw new RangeError(
      `expected utilities that tell ${rows} inputs apart, got ${columns} outcomes whose probabilities are linearly dependent, or all but`,
    );
  }
  return { left, squares: Matrix.pow(left, 2).mmul(channel.transpose()) };
}

/** n Var(f_i) where the input has a share, and the other inputs have it on average. */
const varianceAt = (own: number, others: number, share: number): number => share * (own - 1) + (1 - share) * others;

const besides = (squares: Matrix, input: number): readonly number[] => squares.getRow(input).filter((_, x) => x !== input);

/** The largest n Var of the inputs at a share, where all other inputs are alike in number. */
export function exponentialVariance(law: ExponentialLaw, share: number): number {
  const { squares } = inverseOf(law);
  return Math.max(
    ...Array.from({ length: squares.rows }, (_, input) => {
      const others = besides(squares, input);
      return varianceAt(squares.get(input, input), others.reduce((sum, x) => sum + x, 0) / others.length, share);
    }),
  );
}

/** The estimates of the inputs, in their order. */
export function exponentialEstimates(law: ExponentialLaw, { tallies }: Question): Estimate[] {
  const tally = tallies.get(0);
  if (tally === undefined) return [];
  const { left, squares } = inverseOf(law);
  const outcomes = Matrix.columnVector(Array.from(tally.cells, (count) => count / tally.reports));
  const estimates = left.mmul(outcomes).to1DArray();
  const seconds = Matrix.pow(left, 2).mmul(outcomes).to1DArray();
  return estimates.map((estimate, input) => {
    const own = squares.get(input, input);
    const others = besides(squares, input);
    const share = Math.min(1, Math.max(0, estimate));
    const left = ((seconds[input] as number) - share * own) / (1 - share);
    const mean = Math.min(Math.max(...others), Math.max(Math.min(...others), Number.isNaN(left) ? 0 : left));
    return scored(estimate, mean / tally.reports, (varianceAt(own, mean, 1) - mean) / tally.reports);
  });
}
