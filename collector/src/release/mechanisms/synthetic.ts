/** A synthetic table as CSV, as BLR and MWEM release it: a row for each cell, with its columns' values and its weight. */

import { field } from '../../base/csv.ts';

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

/** The table with a header, lines ending as RFC 4180 says. */
export function syntheticCsv(columns: Columns, weights: readonly number[]): string {
  if (weights.length !== cellsOf(columns)) throw new RangeError(`synthetic: expected ${cellsOf(columns)} weights, got ${weights.length}`);
  const rows = weights.map((weight, cell) => [...valuesOf(columns, cell), `${roundedWeight(weight)}`]);
  return [[...columns.map(({ name }) => name), 'weight'], ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join('');
}
