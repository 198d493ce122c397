/**
 * Reports by day, so that sums over any range of days can be taken from one answer. A device-day is on one day, so in one block of each
 * level of the tree (mechanisms/ranges.ts), and the noise is for its reports in all levels.
 */

import { dayText, parseDay, type Ratio } from '@murmuration/shared';
import { z } from 'zod';
import { UsageError } from '../../base/fault.ts';
import { geometric } from '../mechanisms/geometric.ts';
import { meanRangeVariance, ranges, rangeVariance } from '../mechanisms/ranges.ts';
import { DAY } from '../table/columns.ts';
import { type AnyColumns, BETA, epsilonField, groupingOf, type Made, type Making, type MeasureKind, type Rows } from './measure.ts';
import { eachNumber, type OnPage, within } from './page.ts';

export interface Days {
  readonly kind: 'days';
  readonly epsilon: string;
}

/** Its method of the builder. `rangeSum` takes sums over any range of days from the answer. */
export type BuildDays<_C> = (asked: { readonly epsilon: string }) => Days;

/** First and last day. */
export type DayRangeText = readonly [from: string, to: string];

/** Adds a range of days, such as 2026-11-01..2026-11-05. */
function rangeOption(text: string, before: readonly DayRangeText[] = []): readonly DayRangeText[] {
  const [, from, to] = /^([\d-]+)\.\.([\d-]+)$/.exec(text) ?? [];
  if (from === undefined || to === undefined)
    throw new UsageError(`--range: expected two days such as 2026-11-01..2026-11-05, got ${JSON.stringify(text)}`);
  return [...before, [from, to]];
}

/** Counts by day and the design of their noise. */
function countsByDay(rows: Rows, epsilon: Ratio): Making {
  const { from, to, bound } = rows;
  const noiseOf = (levels: number) => geometric({ epsilon, sensitivity: bound * levels });
  const mechanism = ranges({ days: to - from + 1, noiseOf });
  const { design } = mechanism;
  const noise = noiseOf(design.levels);
  const ofDay = Math.sqrt(noise.variance * rangeVariance(design, 0, 1));
  const grouping = groupingOf(rows, [DAY]);
  return {
    error: {
      mechanism: mechanism.name,
      sensitivity: mechanism.sensitivity,
      standardDeviation: ofDay,
      // Days of a histogram have one noise each. Those of a tree are sums of many, for which Chebyshev's inequality holds.
      within: design.levels === 1 ? noise.accuracy(BETA) : ofDay / Math.sqrt(BETA),
      ranges: {
        mean: Math.sqrt(noise.variance * meanRangeVariance(design)),
        worst: mechanism.accuracy(BETA) * Math.sqrt(BETA),
      },
    },
    answer: (all, random) => {
      const released = mechanism.release(grouping.countsOf(all), random);
      return {
        cells: grouping.cellsOf(released.days).map((cell) => ({ ...cell, standardError: ofDay })),
        design: { branches: design.branches, levels: design.levels, variance: noise.variance },
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
  const variance = design.variance * rangeVariance({ ...design, days: all.length }, first, last + 1);
  return {
    from,
    to,
    estimate: cells.slice(first, last + 1).reduce((sum, { value }) => sum + value, 0),
    standardError: Math.sqrt(variance),
  };
}

export const days: MeasureKind<Days, BuildDays<AnyColumns>> = {
  form: () => z.strictObject({ kind: z.literal('days'), epsilon: epsilonField }),
  check: (_measure, { epsilon }) => ({ kind: 'days', epsilon }),
  cells: (_measure, sizes) => sizes.days,
  most: 50,
  isLong: true,
  making: (_measure, rows, epsilon) => countsByDay(rows, epsilon),
  build: ({ epsilon }) => ({ kind: 'days', epsilon }),
  options: () => [
    ['--days', 'the number of reports of each day, from which sums over any range of days can be taken'],
    ['--range <from..to>', 'of --days: also the sum over these days and its standard error; may be repeated', rangeOption],
  ],
  ofOptions: (_value, { epsilon }) => ({ kind: 'days', epsilon }),
  words: { name: ({ kind }) => kind },
};

export const daysOnPage: OnPage<Days> = {
  name: 'reports by day',
  fields: [],
  ofDraft: ({ epsilon }) => ({ kind: 'days', epsilon }),
  title: () => 'Reports by day',
  off: within(),
  expected: eachNumber,
};
