/** The estimator of means, exactly: the distribution of every tally of a few numbers, and the collector's estimate of each. */

import { expect } from 'vitest';
import type { Estimate } from '#collector/estimation/estimate.ts';
import type { Scores } from '#collector/estimation/number.ts';
import { Z95 } from '#collector/estimation/statistics/tails.ts';
import type { Tally } from '#collector/estimation/tally.ts';
import type { Distribution } from './enumerate.ts';
import { collections } from './estimator.ts';
import { toNumber } from './rational.ts';

/** V(f) of collector/src/estimation/number.ts by its definition, times the number of reports, f from the middle of the range. */
function varianceIn({ values, varianceAt }: Scores, cells: Float64Array): (f: number) => number {
  const total = cells.reduce((sum, count) => sum + count, 0);
  const square = cells.reduce((sum, count, cell) => sum + count * ((values[cell] as number) - 0.5) ** 2, 0) / total;
  return (f) => Math.max(square - f * f, varianceAt(Math.min(1, Math.max(0, 0.5 + f))));
}

/** Fails unless the standard error and the interval are those of the stated variance. */
function expectErrorBars({ estimate, standardError, low, high }: Estimate, variance: (f: number) => number): void {
  expect(Math.abs(standardError ** 2 / variance(estimate - 0.5) - 1)).toBeLessThan(1e-9);
  expect(low < estimate && estimate < high).toBe(true);
  for (const end of [low, high]) {
    expect(Math.abs((estimate - end) ** 2 / (Z95 * Z95 * variance(end - 0.5)) - 1)).toBeLessThan(1e-6);
  }
}

/**
 * Fails unless, over every collection of reports, the estimate has the numbers' mean as its mean and the stated variance,
 * and error bars of just that variance.
 *
 * @param points of the grid, one for each device
 * @param placesOfPoints where all points lie, from 0 to 1
 * @param cellOf the cell that a report is counted in
 * @param shipped the collector's estimate from a tally
 */
export function expectUnbiasedNumber(
  rows: readonly Distribution[],
  points: readonly number[],
  placesOfPoints: readonly number[],
  scores: Scores,
  cellOf: (report: string) => number,
  shipped: (tally: Tally) => readonly Estimate[],
): void {
  const n = points.length;
  const places = points.map((point) => placesOfPoints[point] as number);
  const truth = places.reduce((total, place) => total + place, 0) / n;
  let [mean, square, mass] = [0, 0, 0];
  for (const [reports, probability] of collections(rows, points)) {
    const cells = new Float64Array(scores.values.length);
    for (const cell of reports.map(cellOf)) cells[cell] = (cells[cell] as number) + 1;
    const [row, ...others] = shipped({ reports: n, cells });
    expect(others).toEqual([]);
    const { estimate } = row as Estimate;
    expectErrorBars(row as Estimate, (f) => varianceIn(scores, cells)(f) / n);
    const p = toNumber(probability);
    mass += p;
    mean += p * (estimate - truth);
    square += p * (estimate - truth) ** 2;
  }
  const stated = places.reduce((total, place) => total + scores.varianceAt(place), 0) / n ** 2;
  expect(mass).toBeCloseTo(1, 12);
  expect(Math.abs(mean) / Math.sqrt(stated)).toBeLessThan(1e-9);
  expect(Math.abs(square / stated - 1)).toBeLessThan(1e-9);
}
