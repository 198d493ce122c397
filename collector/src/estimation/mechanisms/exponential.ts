/**
 * The shares of inputs of an exponential mechanism, by a left inverse of its matrix. Let P(j | i) be the channel, c_j / n the shares of
 * outcomes, and A a matrix with Σ_j A_ij P(j | x) = [i = x]. Then f_i = Σ_j A_ij c_j / n is unbiased, and given the inputs
 *   n Var(f_i) = Σ_x f_x S_ix - f_i,   S_ix = Σ_j A_ij² P(j | x)
 * Among all left inverses, A = (P W Pᵀ)⁻¹ P W with W = 1 / mean_x P(j | x) has the least variance when all inputs are equally frequent
 * (Gauss and Markov). With as many outcomes as inputs, there is only one left inverse.
 * Σ_j A_ij² c_j / n is unbiased for the sum, but too small while rare outcomes have not occurred yet. So the part of the other inputs is
 * kept between the least and the largest S_ix. The interval is the score interval in f_i, with the ends of saddlepoint.ts where few reports
 * determine it. For the share of all users, f_i (1 - f_i) / m is added to the variance (estimate.ts).
 */

import { type ExponentialLaw, exponentialLaw, MODULUS } from '@murmuration/shared';
import { LuDecomposition, Matrix } from 'ml-matrix';
import { cautious, interval } from '../distribution.ts';
import type { EstimateInput } from '../estimate.ts';
import { type Estimate, independentReports, scored, spreadOverPeople, THESE } from '../estimate.ts';
import type { ShareEstimation } from '../estimation.ts';
import type { Rows } from '../matrices.ts';
import { byMatrix } from '../parts.ts';
import type { Cumulants } from '../statistics/saddlepoint.ts';
import { ENOUGH, quantileOfSum, withTailEnds } from '../statistics/saddlepoint.ts';
import { Z95 } from '../statistics/tails.ts';
import { ends, type Leverage } from '../watch/bounds.ts';

/** A and S_ix; rows are inputs. */
interface Inverse {
  readonly left: Matrix;
  readonly squares: Matrix;
}

const RESIDUE = 1e-6; // tolerance for the rounding error of doubles in A Pᵀ

/**
 * The left inverse of a law's matrix.
 *
 * @throws {RangeError} when inputs can't be distinguished: their rows are linearly dependent, or nearly so
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

/** n Var(f_i) at this share, given S_ix of the input itself and its mean over the other inputs. */
const varianceAt = (own: number, others: number, share: number): number => share * (own - 1) + (1 - share) * others;

const besides = (squares: Matrix, input: number): readonly number[] => squares.getRow(input).filter((_, x) => x !== input);

/** The largest n Var over the inputs at a share, when all other inputs are equally frequent. */
export function exponentialVariance(law: ExponentialLaw, share: number): number {
  const { squares } = inverseOf(law);
  return Math.max(
    ...Array.from({ length: squares.rows }, (_, input) => {
      const others = besides(squares, input);
      return varianceAt(squares.get(input, input), others.reduce((sum, x) => sum + x, 0) / others.length, share);
    }),
  );
}

/**
 * K, K' and K'' of the sum of the reports' scores, each minus its share, when people's inputs have these shares. Either of these very
 * people, or of as many people drawn at random, whose outcomes are independent draws.
 */
function errorCumulants(
  channel: readonly (readonly number[])[],
  scores: readonly number[],
  reports: number,
  shares: readonly number[],
  share: number,
  isDrawn: boolean,
) {
  const mixed = scores.map((_, j) => channel.reduce((sum, row, x) => sum + (shares[x] as number) * (row[j] as number), 0));
  const crowds = isDrawn ? [{ part: 1, row: mixed }] : channel.map((row, x) => ({ part: shares[x] as number, row }));
  return (s: number): Cumulants => {
    const terms = scores.map((score) => Math.exp(s * score));
    let [value, slope, bend] = [-s * share, -share, 0];
    for (const { part, row } of crowds) {
      let [m0, m1, m2] = [0, 0, 0];
      for (const [j, score] of scores.entries()) {
        const mass = (row[j] as number) * (terms[j] as number);
        m0 += mass;
        m1 += mass * score;
        m2 += mass * score * score;
      }
      value += part * Math.log(m0);
      slope += (part * m1) / m0;
      bend += part * (m2 / m0 - (m1 / m0) ** 2);
    }
    return [reports * value, reports * slope, reports * Math.max(0, bend)];
  };
}

/**
 * The shares of all inputs when one has this share. The others are as estimated, with z² additional devices for inputs that no report has
 * shown yet.
 */
function sharesWith(estimates: readonly number[], reports: number, input: number, share: number): readonly number[] {
  const more = (Z95 * Z95) / estimates.length;
  const others = estimates.map((estimate, x) => (x === input ? 0 : Math.max(0, estimate) * reports + more));
  const all = others.reduce((sum, x) => sum + x, 0);
  return others.map((other, x) => (x === input ? share : ((1 - share) * other) / all));
}

/** P(outcome | input). */
const rowsOf = ({ weights }: ExponentialLaw): Rows => weights.map((row) => row.map((weight) => weight / MODULUS));

