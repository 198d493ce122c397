/** The number of reports; with `groupBy`, of each combination of values. */

import { z } from 'zod';
import { cells } from '../mechanisms/geometric.ts';
import type { WholeNoise } from '../mechanisms/mechanism.ts';
import type { ReportCount } from '../table/participation.ts';
import {
  type AnyColumns,
  BETA,
  groupByField,
  groupedBy,
  groupingOf,
  type Making,
  type MeasureKind,
  noiseFor,
  type Paid,
  paidFields,
  type Rows,
} from './measure.ts';
import { eachNumber, type OnPage, paidBy, within } from './page.ts';

export interface Count extends Paid {
  readonly kind: 'count';
  readonly groupBy?: readonly string[];
}

/** Its method of the builder. */
export type BuildCount<C> = (asked: Paid & { readonly groupBy?: readonly ((keyof C & string) | 'day')[] }) => Count;

/** Noise on each cell. Rows lie in one cell each, so the cells together change by what one number would, for which the noise is made. */
export function noisyCells(
  rows: Rows,
  groupBy: readonly string[],
  noise: WholeNoise,
  weigh: (row: ReportCount) => number = () => 1,
): Making {
  const grouping = groupingOf(rows, groupBy);
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
  form: () => z.strictObject({ kind: z.literal('count'), ...paidFields, groupBy: groupByField }),
  check: (_measure, { paid, groupBy }) => ({ kind: 'count', ...paid, ...groupedBy(groupBy) }),
  cells: ({ groupBy = [] }, { combined }) => combined('groupBy', groupBy),
  takesRho: true,
  spending: (_measure, { bound }, spent) => noiseFor(spent, bound),
  making: ({ groupBy = [] }, rows, spent) => noisyCells(rows, groupBy, noiseFor(spent, rows.bound)),
  build: ({ groupBy = [], ...paid }) => ({ kind: 'count', ...paid, ...groupedBy(groupBy) }),
  options: () => [['--count', 'the number of reports']],
  hasGroups: true,
  ofOptions: (_value, { paid, grouped }) => ({ kind: 'count', ...paid, ...grouped }),
  words: { name: ({ kind }) => kind },
};

export const countOnPage: OnPage<Count> = {
  name: 'reports',
  fields: ['groupBy'],
  takesRho: true,
  ofDraft: ({ groupBy, ...draft }) => ({ kind: 'count', ...paidBy(draft), ...(groupBy !== '' && { groupBy: [groupBy] }) }),
  title: () => 'Reports',
  heading: 'reports',
  off: within(),
  expected: eachNumber,
};
