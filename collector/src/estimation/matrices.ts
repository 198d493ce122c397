/**
 * The finite channels of laws with few outputs: P(output | input) as a matrix, a row for each input, and a test of tallies against it. A
 * number is rounded at random to one of the two nearest points, so its row is a mixture of the rows of these points.
 */

import type { Tallies } from './tally.ts';
import { type Fit, pooled, sumsOf, tailOf } from './watch/fit.ts';
import { basisOf, leftInverse, residual } from './watch/residual.ts';

/** P(output | input): a row for each input, each summing to 1. */
export type Rows = readonly (readonly number[])[];

/** The rows of a channel, from the probability of an output given an input. */
export const rowsBy = (inputs: number, outputs: number, chance: (input: number, output: number) => number): Rows =>
  Array.from({ length: inputs }, (_, input) => Array.from({ length: outputs }, (__, output) => chance(input, output)));

/*
 * Tests the fit of laws with a matrix. The outputs of n reports have expectations n Pᵀθ. In a direction orthogonal to all rows of
 * P, the answers have no effect. So the counts' covariance there is that of independent reports with the mean shares μ, whoever sent them,
 * and Pearson's statistic at the best signed θ is chi-squared with K - rank P degrees.
 *
 * μ = Pᵀθ is computed at shares that are not negative, by a few rounds of expectation maximization. Outputs are pooled with their
 * neighbours until enough devices are expected in each.
 * The estimate of an input is the mean of scores A_xj with Σ_j A_xj P(j | y) = [x = y]. For an input that nobody has, it is below zero by
 * chance alone: by t with probability at most exp(-n t² / (2 (s² + b t / 3))), with s² the variance of a score and b how far below the mean
 * it may be (Bernstein; Boucheron, Lugosi, Massart 2013, §2.8).
 */

/** After this many rounds the expected outputs hardly change, and only these are used. */
const ROUNDS = 30;

/** The expected shares of the outputs, at shares of the inputs that explain the counts. */
function likelyOutputs(rows: Rows, counts: Float64Array, reports: number): readonly number[] {
  const shares = new Float64Array(rows.length).fill(1 / rows.length);
  const expected = new Float64Array(counts.length);
  const expect = (): void => {
    expected.fill(0);
    rows.forEach((row, input) => {
      const share = shares[input] as number;
      for (let j = 0; j < expected.length; j++) expected[j] = (expected[j] as number) + share * (row[j] as number);
    });
  };
  for (let round = 0; round < ROUNDS; round++) {
    expect();
    const ratios = expected.map((chance, j) => (counts[j] as number) / (reports * chance));
    rows.forEach((row, input) => {
      let sum = 0;
      for (let j = 0; j < ratios.length; j++) sum += (row[j] as number) * (ratios[j] as number);
      shares[input] = (shares[input] as number) * sum;
    });
  }
  expect();
  return Array.from(expected);
}

/** Tests for inputs with negative estimates: the least bound over all inputs, times their number. */
function inputsPValue(scores: readonly Float64Array[], counts: readonly number[], likely: readonly number[], perDevice: number): number {
  const reports = likely.reduce((sum, count) => sum + count, 0);
  let most = 0;
  for (const row of scores) {
    let [estimate, mean, square, least] = [0, 0, 0, 0];
    row.forEach((score, j) => {
      const chance = (likely[j] as number) / reports;
      estimate += (score * (counts[j] as number)) / reports;
      mean += score * chance;
      square += score * score * chance;
      least = Math.min(least, score);
    });
    if (estimate >= 0) continue;
    const room = square - mean * mean - ((mean - least) * estimate) / 3;
    most = Math.max(most, (reports * estimate * estimate) / (2 * perDevice * room));
  }
  return Math.min(1, scores.length * Math.exp(-most));
}

/**
 * Tests the fit of the outputs of a law with these rows. There is nothing to test with too few reports, when every tally fits, or when
 * inputs can't be distinguished.
 */
export function matrixFit(rows: Rows, tallies: Tallies, perDevice: number): Fit {
  const tally = tallies.get(0);
  if (tally === undefined) return {};
  const expected = likelyOutputs(rows, tally.cells, tally.reports).map((share) => share * tally.reports);
  const classes = pooled(expected, perDevice);
  const [counts, likely] = [sumsOf(Array.from(tally.cells), classes), sumsOf(expected, classes)];
  const basis = basisOf(
    rows.map((row) => sumsOf(row, classes)),
    likely,
  );
  const { statistic, degrees } = residual(counts, basis);
  const scores = leftInverse(basis);
  return {
    fit: degrees === 0 ? undefined : tailOf({ statistic: statistic / perDevice, degrees }),
    answers: scores && inputsPValue(scores, counts, likely, perDevice),
  };
}
