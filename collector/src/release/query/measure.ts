/**
 * Measurements: each with the mechanism that answers it, the error to expect, and the answer itself. The error follows from the law alone, so
 * it can be told before anything is spent, and reveals nothing.
 */

import { dayText, type Ratio, ratio } from '@murmuration/shared';
import { parseAmount } from '../budget/amount.ts';
import { cells } from '../mechanisms/cells.ts';
import { geometric } from '../mechanisms/geometric.ts';
import type { NoiseMechanism, ReleaseMechanism } from '../mechanisms/index.ts';
import { permuteAndFlip } from '../mechanisms/permute-and-flip.ts';
import { quantile } from '../mechanisms/quantile.ts';
import type { Random } from '../mechanisms/random.ts';
import { type Column, DAY, declared } from '../table/columns.ts';
import type { ReportCount } from '../table/participation.ts';
import { allMeasures } from './compose.ts';
import type { Count, Measure, Median, MostUsed, Sum } from './question.ts';
import type { Resolved } from './resolve.ts';

/** The confidence of stated bounds. */
const BETA = 0.05;

/** The error of a measurement, known before it is made. */
export interface ExpectedError {
  readonly mechanism: string;
  /** The most reports of one device-day in the table, or what they can change the number by. */
  readonly sensitivity: number;
  /** Of each number. A choice has none. */
  readonly standardDeviation?: number;
  /**
   * With a probability of 95 %: the most by which a number is off; the most reports that the value chosen has fewer than the best; or the
   * most reports by which the median's rank is off.
   */
  readonly within: number;
  /** With a probability of 95 %, the most by which any of the numbers is off, where there are several. */
  readonly allWithin?: number;
}

/** A number of a cell, with the values that the cell stands for. */
interface Cell {
  readonly values: { readonly [column: string]: string };
  readonly value: number;
}

/** The answer to a measurement: numbers, or the value that was chosen. */
export interface Measured {
  /** The value of the partition's column. */
  readonly part?: string;
  readonly measure: Measure;
  readonly error: ExpectedError;
  readonly cells?: readonly Cell[];
  readonly chosen?: string;
}

/** A measurement with its mechanism. It holds no rows. */
export interface Prepared {
  readonly part?: string;
  readonly measure: Measure;
  readonly error: ExpectedError;
  readonly answer: (rows: readonly ReportCount[], random: Random) => Pick<Measured, 'cells' | 'chosen'>;
}

const dayOf: Column['of'] = ({ day }) => dayText(day);

/** The reports of each value, in their order. */
function countsOf(
  rows: readonly ReportCount[],
  values: readonly string[],
  of: Column['of'],
  weigh: (row: ReportCount) => number,
): number[] {
  const sums = new Map(values.map((value) => [value, 0]));
  for (const row of rows) {
    const value = of(row);
    const sum = sums.get(value);
    if (sum !== undefined) sums.set(value, sum + row.reports * weigh(row));
  }
  return [...sums.values()];
}

const product = (lists: readonly (readonly string[])[]): readonly (readonly string[])[] =>
  lists.reduce<readonly (readonly string[])[]>((all, list) => all.flatMap((start) => list.map((value) => [...start, value])), [[]]);

