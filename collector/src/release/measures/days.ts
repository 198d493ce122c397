/**
 * Reports by day, so that sums over any range of days can be taken from one answer. Under ε a device-day is in one block of each level of a
 * tree, and the noise is for its reports in all levels (mechanisms/ranges.ts). Under ρ the days are factorized (mechanisms/factorization.ts).
 */

import { dayText, parseDay, type Ratio } from '@murmuration/shared';
import { z } from 'zod';
import { UsageError } from '../../base/fault.ts';
import { normalQuantile } from '../../estimation/statistics/tails.ts';
import { factoredDays, factoredVariances } from '../mechanisms/factorization.ts';
import { geometric } from '../mechanisms/geometric.ts';
import { meanRangeVariance, ranges, rangeVariance } from '../mechanisms/ranges.ts';
import { DAY } from '../table/columns.ts';
import {
  type AnyColumns,
  BETA,
  groupingOf,
  type Made,
  type Making,
  type MeasureKind,
  type Paid,
  paidFields,
  type Rows,
} from './measure.ts';
import { eachNumber, type OnPage, paidBy, within } from './page.ts';

export interface Days extends Paid {
  readonly kind: 'days';
}

/** Its method of the builder. `rangeSum` takes sums over any range of days from the answer. */
export type BuildDays<_C> = (asked: Paid) => Days;

/** First and last day. */
export type DayRangeText = readonly [from: string, to: string];

/** Adds a range of days, such as 2026-11-01..2026-11-05. */
function rangeOption(text: string, before: readonly DayRangeText[] = []): readonly DayRangeText[] {
  const [, from, to] = /^([\d-]+)\.\.([\d-]+)$/.exec(text) ?? [];
  if (from === undefined || to === undefined)
    throw new UsageError(`--range: expected two days such as 2026-11-01..2026-11-05, got ${JSON.stringify(text)}`);
  return [...before, [from, to]];
}

const daysIn = ({ from, to }: Rows): number => to - from + 1;

/** The tree of noisy sums, or the histogram, under ε. */
const treeOf = (rows: Rows, epsilon: Ratio) => ranges({ days: daysIn(rows), epsilon, sensitivity: rows.bound });

/** Counts by day with geometric noise. */
function countsByTree(rows: Rows, epsilon: Ratio): Making {
  const mechanism = treeOf(rows, epsilon);
  const { design, variance } = mechanism;
  const ofDay = Math.sqrt(variance * rangeVariance(design, 0, 1));
  const grouping = groupingOf(rows, [DAY]);
  return {
    error: {
      mechanism: mechanism.name,
      sensitivity: mechanism.sensitivity,
      standardDeviation: ofDay,
      // Days of a histogram have one noise each. Those of a tree are sums of many, for which Chebyshev's inequality holds.
      within: design.levels === 1 ? geometric({ epsilon, sensitivity: mechanism.sensitivity }).accuracy(BETA) : ofDay / Math.sqrt(BETA),
      ranges: {
        mean: Math.sqrt(variance * meanRangeVariance(design)),
        worst: mechanism.accuracy(BETA) * Math.sqrt(BETA),
      },
    },
    answer: (all, random) => {
      const released = mechanism.release(grouping.countsOf(all), random);
      return {
        cells: grouping.cellsOf(released.days).map((cell) => ({ ...cell, standardError: ofDay })),
        design: { branches: design.branches, levels: design.levels, variance },
      };
    },
  };
}

/** Counts by day with Gaussian noise. A day is a sum of many numbers with it, and so normal. */
function countsByFactors(rows: Rows, rho: Ratio): Making {
  const { variances, variance, ...mechanism } = factoredDays({ days: daysIn(rows), rho, bound: rows.bound });
  const ofDays = Array.from({ length: daysIn(rows) }, (_, day) => Math.sqrt(variance * variances.of(day, day + 1)));
  const grouping = groupingOf(rows, [DAY]);
  const most = Math.max(...ofDays);
  return {
    error: {
      mechanism: mechanism.name,
      sensitivity: mechanism.sensitivity,
      standardDeviation: most,
      within: most * normalQuantile(BETA / 2),
      ranges: { mean: Math.sqrt(variance * variances.mean), worst: Math.sqrt(variance * variances.worst) },
    },
    answer: (all, random) => {
      const released = mechanism.release(grouping.countsOf(all), random);
      return {
        cells: grouping.cellsOf(released).map((cell, day) => ({ ...cell, standardError: ofDays[day] as number })),
        design: { factored: true, variance },
      };
    },
  };
}

/** The sum over a range of days, and its standard error. */
export interface RangeSum {
  readonly from: string;
  readonly to: string;
  readonly estimate: number;
  readonly standardError: number;
}

/**
 * The sum over some of the days of an answer to `days`. It is computed from the answer alone, so it costs nothing.
 *
 * @param from the first day
 * @param to the last day
 * @throws {RangeError} when it is no such answer, or has not all of the days
 */
export function rangeSum({ cells = [], design }: Pick<Made, 'cells' | 'design'>, from: string, to: string): RangeSum {
  const all = cells.map(({ values }) => values[DAY] as string);
  if (design === undefined) throw new RangeError('a range: expected an answer to days, got one to another measurement');
  const [first, last] = [parseDay(from), parseDay(to)].map((day) => (day === undefined ? -1 : all.indexOf(dayText(day)))) as [
    number,
    number,
  ];
  if (first < 0 || last < first)
    throw new RangeError(`a range: expected days from ${all[0]} to ${all.at(-1)}, the first one first, got ${from} to ${to}`.slice(0, 300));
  const variance =
    'factored' in design
      ? design.variance * factoredVariances(all.length).of(first, last + 1)
      : design.variance * rangeVariance({ ...design, days: all.length }, first, last + 1);
  return {
    from,
    to,
    estimate: cells.slice(first, last + 1).reduce((sum, { value }) => sum + value, 0),
    standardError: Math.sqrt(variance),
  };
}

export const days: MeasureKind<Days, BuildDays<AnyColumns>> = {
  form: () => z.strictObject({ kind: z.literal('days'), ...paidFields }),
  check: (_measure, { paid }) => ({ kind: 'days', ...paid }),
  cells: (_measure, sizes) => sizes.days,
  most: 50,
  isLong: true,
  takesRho: true,
  spending: (_measure, rows, { unit, amount }) => (unit === 'rho' ? { epsilon: undefined, rho: amount } : treeOf(rows, amount)),
  making: (_measure, rows, { unit, amount }) => (unit === 'rho' ? countsByFactors(rows, amount) : countsByTree(rows, amount)),
  build: (paid) => ({ kind: 'days', ...paid }),
  options: () => [
    ['--days', 'the number of reports of each day, from which sums over any range of days can be taken'],
    ['--range <from..to>', 'of --days: also the sum over these days and its standard error; may be repeated', rangeOption],
  ],
  ofOptions: (_value, { paid }) => ({ kind: 'days', ...paid }),
  words: { name: ({ kind }) => kind },
};

export const daysOnPage: OnPage<Days> = {
  name: 'reports by day',
  fields: [],
  takesRho: true,
  ofDraft: (draft) => ({ kind: 'days', ...paidBy(draft) }),
  title: () => 'Reports by day',
  off: within(),
  expected: eachNumber,
};
