/** The value of a numeric column that half of the reports lie below. */

import { ratio } from '@murmuration/shared';
import { z } from 'zod';
import { quantile } from '../mechanisms/permute-and-flip.ts';
import { areNumbers, declared } from '../table/columns.ts';
import { type AnyColumns, columnField, declaredIn, epsilonField, type MeasureKind } from './measure.ts';
import { chosenBy } from './most-used.ts';
import { CHANCE, type OnPage, within } from './page.ts';

export interface Median {
  readonly kind: 'median';
  readonly epsilon: string;
  readonly column: string;
}

/** Its method of the builder. */
export type BuildMedian<C> = (column: keyof C & string, asked: { readonly epsilon: string }) => Median;

export const median: MeasureKind<Median, BuildMedian<AnyColumns>> = {
  form: () => z.strictObject({ kind: z.literal('median'), epsilon: epsilonField, column: columnField }),
  check: ({ column }, checking) => {
    if (!areNumbers(declaredIn(checking, column)))
      throw new RangeError(`${checking.field}.column: expected a column of numbers, got ${column}`);
    return { kind: 'median', epsilon: checking.epsilon, column };
  },
  cells: () => 1,
  isOneValue: true,
  making: ({ column }, rows, { amount: epsilon }) => {
    const values = [...declared(rows.where.get(column) ?? [])].sort((a, b) => Number(a) - Number(b));
    return chosenBy(rows, column, values, quantile({ epsilon, cells: values.length, quantile: ratio(1n, 2n), sensitivity: rows.bound }));
  },
  build: (column, { epsilon }) => ({ kind: 'median', epsilon, column }),
  options: () => [['--median <column>', 'the value that half of the reports lie below']],
  ofOptions: (column: string, { epsilon }) => ({ kind: 'median', epsilon, column }),
  words: { name: ({ column }) => `median of ${column}`, unit: ' ranks' },
};

export const medianOnPage: OnPage<Median> = {
  name: 'median',
  fields: ['column'],
  ofDraft: ({ epsilon, column }) => ({ kind: 'median', epsilon, column }),
  title: ({ column }) => `Median of ${column}`,
  off: within(' ranks'),
  expected: (_measure, error, whole) => ['The rank is off by at most ', whole(Math.ceil(error.within)), `${CHANCE}.`],
};
