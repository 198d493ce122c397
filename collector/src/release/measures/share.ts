/**
 * The share of reports with some values, in each group: the quotient A / (A + B) of the noisy numbers of reports with and without them. Its
 * sensitivity has no bound, since one report is all of a small group. But rows with and without the values are disjoint, so noise for both
 * numbers costs ε once, and the quotient is computed from what is released.
 *
 * Law: A + Z and B + Z' with two-sided geometric noise for the bound of the rows; the value is the quotient of both, negative ones taken as 0,
 * and 1/2 if both are.
 * Interval: with a probability of at least 1 - β both Z and Z' are at most λ, the bound for two cells. Then A and B lie within λ of what was
 * released, and the share between the quotients of the least A and the most B, and of the most A and the least B.
 * Before: with n = A + B > 2λ, the value is off by |(1-p) Z - p Z'| / (n + Z + Z'), which is at most λ / (n - 2λ).
 *
 * Sample and aggregate errs more here, whatever the number of reports is (docs/release-mechanisms.md).
 */

import type { Ratio } from '@murmuration/shared';
import { z } from 'zod';
import { UsageError } from '../../base/fault.ts';
import { cells, geometric } from '../mechanisms/geometric.ts';
import type { Column } from '../table/columns.ts';
import {
  type AnyColumns,
  aboutField,
  BETA,
  type Checking,
  columnField,
  columnOf,
  epsilonField,
  groupByField,
  groupedBy,
  groupingOf,
  type Making,
  type MeasureKind,
  quoted,
  type Rows,
} from './measure.ts';
import { CHANCE, type OnPage, percent } from './page.ts';

/**
 * The share of the reports that have one of some values in a column; with `groupBy`, in each combination of values. It is the quotient of two
 * numbers of disjoint rows, so it costs its ε once.
 */
export interface Share {
  readonly kind: 'share';
  readonly epsilon: string;
  readonly column: string;
  readonly values: readonly string[];
  readonly groupBy?: readonly string[];
  /** How many reports the analyst expects in each combination. The error is stated for it, and the answer does not depend on it. */
  readonly about: number;
}

/** Its method of the builder: the share of reports with one of these values. `about` is how many reports are expected in each group. */
export type BuildShare<C> = <K extends keyof C & string>(
  column: K,
  values: readonly C[K][],
  asked: { readonly epsilon: string; readonly about: number; readonly groupBy?: readonly ((keyof C & string) | 'day')[] },
) => Share;

/** Values by column. */
export type Named = { readonly [column: string]: readonly string[] };

/** An option that adds a value to those of a column. */
export const valueOption =
  (option: string) =>
  (text: string, before: Named = {}): Named => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
    if (name === undefined || value === undefined) throw new UsageError(`${option}: expected column=value, got ${JSON.stringify(text)}`);
    return { ...before, [name]: [...(Object.hasOwn(before, name) ? (before[name] ?? []) : []), value] };
  };

/** @throws {RangeError} unless the share is that of some of the values that are asked for, in groups by other columns */
function checked({ column, values: asked, about }: Share, { table, where, field, epsilon, groupBy }: Checking): Share {
  const all = where.get(columnOf(table, `${field}.column`, column).name) ?? [];
  const values = [...new Set(asked)].sort();
  const unknown = values.find((value) => !all.includes(value));
  if (unknown !== undefined || values.length === 0 || values.length === all.length)
    throw new RangeError(
      `${field}.values: expected some of ${all.join(', ').slice(0, 300)}, and not all of them, got ${
        unknown === undefined ? (values.length === 0 ? 'none' : 'all') : quoted(unknown)
      }`,
    );
  if (groupBy.includes(column)) throw new RangeError(`${field}.groupBy: expected other columns than ${column}, got it`);
  return { kind: 'share', epsilon, column, values, ...groupedBy(groupBy), about };
}

