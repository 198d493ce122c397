/** Days under ρ: ρ between neighbours in the integers that run, variances by matrices, and the bound that no factorization passes. */

import { seededRng, words } from '@murmuration/client/testing';
import { ratio } from '@murmuration/shared';
import { EigenvalueDecomposition, inverse, Matrix } from 'ml-matrix';
import { expect, test } from 'vitest';
import { factoredDays, factoredVariances, leastMeanVariance } from '#collector/release/mechanisms/factorization.ts';
import { gaussian } from '#collector/release/mechanisms/gaussian.ts';
import { toDouble } from '#collector/release/mechanisms/mechanism.ts';
import { createRandom, type Random } from '#collector/release/mechanisms/random.ts';
import { meanRangeVariance } from '#collector/release/mechanisms/ranges.ts';
import { range } from '../../../proofs/channel.ts';

/** Draws noise of 0. */
const silent: Random = { uniform: () => 0, flip: () => false, decay: (numerator, denominator) => numerator !== 1 || denominator !== 1 };

/** The strategy in whole numbers, as it moves what is released. */
function strategyOf(days: number): Matrix {
  const { numbers } = factoredDays({ days, rho: ratio(1n, 2n), bound: 1 });
  const columns = range(days).map((day) =>
    numbers(
      range(days).map((each) => Number(each === day)),
      silent,
    ),
  );
  return new Matrix(columns.map((column) => [...column])).transpose();
}

test('spends ρ between neighbours: with the whole numbers that run, no device-day moves them by more than Δ, and one does', () => {
  const rho = ratio(1n, 50n);
  for (const [days, bound] of [
    [1, 1],
    [7, 3],
    [30, 8],
  ] as const) {
    const mechanism = factoredDays({ days, rho, bound });
    const counts = range(days).map((day) => 100 + ((day * 37) % 11));
    const before = mechanism.numbers(counts, silent);
    const lost = range(days).map((day) => {
      const after = mechanism.numbers(
        counts.map((count, each) => count + (each === day ? bound : 0)),
        silent,
      );
      // D_α of discrete Gaussians is at most α |moved|²/(2σ²) (Canonne, Kamath, Steinke 2020, theorem 4).
      const squared = after.reduce((sum, number, i) => sum + (BigInt(number) - BigInt(before[i] as number)) ** 2n, 0n);
      return Number(squared) / (2 * mechanism.variance * 2 ** 40);
    });
    for (const each of lost) expect(each).toBeLessThanOrEqual(toDouble(rho) * (1 + 1e-12));
    expect(Math.max(...lost)).toBeGreaterThan(toDouble(rho) * (1 - 1e-9));
    // Columns are even, so nothing is wasted on any day.
    expect(Math.min(...lost)).toBeGreaterThan(toDouble(rho) * (1 - 1e-4));
  }
});

test('without noise the days are the counts, however many and however large', () => {
  for (const days of [1, 2, 31, 365]) {
    const counts = range(days).map((day) => (day % 5 === 0 ? 2 ** 33 : (day * 7919) % 1000));
    factoredDays({ days, rho: ratio(1n, 2n), bound: 1 })
      .release(counts, silent)
      .forEach((day, i) => {
        expect(Math.abs(day - (counts[i] as number))).toBeLessThan(1e-3);
      });
  }
});

test('states the variance of each range, of all in the mean, and of the worst, as matrices have them', () => {
  const days = 13;
  const back = inverse(strategyOf(days));
  const covariance = back.mmul(back.transpose()).mul(2 ** 40);
  const { of, mean, worst } = factoredVariances(days);
  const all = range(days).flatMap((from) =>
    range(days - from).map((length) => {
      const to = from + length + 1;
      const w = Matrix.columnVector(range(days).map((day) => Number(from <= day && day < to)));
      const variance = w.transpose().mmul(covariance).mmul(w).get(0, 0);
      expect(Math.abs(of(from, to) / variance - 1)).toBeLessThan(1e-3);
      return variance;
    }),
  );
  expect(Math.abs(mean / (all.reduce((sum, each) => sum + each, 0) / all.length) - 1)).toBeLessThan(1e-3);
  expect(Math.abs(worst / Math.max(...all) - 1)).toBeLessThan(1e-3);
});

test('no factorization has less than the bound, and this one has at most 2.4 % more', () => {
  const days = 9;
  const workload = new Matrix(range(days).map((x) => range(days).map((y) => (Math.min(x, y) + 1) * (days - Math.max(x, y)))));
  const trace = new EigenvalueDecomposition(workload).realEigenvalues.reduce((sum, value) => sum + Math.sqrt(value), 0);
  expect(leastMeanVariance(days)).toBeCloseTo((trace * trace) / days / ((days * (days + 1)) / 2), 9);
  for (const size of [1, 2, 3, 5, 7, 14, 30, 45, 60, 90, 180, 365, 730, 1_100]) {
    const over = factoredVariances(size).mean / leastMeanVariance(size);
    expect(over).toBeGreaterThanOrEqual(1 - 1e-9);
    expect(over).toBeLessThan(1.024);
    // The histogram and every tree are factorizations, too.
    for (const levels of [1, 2, 3, 4])
      for (const branches of [2, 4, 8])
        expect(levels * meanRangeVariance({ days: size, branches, levels })).toBeGreaterThanOrEqual(leastMeanVariance(size) * (1 - 1e-9));
  }
});

test('refuses what is no number of days', () => {
  expect(() => factoredDays({ days: 0, rho: ratio(1n, 2n), bound: 1 })).toThrow('days: the number of days: expected');
  expect(() => factoredDays({ days: 3, rho: ratio(1n, 2n), bound: 1 }).release([1], createRandom(words(seededRng(1))))).toThrow(
    'days: the number of counts: expected',
  );
  expect(gaussian({ rho: ratio(1n, 2n), squaredSensitivity: 1n }).rho).toEqual(ratio(1n, 2n));
});
