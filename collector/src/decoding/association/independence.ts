/**
 * Tests whether the answer is independent of the string: whether the table of pairs is T_sl = f_s g_l.
 *
 * Most candidates of a list are absent, and their rows are noise. So rows are parted by what says nothing about the hypothesis. With C_s
 * the covariance of a row, the best estimate of f_s under it, f_s~ = gᵀ C_s⁻¹ T_s / (gᵀ C_s⁻¹ g), is not correlated with the row's residual
 * T_s - f_s~ g; under the normal law they are independent, so choosing rows by f_s~ does not change the law of residuals.
 *
 * - The rows with f_s~ above `CLEAR` standard errors are tested together: min over f and g of (T - f gᵀ)ᵀ C⁻¹ (T - f gᵀ), with C their
 *   joint covariance, is chi-squared with (S - 1)(L - 1) degrees of freedom (minimum chi-squared: Ferguson 1958; Neyman 1949). Alternating
 *   least squares finds it: each step is in closed form and lowers the sum; steps go on until it no longer changes.
 * - In each other row the residual alone, with g from the first group, is chi-squared with L - 1 degrees of freedom. A string whose people
 *   all give an answer that is rare elsewhere has a small f_s~, and is noticed here. The least p-value of R rows has the law of the least of
 *   R uniform numbers (Šidák 1967).
 *
 * The two are independent, and the test's p-value is that of the lesser one: 1 - (1 - min)².
 */

import { CholeskyDecomposition, Matrix } from 'ml-matrix';
import { chiSquaredTail } from '../../estimation/statistics/tails.ts';
import type { StringShares } from './screen.ts';

const CLEAR = 4;
const STEPS = 500;
/** A step that lowers the sum by less changes no p-value's third digit. */
const SETTLED = 1e-6;

/** Result of the test. */
export interface Independence {
  readonly pValue: number;
  /** The strings that are clearly there, by index. */
  readonly clear: readonly number[];
}

const inverseOf = (covariance: Matrix): Matrix => new CholeskyDecomposition(covariance).solve(Matrix.eye(covariance.rows));

const bilinear = (matrix: Matrix, one: ArrayLike<number>, other: ArrayLike<number>): number => {
  let sum = 0;
  for (let c = 0; c < one.length; c++)
    for (let d = 0; d < other.length; d++) sum += (one[c] as number) * matrix.get(c, d) * (other[d] as number);
  return sum;
};

/** f~ in standard errors, and the residual's chi-squared. */
function rowBy({ shares, covariance }: StringShares, profile: ArrayLike<number>): { readonly score: number; readonly residual: number } {
  const weight = inverseOf(covariance);
  const [across, own] = [bilinear(weight, profile, shares), bilinear(weight, profile, profile)];
  return { score: across / Math.sqrt(own), residual: Math.max(0, bilinear(weight, shares, shares) - across ** 2 / own) };
}

const normalized = (numbers: readonly number[]): number[] => {
  const kept = numbers.map((x) => Math.max(0, x));
  const total = kept.reduce((sum, x) => sum + x, 0);
  return kept.map((x) => x / total);
};

/** The least (T - f gᵀ)ᵀ W (T - f gᵀ) over f and g, starting from a g; and that g. */
function nearestProduct(
  shares: readonly number[],
  weight: Matrix,
  start: readonly number[],
): { readonly distance: number; readonly profile: readonly number[] } {
  const width = start.length;
  const rows = shares.length / width;
  const weighed = weight.mmul(Matrix.columnVector([...shares])).to1DArray();
  /** Fits one factor by least squares, given the other: `cell` is the place of the entry at (own, given). */
  const factor = (size: number, given: readonly number[], cell: (own: number, other: number) => number): readonly number[] => {
    const [gram, right] = [new Matrix(size, size), new Array<number>(size).fill(0)];
    for (let a = 0; a < size; a++) {
      given.forEach((x, i) => {
        right[a] = (right[a] as number) + x * (weighed[cell(a, i)] as number);
      });
      for (let b = 0; b <= a; b++) {
        let sum = 0;
        for (let i = 0; i < given.length; i++)
          for (let j = 0; j < given.length; j++) sum += (given[i] as number) * (given[j] as number) * weight.get(cell(a, i), cell(b, j));
        gram.set(a, b, sum).set(b, a, sum);
      }
    }
    return new CholeskyDecomposition(gram).solve(Matrix.columnVector(right)).to1DArray();
  };
  let [profile, distance] = [start, Number.POSITIVE_INFINITY];
  for (let step = 0; step < STEPS; step++) {
    const strings = factor(rows, profile, (s, l) => s * width + l);
    const found = factor(width, strings, (l, s) => s * width + l);
    const total = found.reduce((sum, x) => sum + x, 0);
    const gap = shares.map((share, i) => share - (strings[Math.floor(i / width)] as number) * (found[i % width] as number));
    const now = bilinear(weight, gap, gap);
    profile = found.map((x) => x / total);
    if (distance - now < SETTLED) return { distance: Math.min(distance, now), profile };
    distance = now;
  }
  return { distance, profile };
}

/**
 * The test; undefined where no string is clearly there.
 *
 * @param joint the strings of the joint fit, and the covariance of their pairs, about the population
 */
export function independenceOf(
  all: readonly StringShares[],
  joint: { readonly strings: readonly number[]; readonly covariance: Matrix },
): Independence | undefined {
  const width = all[0]?.shares.length ?? 0;
  const sums = (strings: readonly number[]): number[] =>
    Array.from({ length: width }, (_, l) => strings.reduce((sum, s) => sum + ((all[s] as StringShares).shares[l] as number), 0));
  const large = joint.strings.filter((s) => {
    const { shares, covariance } = all[s] as StringShares;
    return shares.reduce((sum, x) => sum + x, 0) > CLEAR * Math.sqrt(covariance.sum());
  });
  if (large.length === 0) return undefined;
  const start = normalized(sums(large));
  const clear = joint.strings.filter((s) => rowBy(all[s] as StringShares, start).score > CLEAR);
  if (clear.length === 0) return undefined;
  const places = clear.flatMap((s) => start.map((_, l) => joint.strings.indexOf(s) * width + l));
  const weight = inverseOf(joint.covariance.selection(places, places));
  const found = nearestProduct(
    clear.flatMap((s) => [...(all[s] as StringShares).shares]),
    weight,
    start,
  );
  const tested: number[] = [];
  if (clear.length > 1) tested.push(chiSquaredTail(found.distance, (clear.length - 1) * (width - 1)));
  const others = all.filter((_, s) => !clear.includes(s));
  if (others.length > 0) {
    const least = Math.min(...others.map((row) => chiSquaredTail(rowBy(row, found.profile).residual, width - 1)));
    tested.push(sidak(least, others.length));
  }
  return { pValue: tested.length === 0 ? 1 : sidak(Math.min(...tested), tested.length), clear };
}

/** 1 - (1 - p)^n, without loss of digits. */
const sidak = (least: number, tests: number): number => -Math.expm1(tests * Math.log1p(-Math.min(1, least)));
