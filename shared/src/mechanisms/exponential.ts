/**
 * The exponential mechanism in the local model: McSherry and Talwar 2007, "Mechanism Design via Differential Privacy", §3. A device holds
 * one of finitely many inputs, and each input gives every outcome a utility. The device reports an outcome with a probability that grows
 * with its utility: P(outcome j | input i) is proportional to e^(η u_ij).
 *
 * Law (T = 2^32): the matrix itself, weights[i][j] = P(j | i) T, in whole numbers. Each row adds up to T. So
 *   e^ε = max over j of (max_i weights[i][j]) / (min_i weights[i][j])
 * With sensitivity Δ = max over j of (max_i u_ij - min_i u_ij), η = ε / (2Δ) is their theorem 6. For a finite table the normalizations are
 * known, so the ε they spend is known too. A bisection therefore finds the largest η whose integers spend at most ε. Apart from rounding it
 * is at least ε / (2Δ), and at most twice that. With K answers and u = 1 for the own answer, η is ε, which is k-ary response.
 *
 * Utility (ibid., lemma 7): among K outcomes, the probability of reporting one whose utility is (ln K + t) / η or more below the best is at
 * most e^-t, since each such outcome weighs at most e^-t / K of the best. The same holds with (2Δ/ε)(ln K + t). The inputs' shares are
 * estimated with the matrix's inverse (collector/src/estimation/mechanisms/exponential.ts) if its rows are linearly independent.
 */

import { exp, expBelow } from '../arithmetic/exponential.ts';
import { ratio } from '../arithmetic/ratio.ts';
import { coded } from './codec.ts';
import { assertHeld, assertWhole, type InputsChannel, MODULUS } from './law.ts';

/** The integers of the exponential mechanism. */
export type ExponentialLaw = {
  readonly mechanism: 'exponential';
  /** P(outcome | input) * 2^32: one row for each input, one column for each outcome. */
  readonly weights: readonly (readonly number[])[];
};

/** The most inputs and the most outcomes. The limit exists because the schema holds the table. */
const MOST = 64;

const column = (rows: readonly (readonly number[])[], j: number): readonly number[] => rows.map((row) => row[j] as number);

/** A row's weights at a scale. Weights are rounded down; the first of the best outcomes gets the remainder. */
function weigh(utilities: readonly number[], scale: number, modulus: number): readonly number[] {
  const [least, best] = [Math.min(...utilities), Math.max(...utilities)];
  const terms = utilities.map((utility) => exp(scale * (utility - least)));
  const total = terms.reduce((sum, term) => sum + term, 0);
  const weights = terms.map((term) => Math.floor(modulus * (term / total)));
  const rest = weights.reduce((left, weight) => left - weight, modulus);
  const first = utilities.indexOf(best);
  return weights.map((weight, j) => (j === first ? weight + rest : weight));
}

/** The largest ratio of two weights in a column; infinite if a weight is not a whole number above 0. */
function largestRatio(weights: readonly (readonly number[])[]): number {
  const ratios = (weights[0] as readonly number[]).map((_, j) => {
    const of = column(weights, j);
    return Math.min(...of) >= 1 ? Math.max(...of) / Math.min(...of) : Number.POSITIVE_INFINITY;
  });
  return Math.max(...ratios);
}

/**
 * The law of a table of utilities with one row for each input.
 *
 * @throws {RangeError} when 32 bits can't hold ε to within 10 %, or no scale spends it: rows that differ by a constant give the same
 * probabilities
 */
export function exponentialLaw(utility: readonly (readonly number[])[], epsilon: number, modulus: number = MODULUS): ExponentialLaw {
  const bound = expBelow(epsilon);
  const weightsAt = (scale: number): readonly (readonly number[])[] => utility.map((row) => weigh(row, scale, modulus));
  const fits = (scale: number): boolean => largestRatio(weightsAt(scale)) <= bound;
  const spread = Math.max(...utility.flat()) - Math.min(...utility.flat());
  let [low, high] = [0, epsilon / spread];
  for (let doubling = 0; doubling < 64 && fits(high); doubling++) [low, high] = [high, 2 * high];
  for (let halving = 0; halving < 50; halving++) {
    const middle = (low + high) / 2;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  const weights = weightsAt(low);
  assertHeld(fits(low) ? largestRatio(weights) : Number.POSITIVE_INFINITY, epsilon, 'these utilities');
  return { mechanism: 'exponential', weights };
}

export const exponential: InputsChannel<ExponentialLaw> = /* @__PURE__ */ coded<ExponentialLaw>({
  name: 'exponential',
  tells: 'inputs',
  meaning: 'Exponential mechanism: a device sends an option, drawn at random, the likelier the better it suits what it knows.',
  inputs: ({ weights }) => weights.length,
  validate: ({ weights }) => {
    assertWhole(Array.isArray(weights) ? weights.length : undefined, 2, MOST, 'exponential: weights');
    const outcomes = Array.isArray(weights[0]) ? weights[0].length : undefined;
    assertWhole(outcomes, 2, MOST, 'exponential: weights[0]');
    weights.forEach((row, i) => {
      assertWhole(Array.isArray(row) ? row.length : undefined, outcomes as number, outcomes as number, `exponential: weights[${i}]`);
      for (const weight of row) assertWhole(weight, 1, MODULUS - 1, `exponential: weights[${i}]`);
      const sum = row.reduce((total, weight) => total + weight, 0);
      assertWhole(sum, MODULUS, MODULUS, `exponential: the sum of weights[${i}]`);
    });
  },
  odds: ({ weights }) => {
    const ratios = (weights[0] as readonly number[]).map((_, j) => {
      const of = column(weights, j);
      return ratio(BigInt(Math.max(...of)), BigInt(Math.min(...of)));
    });
    return { report: ratios.reduce((a, b) => (a.numerator * b.denominator < b.numerator * a.denominator ? b : a)) };
  },
  shape: ({ weights }) => ({ cohorts: 1, cells: (weights[0] as readonly number[]).length, form: 'symbol' }),
});
