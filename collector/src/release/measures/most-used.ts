/** The value of a column that most reports have. */

import { z } from 'zod';
import type { ReleaseMechanism } from '../mechanisms/mechanism.ts';
import { permuteAndFlip } from '../mechanisms/permute-and-flip.ts';
import type { Column } from '../table/columns.ts';
import {
  type AnyColumns,
  BETA,
  columnField,
  columnOf,
  countsOf,
  epsilonField,
  type Making,
  type MeasureKind,
  type Rows,
} from './measure.ts';
import { CHANCE, type OnPage, within } from './page.ts';

export interface MostUsed {
  readonly kind: 'mostUsed';
  readonly epsilon: string;
  readonly column: string;
}

/** Its method of the builder. */
export type BuildMostUsed<C> = (column: keyof C & string, asked: { readonly epsilon: string }) => MostUsed;

/** One of the values of a column that are asked for, by a mechanism that takes the counts of all of them. */
export const chosenBy = (
  { table }: Rows,
  column: string,
  values: readonly string[],
  mechanism: ReleaseMechanism<readonly number[], number>,
): Making => ({
  error: { mechanism: mechanism.name, sensitivity: mechanism.sensitivity, within: mechanism.accuracy(BETA) },
  answer: (rows, random) => {
    const counts = countsOf(rows, values, (table.columns.get(column) as Column).of);
    return { chosen: values[mechanism.release(counts, random)] as string };
  },
});

export const mostUsed: MeasureKind<MostUsed, BuildMostUsed<AnyColumns>> = {
  form: () => z.strictObject({ kind: z.literal('mostUsed'), epsilon: epsilonField, column: columnField }),
  check: ({ column }, { table, field, epsilon }) => ({
    kind: 'mostUsed',
    epsilon,
    column: columnOf(table, `${field}.column`, column).name,
  }),
  cells: () => 1,
  isOneValue: true,
  making: ({ column }, rows, { amount: epsilon }) => {
    const values = rows.where.get(column) ?? [];
    // A device-day only adds to counts, so no count rises while another falls.
    const mechanism = permuteAndFlip({ epsilon, sensitivity: rows.bound, candidates: values.length, monotone: true });
    return chosenBy(rows, column, values, mechanism);
  },
  build: (column, { epsilon }) => ({ kind: 'mostUsed', epsilon, column }),
  options: () => [['--most-used <column>', 'the value that most reports have']],
  ofOptions: (column: string, { epsilon }) => ({ kind: 'mostUsed', epsilon, column }),
  words: { name: ({ column }) => `mostUsed of ${column}`, unit: ' reports below the best' },
};

export const mostUsedOnPage: OnPage<MostUsed> = {
  name: 'most used',
  fields: ['column'],
  ofDraft: ({ epsilon, column }) => ({ kind: 'mostUsed', epsilon, column }),
  title: ({ column }) => `Most used ${column}`,
  off: within(' reports fewer than the best'),
  expected: (_measure, error, whole) => [
    'The value has at most ',
    whole(Math.ceil(error.within)),
    ` reports fewer than the best${CHANCE}.`,
  ],
};
