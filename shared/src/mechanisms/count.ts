/**
 * Chooser 1 for a count of 0 .. max. It works as for a mean (number.ts), with two differences: up to 256, variances are compared at the
 * counts only, and additional laws, fitted to counts, are tried. Their reports are one byte too. The rule is frozen.
 *
 * Fitted laws: the windows of two neighbouring counts start `gap` cells apart, plus one cell at the range's ends where windows overlap, so
 * that all counts are points. The scores are unbiased, linear in the count x, and have the least variance on average over the counts. With
 * P the probabilities of output j by count, y_j = Σ λ_x P_xj / Σ P_xj, where λ solves
 *   Σ_z λ_z Σ_j P_xj P_zj / Σ_u P_uj = x   for all x.
 * With gaps and windows of one cell this is k-ary response.
 */

import { exp } from '../arithmetic/exponential.ts';
import { bestScored, meanShapes, shapeOf } from './number.ts';
import type { ScoredLaw, Shape } from './scored.ts';

/** The most places at which variances are compared. */
const PLACES = 256;

/** The most cells from the first count to the last. It bounds the cost of solving the equations. */
const CELLS = 72;

/** The widest gap between two counts. */
const GAP = 6;

/** The sum of a function over the indices below n. */
function total(n: number, of: (i: number) => number): number {
  let sum = 0;
  for (let i = 0; i < n; i++) sum += of(i);
  return sum;
}

function fitted(max: number, window: number, gap: number, e: number): Shape {
  const more = Number(window > gap);
  const outputs = max * gap + 2 * more + window;
  const rows = Array.from({ length: max + 1 }, (_, count) => {
    const start = count * gap + (count > 0 ? more : 0) + (count === max ? more : 0);
    return Array.from({ length: outputs }, (_cell, j) => (j >= start && j < start + window ? e : 1));
  });
  const at = (row: readonly number[] | undefined, j: number): number => row?.[j] as number;
  const sums = Array.from({ length: outputs }, (_, j) => total(max + 1, (count) => at(rows[count], j)));
  // Gauss-Jordan elimination on a positive definite matrix.
  let matrix = rows.map((row, x) => [...rows.map((other) => total(outputs, (j) => (at(row, j) * at(other, j)) / at(sums, j))), x]);
  for (let k = 0; k <= max; k++) {
    const pivot = matrix[k] as readonly number[];
    matrix = matrix.map((row, x) => (x === k ? row : row.map((value, z) => value - (at(row, k) / at(pivot, k)) * at(pivot, z))));
  }
  const solved = matrix.map((row, x) => at(row, max + 1) / at(row, x));
  return shapeOf(
    window,
    sums.map((sum, j) => total(max + 1, (count) => at(solved, count) * at(rows[count], j)) / sum),
  );
}

/** The law of a count of 0 .. max at ε. */
export function countLaw(max: number, epsilon: number): ScoredLaw {
  const e = exp(epsilon);
  const shapes: Shape[] = [];
  const isWhole = max > 0 && Number.isInteger(max); // only a production bundle lets other values through
  for (let gap = 1; isWhole && gap <= GAP && max * gap <= CELLS; gap++) {
    for (let window = gap > 1 ? gap + 1 : 1; window <= 2 * gap + 2; window++) shapes.push(fitted(max, window, gap, e));
  }
  return bestScored([...shapes, ...meanShapes(epsilon, e)], epsilon, e, isWhole ? Math.min(max, PLACES) : PLACES);
}
