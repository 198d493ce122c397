/** The cells of a stream: combinations of the values of its columns. A question is a set of them, given by conditions on the columns. */

import { dayOf } from '../measures/measure.ts';
import type { CountingQuery } from '../mechanisms/queries.ts';
import { type Columns, cellsOf } from '../mechanisms/synthetic.ts';
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

/**
 * The conditions of a question as they are stored: only columns that are restricted, in the order of the stream's columns, and their values
 * in the order of the column's. So questions that mean the same are the same.
 *
 * @throws {RangeError} when a column or a value is not the stream's, or nothing would be left
 */
export function conditionsOf(columns: Columns, asked: Conditions): Conditions {
  const unknown = Object.keys(asked).find((name) => !columns.some((column) => column.name === name));
  if (unknown !== undefined)
    throw new RangeError(
      `where.${unknown.slice(0, 80)}: expected one of the stream's columns ${columns.map(({ name }) => name).join(', ')}, got ${JSON.stringify(unknown.slice(0, 80))}`,
    );
  const chosen = columns.flatMap(({ name, values }): readonly (readonly [string, readonly string[]])[] => {
    if (!Object.hasOwn(asked, name)) return [];
    const [wanted, known] = [new Set(asked[name]), new Set(values)];
    const other = [...wanted].find((value) => !known.has(value));
    if (other !== undefined || wanted.size === 0)
      throw new RangeError(
        `where.${name}: expected some of ${values.join(', ').slice(0, 300)}, got ${other === undefined ? 'none' : JSON.stringify(other.slice(0, 80))}`,
      );
    return wanted.size === known.size ? [] : [[name, values.filter((value) => wanted.has(value))]];
  });
  return Object.fromEntries(chosen);
}

/** The cells of a question, whose conditions are checked. */
export function cellsIn(columns: Columns, where: Conditions): CountingQuery {
  const chosen = columns.map(({ name, values }) => {
    const wanted = Object.hasOwn(where, name) ? new Set(where[name]) : undefined;
    return { size: values.length, places: values.flatMap((value, place) => (wanted?.has(value) === false ? [] : [place])) };
  });
  return chosen.reduce<number[]>((cells, { size, places }) => cells.flatMap((cell) => places.map((place) => cell * size + place)), [0]);
}