/** A share, and the interval that holds it. */
export interface Quotient {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

const part = (of: number, rest: number, none: number): number => (of + rest > 0 ? of / (of + rest) : none);

/** The share of `of` among both, each of which is off by at most `within`. */
export function quotient(of: number, rest: number, within: number): Quotient {
  const least = (count: number): number => Math.max(0, count - within);
  const most = (count: number): number => Math.max(0, count + within);
  return {
    value: part(Math.max(0, of), Math.max(0, rest), 1 / 2),
    low: part(least(of), most(rest), 0),
    high: part(most(of), least(rest), 1),
  };
}

/** Shares with their error. */
function sharesOf({ column, values, groupBy = [], about }: Share, rows: Rows, epsilon: Ratio): Making {
  const grouping = groupingOf(rows, groupBy);
  const noise = geometric({ epsilon, sensitivity: rows.bound });
  const several = cells(noise, 2 * grouping.size);
  const within = cells(noise, 2).accuracy(BETA);
  const { of } = rows.table.columns.get(column) as Column;
  const wanted = new Set(values);
  return {
    error: {
      mechanism: 'quotient of geometric cells',
      sensitivity: noise.sensitivity,
      within: about > 2 * within ? Math.min(1, within / (about - 2 * within)) : 1,
    },
    answer: (all, random) => {
      const [having, others] = [true, false].map((isWanted) => grouping.countsOf(all.filter((row) => wanted.has(of(row)) === isWanted)));
      const released = several.release([...(having as readonly number[]), ...(others as readonly number[])], random);
      const shares = Array.from({ length: grouping.size }, (_, i) =>
        quotient(released[i] as number, released[i + grouping.size] as number, within),
      );
      return { cells: grouping.cellsOf(shares.map(({ value }) => value)).map((cell, i) => ({ ...cell, ...(shares[i] as Quotient) })) };
    },
  };
}

const intervalOf = ({ low = 0, high = 1 }: { readonly low?: number; readonly high?: number }): string =>
  `${percent(low)} to ${percent(high)}`;

export const share: MeasureKind<Share, BuildShare<AnyColumns>> = {
  form: () =>
    z.strictObject({
      kind: z.literal('share'),
      epsilon: epsilonField,
      column: columnField,
      values: z.array(z.string(), { error: 'a list of values' }).meta({ description: 'The share is that of reports with one of them.' }),
      groupBy: groupByField,
      about: aboutField,
    }),
  check: checked,
  cells: ({ groupBy = [] }, { combined }) => 2 * combined('groupBy', groupBy),
  making: sharesOf,
  build: (column, values, { epsilon, about, groupBy = [] }) => ({ kind: 'share', epsilon, column, values, ...groupedBy(groupBy), about }),
  options: () => [
    ['--share <column=value>', 'the share of reports with this value, or with one of several; may be repeated', valueOption('--share')],
  ],
  hasGroups: true,
  ofOptions: (named: Named, { epsilon, grouped, about }) => {
    const [first, ...others] = Object.entries(named);
    if (first === undefined || others.length > 0)
      throw new UsageError(`--share: expected values of one column, got ${Object.keys(named).join(', ')}`);
    const [column, values] = first;
    return { kind: 'share', epsilon, column, values, ...grouped, about: about() };
  },
  words: {
    name: ({ column, values }) => `share of ${column} ${values.join(', ')}`,
    isFraction: true,
    statedFor: ({ about }) => about,
  },
};

export const shareOnPage: OnPage<Share> = {
  name: 'share',
  fields: ['column', 'value', 'groupBy', 'about'],
  ofDraft: ({ epsilon, column, value, groupBy, about }) => ({
    kind: 'share',
    epsilon,
    column,
    values: [value],
    ...(groupBy !== '' && { groupBy: [groupBy] }),
    about: Number(about),
  }),
  title: ({ column, values }) => `Share of ${column} ${values.join(', ')}`,
  heading: 'share',
  shown: percent,
  off: ({ cells: made = [] }) => {
    const [first] = made;
    return made.length === 1 && first !== undefined
      ? `(${intervalOf(first)} with 95\u00a0%)`
      : 'with the range that holds each with 95\u00a0%';
  },
  expected: ({ about }, { within }, whole) => [
    `In a group of ${whole(about)} reports the share is off by at most `,
    percent(within),
    `${CHANCE}.`,
  ],
};
