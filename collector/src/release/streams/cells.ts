/** The cells of a stream: combinations of the values of its columns. A question is a set of them, given by conditions on the columns. */

import type { CountingQuery } from '../mechanisms/queries.ts';
import { type Columns, cellsOf } from '../mechanisms/synthetic.ts';
import { dayOf } from '../query/grouping.ts';
import type { Resolved } from '../query/resolve.ts';
import { type Column, DAY } from '../table/columns.ts';
import type { ReportCount } from '../table/participation.ts';
import type { Conditions } from './request.ts';

/** Counts of cells that are not 0. */
export type SparseCounts = readonly (readonly [cell: number, count: number])[];

/** The reports in each cell, of those that a stream is about. */
export function countsOf({ table, where, from, to }: Resolved, columns: Columns, rows: readonly ReportCount[]): SparseCounts {
  const readerOf = (name: string): Column['of'] => (name === DAY ? dayOf : (table.columns.get(name) as Column).of);
  const allowed = [...where].map(([name, values]) => ({ of: readerOf(name), values: new Set(values) }));
  const parts = columns.map(({ name, values }) => ({ of: readerOf(name), places: new Map(values.map((value, place) => [value, place])) }));
  const counts = new Map<number, number>();
  for (const row of rows) {
    if (row.day < from || row.day > to || !allowed.every(({ of, values }) => values.has(of(row)))) continue;
    const cell = parts.reduce((before, { of, places }) => before * places.size + (places.get(of(row)) as number), 0);
    counts.set(cell, (counts.get(cell) ?? 0) + row.reports);
  }
  return [...counts].sort(([a], [b]) => a - b);
}

/** All cells. */
export function denseCounts(columns: Columns, counts: SparseCounts): readonly number[] {
  const dense = new Array<number>(cellsOf(columns)).fill(0);
  for (const [cell, count] of counts) dense[cell] = count;
  return dense;
}

/** A question of a stream. */
export interface StreamQuestion {
  /** With every column's values listed and sorted as the column has them, so that questions that mean the same are the same. */
  readonly where: Conditions;
  readonly cells: CountingQuery;
}

/** Checks the conditions of a question. @throws {RangeError} when a column or a value is not the stream's, or nothing would be left */
export function questionOf(columns: Columns, asked: Conditions): StreamQuestion {
  const unknown = Object.keys(asked).find((name) => !columns.some((column) => column.name === name));
  if (unknown !== undefined)
    throw new RangeError(
      `where.${unknown.slice(0, 80)}: expected one of the stream's columns ${columns.map(({ name }) => name).join(', ')}, got ${JSON.stringify(unknown.slice(0, 80))}`,
    );
  const chosen = columns.map(({ name, values }) => {
    const wanted = Object.hasOwn(asked, name) ? (asked[name] ?? []) : values;
    const other = wanted.find((value) => !values.includes(value));
    if (other !== undefined || wanted.length === 0)
      throw new RangeError(
        `where.${name}: expected some of ${values.join(', ').slice(0, 300)}, got ${other === undefined ? 'none' : JSON.stringify(other.slice(0, 80))}`,
      );
    const set = new Set(wanted);
    return { name, size: values.length, places: values.flatMap((value, place) => (set.has(value) ? [place] : [])), values };
  });
  return {
    where: Object.fromEntries(chosen.map(({ name, places, values }) => [name, places.map((place) => values[place] as string)])),
    cells: chosen.reduce<number[]>((cells, { size, places }) => cells.flatMap((cell) => places.map((place) => cell * size + place)), [0]),
  };
}
