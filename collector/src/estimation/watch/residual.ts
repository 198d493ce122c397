/**
 * The residual of counts after the best fit of the inputs' shares, by weighted least squares: the projection on the column space and its
 * rank, by Gram-Schmidt. Each vector is orthogonalized twice, which makes it orthogonal to the last digits (Giraud, Langou, Rozložník
 * 2005). A vector that then vanishes depends on those before it.
 */

import type { Squares } from './fit.ts';

/** Largest rounding error of a dependent vector. */
const NOTHING = 1e-9;

const dot = (a: Float64Array, b: Float64Array): number => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
};

/** Unit vectors that span the columns, with the coefficients R of each column in the vectors before it and its own. */
export interface Basis {
  readonly variances: readonly number[];
  readonly units: readonly Float64Array[];
  /** A row for each column; undefined for a column that depends on those before it. */
  readonly coefficients: readonly (Float64Array | undefined)[];
}

const scaled = (values: ArrayLike<number>, variances: readonly number[]): Float64Array =>
  Float64Array.from(values, (value, i) => value / Math.sqrt(variances[i] as number));

/** Removes from a vector its components along unit vectors, and returns the coefficients. */
function clear(vector: Float64Array, units: readonly Float64Array[]): Float64Array {
  const along = new Float64Array(units.length);
  for (const _ of [1, 2])
    units.forEach((unit, k) => {
      const part = dot(vector, unit);
      along[k] = (along[k] as number) + part;
      for (let i = 0; i < vector.length; i++) vector[i] = (vector[i] as number) - part * (unit[i] as number);
    });
  return along;
}

/** The basis of columns, weighted by the variances of counts. */
export function basisOf(columns: readonly (readonly number[])[], variances: readonly number[]): Basis {
  const units: Float64Array[] = [];
  const coefficients = columns.map((column) => {
    const vector = scaled(column, variances);
    const before = Math.sqrt(dot(vector, vector));
    const along = clear(vector, units);
    const left = Math.sqrt(dot(vector, vector));
    if (!(left > NOTHING * before)) return undefined;
    units.push(vector.map((x) => x / left));
    return Float64Array.of(...along, left);
  });
  return { variances, units, coefficients };
}

/**
 * The weighted squares of the part of the counts that no combination of columns explains, with one degree of freedom for each remaining
 * dimension.
 */
export function residual(counts: ArrayLike<number>, { units, variances }: Basis): Squares {
  const vector = scaled(counts, variances);
  clear(vector, units);
  return { statistic: dot(vector, vector), degrees: counts.length - units.length };
}

/**
 * The left inverse of least variance: for each column the scores A with Σ_j A_xj column_yj = [x = y], R⁻¹ Qᵀ of the scaled columns;
 * undefined where one depends on the others.
 */
export function leftInverse({ units, coefficients, variances }: Basis): readonly Float64Array[] | undefined {
  const last = coefficients.length - 1;
  const scores: Float64Array[] = [];
  for (let x = last; x >= 0; x--) {
    const row = Float64Array.from(units[x] ?? []);
    for (let later = x + 1; later <= last; later++) {
      const along = coefficients[later]?.[x] ?? 0;
      const other = scores[last - later] as Float64Array;
      for (let j = 0; j < row.length; j++) row[j] = (row[j] as number) - along * (other[j] as number);
    }
    const own = coefficients[x]?.[x];
    if (own === undefined || units.length <= last) return undefined;
    scores.push(row.map((score) => score / own));
  }
  return scores.reverse().map((row) => row.map((score, j) => score / Math.sqrt(variances[j] as number)));
}
