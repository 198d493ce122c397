/**
 * Counting queries over the cells of a table, for the mechanisms that answer many of them: each query is a set of cells, its answer the
 * number of records in them. A table is a histogram of cells.
 */

import { assertWhole } from './spending.ts';

/** A query: the cells that it counts, ascending. */
export type CountingQuery = readonly number[];

/** A query that was answered with noise. */
export interface Measurement {
  readonly query: CountingQuery;
  readonly value: number;
}

/** The answer of a query. Weights need not be whole numbers. */
export function answerOf(query: CountingQuery, weights: ArrayLike<number>): number {
  let sum = 0;
  for (const cell of query) sum += weights[cell] as number;
  return sum;
}

/** Throws a RangeError unless the query names different cells, ascending. */
export function assertQuery(query: CountingQuery, size: number): void {
  assertWhole(query.length, 'query: the number of cells', 1, size);
  query.forEach((cell, i) => {
    assertWhole(cell, `query: cell ${i} (cells ascend)`, i === 0 ? 0 : (query[i - 1] as number) + 1, size - 1);
  });
}

/** Throws a RangeError unless the table has so many cells of whole numbers from 0. */
export function assertTable(counts: readonly number[], size: number): void {
  assertWhole(counts.length, 'table: the number of cells', size, size);
  for (const count of counts) assertWhole(count, 'table: a count', 0, 2 ** 40);
}
