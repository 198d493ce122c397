/**
 * The marginals of a table up to two columns, as counting queries: for each column and each pair of columns, how many records have each
 * combination of values. A synthetic table is made to answer them (marginal-table.ts). Here is also how far noise for each cell would be
 * off on them, which a synthetic table must beat.
 *
 * Law: a query of s cells with geometric noise errs by a sum of s independent Z with the moment generating function
 *   M(t) = (1-a)² / ((1 - a e^t)(1 - a e^-t)),  a = e^(-ε/Δ),  |t| < ε/Δ
 * so it errs by more than λ with a probability of at most 2 e^(-tλ) M(t)^s for every t (Chernoff's bound). For k queries of at most s cells
 * with β in all, λ is the least of (ln(2k/β) + s ln M(t)) / t.
 */

import type { Ratio } from '@murmuration/shared';
import type { CountingQuery } from './queries.ts';
import { assertBeta, assertWhole, toDouble } from './spending.ts';

/** The queries of a table with so many values in each column. Cells are numbered as in synthetic.ts: the last column changes first. */
export function marginalsOf(sizes: readonly number[]): readonly CountingQuery[] {
  for (const size of sizes) assertWhole(size, 'marginals: the values of a column');
  const cells = sizes.reduce((product, size) => product * size, 1);
  const strides = sizes.map((_, column) => sizes.slice(column + 1).reduce((product, size) => product * size, 1));
  const valueIn = (cell: number, column: number): number => Math.floor(cell / (strides[column] as number)) % (sizes[column] as number);
  const pairs = sizes.flatMap((_, first) => sizes.slice(first).map((_, more) => [first, first + more] as const));
  return pairs.flatMap(([first, second]) => {
    const width = first === second ? 1 : (sizes[second] as number);
    const queries = Array.from({ length: (sizes[first] as number) * width }, (): number[] => []);
    for (let cell = 0; cell < cells; cell++)
      queries[valueIn(cell, first) * width + (first === second ? 0 : valueIn(cell, second))]?.push(cell);
    return queries;
  });
}

/** Points at which Chernoff's bound is tried: any of them is valid, and the least is near the best. */
const POINTS = 400;

/** How far queries are off at most, with a probability of 1 - β, if they are answered from cells with geometric noise of ε. */
export function cellNoiseError(epsilon: Ratio, sensitivity: number, queries: readonly CountingQuery[], beta: number): number {
  return cellNoiseBound(epsilon, sensitivity, { queries: queries.length, widest: Math.max(...queries.map((query) => query.length)) }, beta);
}

/** The same for so many queries of at most so many cells. */
export function cellNoiseBound(
  epsilon: Ratio,
  sensitivity: number,
  { queries, widest }: { readonly queries: number; readonly widest: number },
  beta: number,
): number {
  assertBeta(beta);
  const rate = toDouble(epsilon) / sensitivity;
  const tail = Math.log((2 * queries) / beta);
  // ln of 1 - e^-x without cancellation, for small rates.
  const logGap = (x: number): number => Math.log(-Math.expm1(-x));
  let least = Number.POSITIVE_INFINITY;
  for (let point = 1; point < POINTS; point++) {
    const t = (rate * point) / POINTS;
    const logMoment = 2 * logGap(rate) - logGap(rate - t) - logGap(rate + t);
    least = Math.min(least, (tail + widest * logMoment) / t);
  }
  return least;
}
