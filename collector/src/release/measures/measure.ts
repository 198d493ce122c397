/**
 * The interface of a measurement: everything that a release does with one kind of it. X.ts beside this file implements it for the kind X, and
 * table.ts finds it by name. What several kinds need is here, too: the fields of their forms, and the cells of a grouping.
 */

import { dayText, type Ratio } from '@murmuration/shared';
import { z } from 'zod';
import type { WriteField } from '../../base/csv.ts';
import type { DayRange } from '../../storage/store.ts';
import type { Unit } from '../budget/accounting.ts';
import { amountText, parseAmount } from '../budget/amount.ts';
import { gaussian } from '../mechanisms/gaussian.ts';
import { geometric } from '../mechanisms/geometric.ts';
import type { Spending, WholeNoise } from '../mechanisms/mechanism.ts';
import type { Random } from '../mechanisms/random.ts';
import { type Column, DAY, declared, type Table } from '../table/columns.ts';
import type { ReportCount } from '../table/participation.ts';

/** The confidence of stated bounds is one less this. */
export const BETA = 0.05;

/**
 * Cost of a measurement for each device-day, as text so that it is exact: `0.1` or `1/3`. It is one of them: pure ε, for geometric noise, or ρ
 * of zero-concentrated differential privacy, for the smaller Gaussian noise.
 */
export interface Paid {
  readonly epsilon?: string;
  readonly rho?: string;
}

/** A measurement in a question, as JSON. */
export interface Asked extends Paid {
  readonly kind: string;
}

/** Exact cost of a measurement. */
export interface Spent {
  readonly unit: Unit;
  readonly amount: Ratio;
}

/** The cost of a measurement, in the unit that it names. @throws {RangeError} unless it names one, and an amount of it */
export function spentOf({ epsilon, rho }: Paid, field = 'a measurement'): Spent {
  if ((epsilon === undefined) === (rho === undefined))
    throw new RangeError(`${field}: expected epsilon or rho, got ${epsilon === undefined ? 'neither' : 'both'}`);
  return epsilon === undefined
    ? { unit: 'rho', amount: parseAmount(rho ?? '', `${field}.rho`) }
    : { unit: 'epsilon', amount: parseAmount(epsilon, `${field}.epsilon`) };
}

/** The cost in canonical text. */
export const paidText = ({ unit, amount }: Spent): Paid => ({ [unit]: amountText(amount) });

/** Noise for whole numbers that one device-day changes by up to a sensitivity together. */
export const noiseFor = ({ unit, amount }: Spent, sensitivity: number): WholeNoise =>
  unit === 'epsilon'
    ? geometric({ epsilon: amount, sensitivity })
    : gaussian({ rho: amount, squaredSensitivity: BigInt(sensitivity) ** 2n });

/** The values of each column that are meant. */
export type Where = ReadonlyMap<string, readonly string[]>;

/** The rows that a measurement is about, before any is read. */
export interface Rows extends DayRange {
  readonly table: Table;
  readonly where: Where;
  /** The most reports of one device-day among them. */
  readonly bound: number;
}

/** The error of a measurement, known before it is made. It follows from the law alone, so it reveals nothing. */
export interface ExpectedError {
  readonly mechanism: string;
  /** The most reports of one device-day in the table, or what they can change the number by. */
  readonly sensitivity: number;
  /** Of each number. A choice has none. */
  readonly standardDeviation?: number;
  /**
   * With a probability of 95 %: the most by which a number is off; the most reports that the value chosen has fewer than the best; or the
   * most reports by which the median's rank is off. For a share, for as many reports as are expected; of an association, from the mean over
   * the blocks.
   */
  readonly within: number;
  /** With a probability of 95 %, the most by which any of the numbers is off, where there are several. */
  readonly allWithin?: number;
  /** Of sums over ranges of days: the root of the mean variance over all ranges, and the standard error of the worst range. */
  readonly ranges?: { readonly mean: number; readonly worst: number };
  /**
   * For an association: the blocks, how many of the expected reports are in each, and a bound on what columns that are not related would show
   * in the mean over such blocks.
   */
  readonly blocks?: { readonly count: number; readonly reports: number; readonly unrelated: number };
}

