/**
 * Reports by day, so that sums over any range of days can be taken from one answer. A device-day is on one day, so in one block of each
 * level of the tree (mechanisms/ranges.ts), and the noise is for its reports in all levels.
 */

import { dayText, parseDay, type Ratio } from '@murmuration/shared';
import { geometric } from '../mechanisms/geometric.ts';
import { meanRangeVariance, rangeVariance } from '../mechanisms/range-design.ts';
import { ranges } from '../mechanisms/ranges.ts';
import { DAY } from '../table/columns.ts';
import { groupingOf } from './grouping.ts';
import { BETA, type Measured, type Prepared } from './measured.ts';
import type { Resolved } from './resolve.ts';

/** Counts by day and the design of their noise. */
export function days(resolved: Resolved, epsilon: Ratio): Omit<Prepared, 'measure'> {
  const { from, to, bound } = resolved;
  const noiseOf = (levels: number) => geometric({ epsilon, sensitivity: bound * levels });
  const mechanism = ranges({ days: to - from + 1, noiseOf });
  const { design } = mechanism;
  const noise = noiseOf(design.levels);
  const ofDay = Math.sqrt(noise.variance * rangeVariance(design, 0, 1));
  const grouping = groupingOf(resolved, [DAY]);
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
    answer: (rows, random) => {
      const released = mechanism.release(grouping.countsOf(rows), random);
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
export function rangeSum({ cells = [], design }: Measured, from: string, to: string): RangeSum {
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
