/**
 * Counting queries over the cells of a table, for the mechanisms that answer many of them: each query is a set of cells, its answer the
 * number of records in them. A table is a histogram of cells. With the queries that ask for all marginals, the databases that are small
 * enough to be enumerated, and tables as CSV.
 */

import type { Ratio } from '@murmuration/shared';
import { field, type WriteField } from '../../base/csv.ts';
import { assertBeta, assertWhole, toDouble } from './mechanism.ts';

/** A query: the cells that it counts, ascending. */
export type CountingQuery = readonly number[];

/** A query that was answered with noise. */
export interface Measurement {
  readonly query: CountingQuery;
  readonly value: number;
}

/** The answer of a query. Weights need not be whole numbers. */
export function queryAnswerOf(query: CountingQuery, weights: ArrayLike<number>): number {
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

/*
 * The marginals of a table up to two columns, as counting queries: for each column and each pair of columns, how many records have each
 * combination of values. A synthetic table is made to answer them (marginal-table.ts). Here is also how far noise for each cell would be
 * off on them, which a synthetic table must beat.
 *
 * Law: a query of s cells with geometric noise errs by a sum of s independent Z with the moment generating function
 *   M(t) = (1-a)² / ((1 - a e^t)(1 - a e^-t)),  a = e^(-ε/Δ),  |t| < ε/Δ
 * so it errs by more than λ with a probability of at most 2 e^(-tλ) M(t)^s for every t (Chernoff's bound). For k queries of at most s cells
 * with β in all, λ is the least of (ln(2k/β) + s ln M(t)) / t.
 */

/** The queries of a table with so many values in each column. Cells are numbered as in a synthetic table: the last column changes first. */
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

/*
 * All databases of m records over a few cells, up to the order of records. Among them is one that answers k counting queries nearly as the
 * true database does. A sample of m records errs by more than γ N on some query with a probability of at most 2k e^(-2mγ²) (Hoeffding), so
 * for
 *   γ > √(ln(2k) / (2m))
 * some database of m records errs by at most γ N on all of them (Blum, Ligett, Roth 2008, §3, with Hoeffding's bound). Mechanisms that
 * enumerate databases use this. There are C(cells + m - 1, m) of them, and above 10^6 they are refused.
 */

/** The most databases that are enumerated. */
export const MOST_DATABASES = 1_000_000;

/** The number of databases of so many records; a value above the limit may be rounded. */
export function databasesOf(cells: number, records: number): number {
  let ways = 1;
  for (let i = 1; i <= records; i++) ways = (ways * (cells - 1 + i)) / i;
  return ways;
}

/** Throws a RangeError above the limit, and says what can be used instead. */
export function assertEnumerable(cells: number, records: number, instead: string): void {
  assertWhole(cells, 'small databases: the number of cells');
  assertWhole(records, 'small databases: their records');
  const ways = databasesOf(cells, records);
  if (ways > MOST_DATABASES) {
    throw new RangeError(
      `small databases: expected at most ${MOST_DATABASES} of them, got ${ways < 1e15 ? ways : 'more than 10^15'} with ${cells} cells ` +
        `and ${records} records; use ${instead} instead`,
    );
  }
}

/** Every database as its counts of cells, one after another. */
export function enumerateDatabases(cells: number, records: number): Uint8Array {
  assertWhole(records, 'small databases: their records', 1, 255);
  const all = new Uint8Array(databasesOf(cells, records) * cells);
  const current = new Uint8Array(cells);
  let at = 0;
  const fill = (cell: number, left: number): void => {
    if (cell === cells - 1) {
      current[cell] = left;
      all.set(current, at);
      at += cells;
      return;
    }
    for (let count = 0; count <= left; count++) {
      current[cell] = count;
      fill(cell + 1, left - count);
    }
  };
  fill(0, records);
  return all;
}

/** γ of the sampling bound for k queries. */
export const samplingError = (records: number, queries: number): number => Math.sqrt(Math.log(2 * queries) / (2 * records));

/** The columns of a table. Cells are all combinations of their values; the last column's values change first. */
export type Columns = readonly { readonly name: string; readonly values: readonly string[] }[];

/** How many cells a table has. */
export const cellsOf = (columns: Columns): number => columns.reduce((cells, { values }) => cells * values.length, 1);

/** The values of a cell. */
export function valuesOf(columns: Columns, cell: number): readonly string[] {
  const values: string[] = [];
  let rest = cell;
  for (const column of columns.toReversed()) {
    values.unshift(column.values[rest % column.values.length] as string);
    rest = Math.floor(rest / column.values.length);
  }
  return values;
}

/** Weights are published with six decimals: a table may have far more cells than records. */
export const roundedWeight = (weight: number): number => Number(weight.toFixed(6));

/** A synthetic table as CSV: a row for each cell, with its columns' values and its weight, below a header (RFC 4180). */
export function syntheticCsv(columns: Columns, weights: readonly number[], write: WriteField = field): string {
  if (weights.length !== cellsOf(columns)) throw new RangeError(`synthetic: expected ${cellsOf(columns)} weights, got ${weights.length}`);
  const rows = weights.map((weight, cell) => [...valuesOf(columns, cell), `${roundedWeight(weight)}`]);
  return [[...columns.map(({ name }) => name), 'weight'], ...rows].map((row) => `${row.map(write).join(',')}\r\n`).join('');
}