/** The estimates of the inputs, in their order. */
export function exponentialEstimates(law: ExponentialLaw, { tallies, people = THESE }: EstimateInput): Estimate[] {
  const tally = tallies.get(0);
  if (tally === undefined) return [];
  const { reports } = tally;
  const { left, squares } = inverseOf(law);
  const channel = rowsOf(law);
  const outcomes = Matrix.columnVector(Array.from(tally.cells, (count) => count / reports));
  const estimates = left.mmul(outcomes).to1DArray();
  const seconds = Matrix.pow(left, 2).mmul(outcomes).to1DArray();
  return estimates.map((estimate, input) => {
    const own = squares.get(input, input);
    const others = besides(squares, input);
    const share = Math.min(1, Math.max(0, estimate));
    const rest = ((seconds[input] as number) - share * own) / (1 - share);
    const mean = Math.min(Math.max(...others), Math.max(Math.min(...others), Number.isNaN(rest) ? 0 : rest));
    const given = { constant: mean / reports, slope: (varianceAt(own, mean, 1) - mean) / reports, curve: 0 };
    const scores = left.getRow(input);
    const found = scored(estimate, spreadOverPeople(given, people));
    const middle = Math.min(1, Math.max(0, (found.low + found.high) / 2));
    const alike = independentReports(reports * (given.constant + given.slope * middle), middle * (1 - middle), reports, people);
    const sharesAt = (f: number) => sharesWith(estimates, Math.min(reports, people), input, f);
    const errorsAt = (f: number) => errorCumulants(channel, scores, alike, sharesAt(f), f, people < THESE);
    return withTailEnds(found, { reports: alike, scores, errorsAt });
  });
}

/**
 * The mean of numbers g_i that belong to the inputs, such as the utilities of an option. An outcome's score s_j = Σ_i g_i A_ij has the mean g_i
 * given the input. Over n reports of m people who are drawn from a population, with shares f_i of the inputs and the mean g = Σ_i f_i g_i,
 *   Var(mean of s) = (1/n) Σ_i f_i Σ_j P(j | i) (s_j - g_i)² + (1/m) Σ_i f_i (g_i - g)².
 * For these very people the second part is 0. The shares are the estimates that are not negative, scaled to 1, with z² additional devices at
 * the largest and the smallest number (distribution.ts). The interval is the least that holds the normal one, the score interval of a mean g
 * between 0 and 1, whose second part is g (1 - g) less a constant, and, where few reports determine the mean, that of the sum of as many
 * independent reports as vary like these (saddlepoint.ts).
 *
 * @param numbers from 0 to 1
 */
export function meanOfInputs(law: ExponentialLaw, numbers: readonly number[], { tallies, people = THESE }: EstimateInput): Estimate[] {
  const tally = tallies.get(0);
  if (tally === undefined) return [];
  const { reports, cells } = tally;
  const { left } = inverseOf(law);
  const channel = rowsOf(law);
  const outcomes = Matrix.columnVector(Array.from(cells, (count) => count / reports));
  const scores = Matrix.rowVector([...numbers]).mmul(left);
  const estimate = scores.mmul(outcomes).get(0, 0);
  const positive = left
    .mmul(outcomes)
    .to1DArray()
    .map((share) => Math.max(0, share)); // their sum is at least 1
  const all = positive.reduce((sum, share) => sum + share, 0);
  const shares = cautious(
    positive.map((share) => share / all),
    numbers,
    Math.min(reports, people),
  );
  const over = (of: (number: number, input: number) => number): number =>
    shares.reduce((sum, share, i) => sum + share * of(numbers[i] as number, i), 0);
  const mean = over((number) => number);
  const spread = over((number) => (number - mean) ** 2);
  const errors = scores.to1DArray();
  const noise = over((number, i) =>
    (channel[i] as readonly number[]).reduce((sum, chance, j) => sum + chance * ((errors[j] as number) - number) ** 2, 0),
  );
  const variance = noise / reports + spread / people;
  const alike = independentReports(noise, spread, reports, people);
  const widest = Math.max(...errors.map((score) => Math.abs(score - mean)));
  const constant = noise / reports + (spread - mean * (1 - mean)) / people;
  const byScore = scored(estimate, spreadOverPeople({ constant, slope: 0, curve: 0 }, people));
  const truths = people === THESE ? numbers : numbers.map(() => mean);
  const errorsOfSum = (): readonly [number, number] => {
    const values = Float64Array.from(truths.flatMap((truth) => errors.map((score) => score - truth)));
    const chances = Float64Array.from(channel.flatMap((row, i) => row.map((chance) => chance * (shares[i] as number))));
    const quantile = quantileOfSum(alike, { values, chances });
    return [quantile(-Z95) / alike, quantile(Z95) / alike];
  };
  const isFew = alike * alike * variance < ENOUGH * widest * widest;
  const found = interval({ estimate, variance, ...(isFew && { errors: errorsOfSum() }) });
  return [{ ...found, low: Math.min(found.low, byScore.low), high: Math.max(found.high, byScore.high) }];
}

/** Undefined where inputs can't be distinguished, so that there are no estimates. */
function ofInputs(law: ExponentialLaw): Leverage | undefined {
  try {
    return ends(inverseOf(law).left.to1DArray());
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

export const exponential: ShareEstimation<ExponentialLaw> = {
  named: (_law, { metric }) => ('utility' in metric ? [(e) => exponentialLaw(metric.utility, e)] : []),
  estimates: exponentialEstimates,
  noiseAt: (law, reports, share) => exponentialVariance(law, share) / reports,
  ...byMatrix(rowsOf),
  leverage: ofInputs,
  simulated: [{ of: 'best', name: 'exponential' }],
};