/** A number of a cell, with the values that the cell stands for. */
export interface Cell {
  readonly values: { readonly [column: string]: string };
  readonly value: number;
  /** Of a day. */
  readonly standardError?: number;
  /** Of a share: it lies between these with a probability of at least 95 %. */
  readonly low?: number;
  readonly high?: number;
}

/**
 * The error of a sum over a range of days follows from this: a tree of noisy sums, and the variance of each (mechanisms/ranges.ts); or the
 * factorization, and the unit of its variances (mechanisms/factorization.ts).
 */
type DaysDesign =
  | {
      readonly branches: number;
      /** 1 for a histogram. */
      readonly levels: number;
      readonly variance: number;
    }
  | { readonly factored: true; readonly variance: number };

/** A synthetic table, besides its cells. */
interface SyntheticTable {
  readonly mechanism: string;
  /** The released number of reports. The cells sum to it, up to rounding. */
  readonly total: number;
  /** With a probability of 95 %, the most by which any marginal of up to two columns is off, as it was measured. */
  readonly within: number;
}

/** The answer to a measurement: numbers, or the value that was chosen. */
export interface Made {
  readonly cells?: readonly Cell[];
  readonly chosen?: string;
  /** Of `days`. */
  readonly design?: DaysDesign;
  /** Of `synthetic`. */
  readonly table?: SyntheticTable;
}

/** A measurement with its mechanism. It holds no rows. */
export interface Making {
  readonly error: ExpectedError;
  /** Draws the noise once. */
  readonly answer: (rows: readonly ReportCount[], random: Random) => Made;
}

/** A measurement that is checked against its table. */
export interface Checking {
  readonly table: Table;
  readonly where: Where;
  /** Its place in the question, which refusals name. */
  readonly field: string;
  /** Its cost in canonical text. */
  readonly paid: Paid;
  /** Its ε, for kinds that take no ρ. */
  readonly epsilon: string;
  /** The columns that it is grouped by, sorted; none for kinds without groups. */
  readonly groupBy: readonly string[];
}

/** The sizes that the number of a measurement's cells follows from. */
interface Sizes {
  readonly days: number;
  /** The number of combinations of the values of these columns, which are a list of the question. @throws {RangeError} for unknown columns */
  readonly combined: (list: string, columns: readonly string[]) => number;
}

/** An option of `murmuration release ask`: its flags, its description, and its parser, which may add to what it read before. */
type AskOption = readonly [flags: string, description: string, read?: (text: string, before?: never) => unknown];

/** The options beside that of the measurement itself. */
interface OtherOptions {
  readonly paid: Paid;
  /** For kinds that take no ρ. */
  readonly epsilon: string;
  /** The columns of `--group-by`, as a member of the measurement. */
  readonly grouped: { readonly groupBy?: readonly string[] };
  readonly low: number | undefined;
  readonly high: number | undefined;
  /** The number of `--about`. @throws {UsageError} without it */
  readonly about: () => number;
}

/** The columns of a table that is not known when the code is compiled, as the builder has them. */
export type AnyColumns = { readonly [column: string]: string };

/** All that a release does with one kind of measurement. `Build` is the kind's method of the builder (query/question.ts). */
export interface MeasureKind<M extends Asked, Build> {
  /** Its form in a question. */
  readonly form: () => z.ZodType<M>;
  /** Checks it, and sorts its lists, so that measurements that mean the same are the same. @throws {RangeError} */
  readonly check: (measure: M, checking: Checking) => M;
  /** The number of its cells. */
  readonly cells: (measure: M, sizes: Sizes) => number;
  /** The most of this kind in one question. Default: any number. */
  readonly most?: number;
  /** True if it takes tenths of a second, or seconds, so that it is made in a thread of its own. */
  readonly isLong?: true;
  /** True if the answer is one value, and no table. */
  readonly isOneValue?: true;
  /** True if it can be paid in ρ. */
  readonly takesRho?: true;
  /** Privacy loss, where it is less than that of any mechanism of the same ε. */
  readonly spending?: (measure: M, rows: Rows, spent: Spent) => Spending;
  /** Its mechanism and the error to expect. @throws {RangeError} when the mechanism does not take its parameters */
  readonly making: (measure: M, rows: Rows, spent: Spent) => Making;
  /** Its answer as CSV, if it is not the usual table of cells. */
  readonly csv?: (measure: M, cells: readonly Cell[], write: WriteField) => string;
  /** Its method of the builder. */
  readonly build: Build;
  /** Its options on the command line. The first is its own: its name in camel case is the kind. A function, so that no page carries it. */
  readonly options: () => readonly AskOption[];
  /** True if it takes `--group-by`. */
  readonly hasGroups?: true;
  /** The measurement that its own option's value and the others ask for. @throws {UsageError} */
  readonly ofOptions: (value: never, others: OtherOptions) => M;
  /** Its words on the command line. */
  readonly words: Words<M>;
}

