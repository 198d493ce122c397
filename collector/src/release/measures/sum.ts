/** The sum of a column of whole numbers over all reports. Each value is first moved into `low` to `high`. */

import { z } from 'zod';
import { UsageError } from '../../base/fault.ts';
import type { WholeNoise } from '../mechanisms/mechanism.ts';
import { areWhole, declared } from '../table/columns.ts';
import { noisyCells } from './count.ts';
import {
  type AnyColumns,
  columnField,
  declaredIn,
  groupByField,
  groupedBy,
  type MeasureKind,
  noiseFor,
  type Paid,
  paidFields,
  type Spent,
} from './measure.ts';
import { eachNumber, type OnPage, paidBy, within } from './page.ts';

export interface Sum extends Paid {
  readonly kind: 'sum';
  readonly column: string;
  readonly low: number;
  readonly high: number;
  readonly groupBy?: readonly string[];
}

/** Its method of the builder. Each value is first moved into `low` to `high`: without bounds, no noise would cover one report. */
export type BuildSum<C> = (column: keyof C & string, asked: Paid & { readonly low: number; readonly high: number }) => Sum;

/** The largest bound of a sum. With it, the sum over 2^33 reports is exact. */
const MOST_BOUND = 2 ** 20;

/** Noise for the largest value of each report. */
const noiseOf = ({ low, high }: Sum, bound: number, spent: Spent): WholeNoise =>
  noiseFor(spent, bound * Math.max(Math.abs(low), Math.abs(high)));

const whole = (description: string) => z.int({ error: 'a whole number' }).meta({ description });

function wholeOption(name: string): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value))
      throw new UsageError(`${name}: expected a whole number, got ${JSON.stringify(text)}`);
    return value;
  };
}

export const sum: MeasureKind<Sum, BuildSum<AnyColumns>> = {
  form: () =>
    z.strictObject({
      kind: z.literal('sum'),
      ...paidFields,
      column: columnField,
      low: whole('Values below count as this.'),
      high: whole('Values above count as this.'),
      groupBy: groupByField,
    }),
  check: ({ column, low, high }, checking) => {
    const { field, paid, groupBy } = checking;
    if (!areWhole(declaredIn(checking, column))) throw new RangeError(`${field}.column: expected a column of whole numbers, got ${column}`);
    if (!(low < high)) throw new RangeError(`${field}.low: expected bounds, low below high, got ${low} and ${high}`);
    if (low < -MOST_BOUND || high > MOST_BOUND)
      throw new RangeError(`${field}.low: expected bounds from -${MOST_BOUND} to ${MOST_BOUND}, got ${low} and ${high}`);
    return { kind: 'sum', ...paid, column, low, high, ...groupedBy(groupBy) };
  },
  cells: ({ groupBy = [] }, { combined }) => combined('groupBy', groupBy),
  takesRho: true,
  spending: (measure, { bound }, spent) => noiseOf(measure, bound, spent),
  making: (measure, rows, spent) => {
    const { column: name, low, high, groupBy = [] } = measure;
    const column = rows.table.columns.get(name);
    return noisyCells(rows, groupBy, noiseOf(measure, rows.bound, spent), (row) => {
      const value = column?.of(row);
      if (value === undefined) return 1;
      return declared([value]).length === 0 ? 0 : Math.min(high, Math.max(low, Number(value)));
    });
  },
  build: (column, { low, high, ...paid }) => ({ kind: 'sum', ...paid, column, low, high }),
  options: () => [
    ['--sum <column>', 'the sum of a column of whole numbers, with --low and --high'],
    ['--low <n>', 'values below count as this', wholeOption('--low')],
    ['--high <n>', 'values above count as this', wholeOption('--high')],
  ],
  hasGroups: true,
  ofOptions: (column: string, { paid, low, high, grouped }) => {
    if (low === undefined || high === undefined)
      throw new UsageError('--sum: expected --low and --high, since no noise covers one report of a sum without bounds, got none');
    return { kind: 'sum', ...paid, column, low, high, ...grouped };
  },
  words: { name: ({ column }) => `sum of ${column}` },
};

export const sumOnPage: OnPage<Sum> = {
  name: 'sum',
  fields: ['column', 'low', 'high'],
  takesRho: true,
  ofDraft: ({ column, low, high, ...draft }) => ({ kind: 'sum', ...paidBy(draft), column, low: Number(low), high: Number(high) }),
  title: ({ column }) => `Sum of ${column}`,
  heading: 'sum',
  off: within(),
  expected: eachNumber,
};
