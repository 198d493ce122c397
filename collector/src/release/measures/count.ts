/** The number of reports; with `groupBy`, of each combination of values. */

import type { Ratio } from '@murmuration/shared';
import { z } from 'zod';
import { cells, geometric } from '../mechanisms/geometric.ts';
import type { ReportCount } from '../table/participation.ts';
import {
  type AnyColumns,
  BETA,
  epsilonField,
  groupByField,
  groupedBy,
  groupingOf,
  type Making,
  type MeasureKind,
  type Rows,
} from './measure.ts';
import { eachNumber, type OnPage, within } from './page.ts';

export interface Count {
  readonly kind: 'count';
  readonly epsilon: string;
  readonly groupBy?: readonly string[];
}

/** Its method of the builder. */
export type BuildCount<C> = (asked: { readonly epsilon: string; readonly groupBy?: readonly ((keyof C & string) | 'day')[] }) => Count;

/** Noise on each cell. Rows lie in one cell each, so the cells together change by what one number would: by `most` for each report. */
export function noisyCells(
  rows: Rows,
  groupBy: readonly string[],
  epsilon: Ratio,
  most = 1,
  weigh: (row: ReportCount) => number = () => 1,
): Making {
  const grouping = groupingOf(rows, groupBy);
  const noise = geometric({ epsilon, sensitivity: rows.bound * most });
  const several = cells(noise, grouping.size);
  return {
    error: {
      mechanism: noise.name,
      sensitivity: noise.sensitivity,
      standardDeviation: Math.sqrt(noise.variance),
      within: noise.accuracy(BETA),
      ...(grouping.size > 1 && { allWithin: several.accuracy(BETA) }),
    },
    answer: (all, random) => ({ cells: grouping.cellsOf(several.release(grouping.countsOf(all, weigh), random)) }),
  };
}

export const count: MeasureKind<Count, BuildCount<AnyColumns>> = {
  form: () => z.strictObject({ kind: z.literal('count'), epsilon: epsilonField, groupBy: groupByField }),
  check: (_measure, { epsilon, groupBy }) => ({ kind: 'count', epsilon, ...groupedBy(groupBy) }),
  cells: ({ groupBy = [] }, { combined }) => combined('groupBy', groupBy),
  making: ({ groupBy = [] }, rows, epsilon) => noisyCells(rows, groupBy, epsilon),
  build: ({ epsilon, groupBy = [] }) => ({ kind: 'count', epsilon, ...groupedBy(groupBy) }),
  options: () => [['--count', 'the number of reports']],
  hasGroups: true,
  ofOptions: (_value, { epsilon, grouped }) => ({ kind: 'count', epsilon, ...grouped }),
  words: { name: ({ kind }) => kind },
};

export const countOnPage: OnPage<Count> = {
  name: 'reports',
  fields: ['groupBy'],
  ofDraft: ({ epsilon, groupBy }) => ({ kind: 'count', epsilon, ...(groupBy !== '' && { groupBy: [groupBy] }) }),
  title: () => 'Reports',
  heading: 'reports',
  off: within(),
  expected: eachNumber,
};
