/**
 * How strongly two columns go together: Cramér's V, by sample and aggregate. V has no useful sensitivity. A report with a value that no other
 * report has can move it by as much as its whole range, and noise for each cell adds to χ² what it is divided by: the few reports that rare
 * values expect. Blocks keep both apart: a device-day of at most k reports moves at most k of the blocks' results.
 *
 * The number of blocks follows from ε and the bound alone: as many that the noise of the mean is at most MOST_NOISE. So the answer does not
 * depend on the reports that are expected. They decide whether the question is refused, because blocks would be too small to tell.
 */

import type { Ratio } from '@murmuration/shared';
import { z } from 'zod';
import { cramersV, unrelatedV } from '../../estimation/statistics/cramers-v.ts';
import { MOST_BLOCKS, sampleAndAggregate } from '../mechanisms/sample-and-aggregate.ts';
import {
  type AnyColumns,
  aboutField,
  BETA,
  columnsField,
  type ExpectedError,
  epsilonField,
  groupingOf,
  type Making,
  type MeasureKind,
  type Rows,
  type Spent,
} from './measure.ts';
import { CHANCE, type OnPage } from './page.ts';

/** How strongly two columns go together: Cramér's V, by sample and aggregate (mechanisms/sample-and-aggregate.ts). */
export interface Association {
  readonly kind: 'association';
  readonly epsilon: string;
  readonly columns: readonly string[];
  /** How many reports the analyst expects in all. */
  readonly about: number;
}

/** Its method of the builder: Cramér's V of two columns, from 0 to 1. `about` is how many reports are expected. */
export type BuildAssociation<C> = (
  one: (keyof C & string) | 'day',
  other: (keyof C & string) | 'day',
  asked: { readonly epsilon: string; readonly about: number },
) => Association;

/** The most by which noise may move the mean of the blocks with a probability of 95 %. */
const MOST_NOISE = 0.05;
/** Results are rounded to thousandths. */
const POINTS = 1_001;
/** Blocks must have so many reports for each value of the longer column, and show so little where nothing is related. */
const REPORTS_EACH = 5;
const MOST_UNRELATED = 0.2;

type Mechanism = ReturnType<typeof sampleAndAggregate>;

/** V of a table with so many columns, over as many blocks as the noise needs. */
export function associationBy(of: { readonly epsilon: Ratio; readonly sensitivity: number; readonly columns: number }): {
  readonly blocks: number;
  readonly mechanism: Mechanism;
} {
  const { epsilon, sensitivity, columns } = of;
  const withBlocks = (blocks: number): Mechanism =>
    sampleAndAggregate({
      epsilon,
      sensitivity,
      blocks,
      statistic: (block) => cramersV(block, columns),
      low: 0,
      high: 1,
      points: POINTS,
      aggregator: 'mean',
    });
  let blocks = 2 ** Math.ceil(Math.log2(sensitivity));
  let mechanism = withBlocks(blocks);
  while (blocks < MOST_BLOCKS && mechanism.accuracy(BETA) > MOST_NOISE) {
    blocks *= 2;
    mechanism = withBlocks(blocks);
  }
  return { blocks, mechanism };
}

/** The least number of reports with which blocks are large enough. */
function leastReports(blocks: number, rows: number, columns: number): number {
  let each = REPORTS_EACH * Math.max(rows, columns);
  while (unrelatedV(each, rows, columns) > MOST_UNRELATED) each++;
  return each * blocks;
}

/** @throws {RangeError} when a column has one value, or blocks of the expected reports are too small, with how many they would need */
function related({ columns: names, about }: Association, asked: Rows, { amount: epsilon }: Spent): Making {
  const grouping = groupingOf(asked, names);
  const [rows = 0, columns = 0] = grouping.columns.map(({ values }) => values.length);
  const single = grouping.columns.find(({ values }) => values.length < 2);
  if (single !== undefined)
    throw new RangeError(
      `association: expected columns of two values or more, got ${single.name}, of which the question leaves ${single.values.length}`,
    );
  const { blocks, mechanism } = associationBy({ epsilon, sensitivity: asked.bound, columns });
  const least = leastReports(blocks, rows, columns);
  const noise = mechanism.accuracy(BETA);
  if (about < least || noise > MOST_NOISE)
    throw new RangeError(
      `association: expected at least ${least} reports, ${least / blocks} for each of ${blocks} blocks; a larger ε takes fewer blocks, and count ` +
        `with group-by ${names.join(', ')} takes none, got ${about}`,
    );
  const error: ExpectedError = {
    mechanism: 'sample and aggregate',
    sensitivity: mechanism.sensitivity,
    within: noise,
    blocks: { count: blocks, reports: Math.floor(about / blocks), unrelated: unrelatedV(about / blocks, rows, columns) },
  };
  return {
    error,
    answer: (all, random) => {
      const released = mechanism.release(grouping.countsOf(all), random);
      return { cells: [{ values: {}, value: Math.min(1, Math.max(0, released)) }] };
    },
  };
}

export const association: MeasureKind<Association, BuildAssociation<AnyColumns>> = {
  form: () => z.strictObject({ kind: z.literal('association'), epsilon: epsilonField, columns: columnsField, about: aboutField }),
  check: (measure, { field, epsilon }) => {
    const columns = [...new Set(measure.columns)].sort();
    if (columns.length !== 2) throw new RangeError(`${field}.columns: expected two columns, got ${columns.length}`);
    return { kind: 'association', epsilon, columns, about: measure.about };
  },
  cells: ({ columns }, { combined }) => combined('columns', columns),
  most: 10,
  isLong: true,
  making: related,
  build: (one, other, { epsilon, about }) => ({ kind: 'association', epsilon, columns: [one, other], about }),
  options: () => [['--association <column...>', "how strongly two columns go together: Cramér's V"]],
  ofOptions: (columns: readonly string[], { epsilon, about }) => ({ kind: 'association', epsilon, columns, about: about() }),
  words: { name: ({ columns }) => `association of ${columns.join(' and ')}`, unit: ' of the mean over the blocks', isFraction: true },
};

export const associationOnPage: OnPage<Association> = {
  name: 'association',
  fields: ['column', 'other', 'about'],
  ofDraft: ({ epsilon, column, other, about }) => ({ kind: 'association', epsilon, columns: [column, other], about: Number(about) }),
  title: ({ columns }) => `Association of ${columns.join(' and ')}`,
  shown: (value) => value.toFixed(2),
  off: ({ error: { within, blocks } }, whole) =>
    `± ${within.toFixed(2)} with 95\u00a0%, for the mean of ${whole(blocks?.count ?? 0)} blocks of reports`,
  expected: (_measure, { within, blocks }, whole) => [
    `The mean over ${whole(blocks?.count ?? 0)} blocks of reports is off by at most `,
    within.toFixed(2),
    `${CHANCE}. It goes from 0 to 1; columns that are not related show up to ${blocks?.unrelated.toFixed(2)}.`,
  ],
};
