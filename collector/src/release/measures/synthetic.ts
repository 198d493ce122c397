/**
 * A synthetic table over some columns, which answers all marginals up to two of them. It is refused where noise for each cell is stated to
 * err no more: then a count with groupBy over the same columns is the better table.
 */

import { z } from 'zod';
import { marginalTables } from '../mechanisms/marginal-table.ts';
import { syntheticCsv } from '../mechanisms/queries.ts';
import {
  type AnyColumns,
  aboutField,
  BETA,
  columnsField,
  epsilonField,
  groupingOf,
  type Making,
  type MeasureKind,
  type Rows,
  type Spent,
} from './measure.ts';
import { CHANCE, type OnPage, within } from './page.ts';

/** A synthetic table over columns, which answers all marginals up to two of them (mechanisms/marginal-table.ts). */
export interface Synthetic {
  readonly kind: 'synthetic';
  readonly epsilon: string;
  readonly columns: readonly string[];
  /**
   * How many reports the analyst expects, from an earlier answer or as a guess. The error before anything is spent is stated for it. The
   * answer does not depend on it.
   */
  readonly about: number;
}

/** Its method of the builder, over at least two columns. `about` is how many reports are expected: the error is stated for it. */
export type BuildSynthetic<C> = (
  columns: readonly ((keyof C & string) | 'day')[],
  asked: { readonly epsilon: string; readonly about: number },
) => Synthetic;

/** @throws {RangeError} when noise for each cell errs no more */
function tableOver({ columns, about }: Synthetic, rows: Rows, { amount: epsilon }: Spent): Making {
  const grouping = groupingOf(rows, columns);
  const sizes = grouping.columns.map(({ values }) => values.length);
  const mechanism = marginalTables({ epsilon, sensitivity: rows.bound, sizes, beta: BETA });
  const promise = mechanism.promise(about);
  if (promise.within >= mechanism.cellNoise)
    throw new RangeError(
      `synthetic: expected a table whose stated error is below that of noise for each cell, ${Math.ceil(mechanism.cellNoise)}; use count with ` +
        `group-by ${columns.join(', ')} instead, got ${Math.ceil(promise.within)} for ${about} reports in ${grouping.size} cells`,
    );
  return {
    error: { mechanism: promise.mechanism, sensitivity: mechanism.sensitivity, within: promise.within },
    answer: (all, random) => {
      const { weights, ...table } = mechanism.release(grouping.countsOf(all), random);
      return { cells: grouping.cellsOf(weights), table };
    },
  };
}

export const synthetic: MeasureKind<Synthetic, BuildSynthetic<AnyColumns>> = {
  form: () => z.strictObject({ kind: z.literal('synthetic'), epsilon: epsilonField, columns: columnsField, about: aboutField }),
  check: (measure, { field, epsilon }) => {
    const columns = [...new Set(measure.columns)].sort();
    if (columns.length < 2)
      throw new RangeError(`${field}.columns: expected at least two columns, since count with groupBy counts one, got ${columns.length}`);
    return { kind: 'synthetic', epsilon, columns, about: measure.about };
  },
  cells: ({ columns }, { combined }) => combined('columns', columns),
  most: 1,
  isLong: true,
  making: tableOver,
  csv: ({ columns }, cells, write) =>
    syntheticCsv(
      columns.map((name) => ({ name, values: [...new Set(cells.map(({ values }) => values[name] as string))] })),
      cells.map(({ value }) => value),
      write,
    ),
  build: (columns, { epsilon, about }) => ({ kind: 'synthetic', epsilon, columns, about }),
  options: () => [['--synthetic <column...>', 'a synthetic table over these columns, which answers marginals of up to two of them']],
  ofOptions: (columns: readonly string[], { epsilon, about }) => ({ kind: 'synthetic', epsilon, columns, about: about() }),
  words: { name: ({ columns }) => `synthetic table of ${columns.join(', ')}`, unit: ' for every marginal' },
};

export const syntheticOnPage: OnPage<Synthetic> = {
  name: 'synthetic table',
  fields: ['columns', 'about'],
  ofDraft: ({ epsilon, columns, about }) => ({ kind: 'synthetic', epsilon, columns, about: Number(about) }),
  title: ({ columns }) => `Synthetic table of ${columns.join(', ')}`,
  heading: 'weight',
  off: within(' for every marginal'),
  expected: ({ about }, error, whole) => [
    `For ${whole(about)} reports, no number of a value or of two values is off by more than `,
    whole(Math.ceil(error.within)),
    `${CHANCE}.`,
  ],
};