/** Counts and sums: noise on each cell. Rows lie in one cell each, so the cells together change by what one number would. */
function numbers({ table, where, from, to, bound }: Resolved, measure: Count | Sum, epsilon: Ratio): Omit<Prepared, 'measure'> {
  const column = measure.kind === 'sum' ? table.columns.get(measure.column) : undefined;
  const { low, high } = measure.kind === 'sum' ? measure : { low: 1, high: 1 };
  const weigh = (row: ReportCount): number => {
    const value = column?.of(row);
    if (value === undefined) return 1;
    return declared([value]).length === 0 ? 0 : Math.min(high, Math.max(low, Number(value)));
  };
  const groupBy = measure.groupBy ?? [];
  const days = Array.from({ length: to - from + 1 }, (_, i) => dayText(from + i));
  const keys = product(groupBy.map((name) => (name === DAY ? days : (where.get(name) ?? []))));
  const readers = groupBy.map((name) => (name === DAY ? dayOf : (table.columns.get(name) as Column).of));
  const noise: NoiseMechanism = geometric({ epsilon, sensitivity: bound * Math.max(Math.abs(low), Math.abs(high)) });
  const several = cells(noise, keys.length);
  const error = {
    mechanism: noise.name,
    sensitivity: noise.sensitivity,
    standardDeviation: Math.sqrt(noise.variance),
    within: noise.accuracy(BETA),
    ...(keys.length > 1 && { allWithin: several.accuracy(BETA) }),
  };
  const textOf = (values: readonly string[]): string => JSON.stringify(values);
  return {
    error,
    answer: (rows, random) => {
      const exact = countsOf(rows, keys.map(textOf), (row) => textOf(readers.map((read) => read(row))), weigh);
      const released = several.release(exact, random);
      const cellOf = (values: readonly string[], i: number): Cell => ({
        values: Object.fromEntries(groupBy.map((name, at) => [name, values[at] as string])),
        value: released[i] as number,
      });
      return { cells: keys.map(cellOf) };
    },
  };
}

/** The value that most reports have, or that half of them lie below: one of the values that are asked for. */
function choice({ table, where, bound }: Resolved, measure: Median | MostUsed, epsilon: Ratio): Omit<Prepared, 'measure'> {
  const column = table.columns.get(measure.column) as Column;
  const listed = where.get(measure.column) ?? [];
  const isMedian = measure.kind === 'median';
  const values = isMedian ? [...declared(listed)].sort((a, b) => Number(a) - Number(b)) : listed;
  // A device-day only adds to counts, so no count rises while another falls.
  const mechanism: ReleaseMechanism<readonly number[], number> = isMedian
    ? quantile({ epsilon, cells: values.length, quantile: ratio(1n, 2n), sensitivity: bound })
    : permuteAndFlip({ epsilon, sensitivity: bound, candidates: values.length, monotone: true });
  return {
    error: { mechanism: mechanism.name, sensitivity: mechanism.sensitivity, within: mechanism.accuracy(BETA) },
    answer: (rows, random) => {
      const counts = countsOf(rows, values, column.of, () => 1);
      return { chosen: values[mechanism.release(counts, random)] as string };
    },
  };
}

/** The measurements of a question with their mechanisms. @throws {RangeError} when a mechanism does not take its parameters */
export function prepare(resolved: Resolved): readonly Prepared[] {
  return allMeasures(resolved.question).map(({ part, measure }) => {
    const epsilon = parseAmount(measure.epsilon, 'epsilon');
    const made = 'column' in measure && measure.kind !== 'sum' ? choice(resolved, measure, epsilon) : numbers(resolved, measure, epsilon);
    return { ...made, measure, ...(part !== undefined && { part }) };
  });
}

/** The rows that are meant. */
function rowsOf({ table, where, from, to }: Resolved, rows: readonly ReportCount[]): readonly ReportCount[] {
  const allowed = [...where].map(([name, values]) => ({ of: (table.columns.get(name) as Column).of, values: new Set(values) }));
  return rows.filter((row) => from <= row.day && row.day <= to && allowed.every(({ of, values }) => values.has(of(row))));
}

/** Makes the measurements. Each draws its noise once. */
export function measureAll(
  resolved: Resolved,
  prepared: readonly Prepared[],
  rows: readonly ReportCount[],
  random: Random,
): readonly Measured[] {
  const meant = rowsOf(resolved, rows);
  const by = resolved.question.partition?.by;
  const read = by === undefined || by === DAY ? dayOf : (resolved.table.columns.get(by) as Column).of;
  return prepared.map(({ part, measure, error, answer }) => ({
    ...(part !== undefined && { part }),
    measure,
    error,
    ...answer(part === undefined ? meant : meant.filter((row) => read(row) === part), random),
  }));
}