/** The words of a measurement on the command line. */
interface Words<M> {
  readonly name: (measure: M) => string;
  /** Unit of its bound. Default: the unit of its numbers. */
  readonly unit?: string;
  /** True if its numbers lie between 0 and 1. */
  readonly isFraction?: true;
  /** The number of reports that its bound is stated for. */
  readonly statedFor?: (measure: M) => number;
}

export const quoted = (text: string): string => JSON.stringify(text.slice(0, 80));

/** @throws {RangeError} when the table has no such column */
export function columnOf({ columns }: Table, field: string, name: string): Column {
  const column = columns.get(name);
  if (column === undefined)
    throw new RangeError(`${field}: expected one of the columns ${[...columns.keys()].join(', ')}, got ${quoted(name)}`);
  return column;
}

/** The values of a column, or of the days, that are meant. @throws {RangeError} when there is no such column */
export function valuesOf(table: Table, where: Where, { from, to }: DayRange, field: string, name: string): readonly string[] {
  if (name === DAY) return Array.from({ length: to - from + 1 }, (_, i) => dayText(from + i));
  return where.get(columnOf(table, field, name).name) ?? [];
}

/** The values of a measurement's column that are asked for. @throws {RangeError} when there is no such column, or no declared value of it */
export function declaredIn({ table, where, field }: Checking, column: string): readonly string[] {
  const { name } = columnOf(table, `${field}.column`, column);
  const values = where.get(name) ?? [];
  if (declared(values).length === 0) throw new RangeError(`${field}.column: expected values of ${name} that are asked for, got none`);
  return values;
}

/** The grouping of a checked measurement: left out where there is none. */
export const groupedBy = (groupBy: readonly string[]): { readonly groupBy?: readonly string[] } => (groupBy.length > 0 ? { groupBy } : {});

/** Reports that may be expected, at most. */
const MOST_ABOUT = 2 ** 32;

// The fields that forms of measurements share.

export const epsilonField: z.ZodString = z.string({ error: 'a number above 0 as text, such as "0.1" or "1/3"' }).meta({
  description: 'What it costs each device-day: a decimal or a fraction, as text so that it is exact.',
  example: '0.1',
});
const rhoField: z.ZodString = z.string({ error: 'a number above 0 as text, such as "0.005" or "1/3"' }).meta({
  description: 'In place of epsilon, what it costs a budget in ρ: a decimal or a fraction, as text so that it is exact.',
  example: '0.005',
});
/** The cost of kinds that take ε or ρ. */
export const paidFields: { readonly epsilon: z.ZodExactOptional<z.ZodString>; readonly rho: z.ZodExactOptional<z.ZodString> } = {
  epsilon: epsilonField.exactOptional(),
  rho: rhoField.exactOptional(),
};
export const columnField: z.ZodString = z.string({ error: 'the name of a column' }).meta({
  description: 'metric, version, or the name of a segment.',
});
export const columnsField: z.ZodArray<z.ZodString> = z.array(columnField, { error: 'a list of columns' });
export const groupByField: z.ZodExactOptional<z.ZodArray<z.ZodString>> = z
  .array(columnField, { error: 'a list of columns' })
  .exactOptional();
export const aboutField: z.ZodInt = z
  .int({ error: 'a whole number, how many reports are expected' })
  .min(1, { error: 'a number of reports from 1' })
  .max(MOST_ABOUT, { error: `a number of reports up to ${MOST_ABOUT}` })
  .meta({ description: 'How many reports are expected. The error is stated for it, and the answer does not depend on it.' });

// The cells of a measurement: the combinations of the values of some columns that are asked for, and the reports in each.

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
export function groupingOf({ table, where, from, to }: Rows, names: readonly string[]): Grouping {
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
