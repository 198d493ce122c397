/** The cells of a measurement: the combinations of the values of some columns that are asked for, and the reports in each. */

import { dayText } from '@murmuration/shared';
import { type Column, DAY } from '../table/columns.ts';
import type { ReportCount } from '../table/participation.ts';
import type { Cell } from './measured.ts';
import type { Resolved } from './resolve.ts';

/** The day of a row, as the column of days has it. */
export const dayOf: Column['of'] = ({ day }) => dayText(day);

/** The reports of each value, in their order. */
export function countsOf(
  rows: readonly ReportCount[],
  values: readonly string[],
  of: Column['of'],
  weigh: (row: ReportCount) => number = () => 1,
): number[] {
  const sums = new Map(values.map((value) => [value, 0]));
  for (const row of rows) {
    const value = of(row);
    const sum = sums.get(value);
    if (sum !== undefined) sums.set(value, sum + row.reports * weigh(row));
  }
  return [...sums.values()];
}

/** Cells in a fixed order: the last column's values change first. */
export interface Grouping {
  readonly columns: readonly { readonly name: string; readonly values: readonly string[] }[];
  readonly size: number;
  /** The reports in each cell, or the sum of their weights. */
  readonly countsOf: (rows: readonly ReportCount[], weigh?: (row: ReportCount) => number) => readonly number[];
  /** Each cell with its number. */
  readonly cellsOf: (numbers: readonly number[]) => readonly Cell[];
}

/** The cells of some columns, which may include the days. Without columns there is one cell. */
export function groupingOf({ table, where, from, to }: Resolved, names: readonly string[]): Grouping {
  const days = (): readonly string[] => Array.from({ length: to - from + 1 }, (_, i) => dayText(from + i));
  const columns = names.map((name) => ({ name, values: name === DAY ? days() : (where.get(name) ?? []) }));
  const readers = names.map((name) => (name === DAY ? dayOf : (table.columns.get(name) as Column).of));
  const keys = columns.reduce<readonly (readonly string[])[]>(
    (all, { values }) => all.flatMap((start) => values.map((value) => [...start, value])),
    [[]],
  );
  const textOf = (values: readonly string[]): string => JSON.stringify(values);
  const texts = keys.map(textOf);
  return {
    columns,
    size: keys.length,
    countsOf: (rows, weigh) => countsOf(rows, texts, (row) => textOf(readers.map((read) => read(row))), weigh),
    cellsOf: (numbers) =>
      keys.map((values, i) => ({
        values: Object.fromEntries(names.map((name, at) => [name, values[at] as string])),
        value: numbers[i] as number,
      })),
  };
}
