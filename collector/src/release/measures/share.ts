/**
 * The share of reports with some values, in each group: a quotient of two noisy numbers, of the reports with and without the values. Its
 * sensitivity has no bound, since one report is all of a small group. But rows with and without the values are disjoint, so noise for both
 * numbers costs ε or ρ once, and the quotient and its interval (mechanisms/quotient.ts) are computed from what is released.
 *
 * Sample and aggregate errs more here, whatever the number of reports is (docs/release-mechanisms.md).
 */

import { z } from 'zod';
import { UsageError } from '../../base/fault.ts';
import { cells } from '../mechanisms/geometric.ts';
import { type Quotient, quotients } from '../mechanisms/quotient.ts';
import type { Column } from '../table/columns.ts';
import {
  type AnyColumns,
  aboutField,
  BETA,
  type Checking,
  columnField,
  columnOf,
  groupByField,
  groupedBy,
  groupingOf,
  type Making,
  type MeasureKind,
  noiseFor,
  type Paid,
  paidFields,
  quoted,
  type Rows,
  type Spent,
} from './measure.ts';
import { CHANCE, type OnPage, paidBy, percent } from './page.ts';

/**
 * The share of the reports that have one of some values in a column; with `groupBy`, in each combination of values. It is the quotient of two
 * numbers of disjoint rows, so it costs its ε once.
 */
export interface Share extends Paid {
  readonly kind: 'share';
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
  asked: Paid & { readonly about: number; readonly groupBy?: readonly ((keyof C & string) | 'day')[] },
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
function checked({ column, values: asked, about }: Share, { table, where, field, paid, groupBy }: Checking): Share {
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
  return { kind: 'share', ...paid, column, values, ...groupedBy(groupBy), about };
}

/** Shares with their error. */
function sharesOf({ column, values, groupBy = [], about }: Share, rows: Rows, spent: Spent): Making {
  const grouping = groupingOf(rows, groupBy);
  const noise = noiseFor(spent, rows.bound);
  const several = cells(noise, 2 * grouping.size);
  const { of: quotientOf, within } = quotients(noise, BETA);
  const { of } = rows.table.columns.get(column) as Column;
  const wanted = new Set(values);
  return {
    error: { mechanism: `quotient of ${noise.name} cells`, sensitivity: noise.sensitivity, within: within(about) },
    answer: (all, random) => {
      const [having, others] = [true, false].map((isWanted) => grouping.countsOf(all.filter((row) => wanted.has(of(row)) === isWanted)));
      const released = several.release([...(having as readonly number[]), ...(others as readonly number[])], random);
      const shares = Array.from({ length: grouping.size }, (_, i) =>
        quotientOf(released[i] as number, released[i + grouping.size] as number),
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
      ...paidFields,
      column: columnField,
      values: z.array(z.string(), { error: 'a list of values' }).meta({ description: 'The share is that of reports with one of them.' }),
      groupBy: groupByField,
      about: aboutField,
    }),
  check: checked,
  cells: ({ groupBy = [] }, { combined }) => 2 * combined('groupBy', groupBy),
  isLong: true,
  takesRho: true,
  spending: (_measure, { bound }, spent) => noiseFor(spent, bound),
  making: sharesOf,
  build: (column, values, { about, groupBy = [], ...paid }) => ({ kind: 'share', ...paid, column, values, ...groupedBy(groupBy), about }),
  options: () => [
    ['--share <column=value>', 'the share of reports with this value, or with one of several; may be repeated', valueOption('--share')],
  ],
  hasGroups: true,
  ofOptions: (named: Named, { paid, grouped, about }) => {
    const [first, ...others] = Object.entries(named);
    if (first === undefined || others.length > 0)
      throw new UsageError(`--share: expected values of one column, got ${Object.keys(named).join(', ')}`);
    const [column, values] = first;
    return { kind: 'share', ...paid, column, values, ...grouped, about: about() };
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
  takesRho: true,
  ofDraft: ({ column, value, groupBy, about, ...draft }) => ({
    kind: 'share',
    ...paidBy(draft),
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
