/** Ranges over days: variances against least squares by matrices, the choice of a design, ε, and errors of the shipped release. */

import { seededRng, words } from '@murmuration/client/testing';
import { ratio } from '@murmuration/shared';
import { inverse, Matrix } from 'ml-matrix';
import { describe, expect, test } from 'vitest';
import { geometric } from '#collector/release/mechanisms/geometric.ts';
import { createRandom } from '#collector/release/mechanisms/random.ts';
import {
  bestDesign,
  blockSizes,
  consistentDays,
  designsOf,
  meanRangeVariance,
  type RangeDesign,
  ranges,
  rangeVariance,
  worstRangeVariance,
} from '#collector/release/mechanisms/ranges.ts';
import { range } from '../../../proofs/channel.ts';

/** A row for each block, a column for each day with the padding. */
function strategy(design: RangeDesign): Matrix {
  const sizes = blockSizes(design);
  const widest = sizes.at(-1) as number;
  const padded = Math.ceil(design.days / widest) * widest;
  return new Matrix(
    sizes.flatMap((size) => range(padded / size).map((block) => range(padded).map((day) => Number(Math.floor(day / size) === block)))),
  );
}

const SMALL: readonly RangeDesign[] = [
  { days: 5, branches: 2, levels: 1 },
  { days: 8, branches: 2, levels: 3 },
  { days: 8, branches: 2, levels: 4 },
  { days: 7, branches: 3, levels: 2 },
  { days: 10, branches: 3, levels: 3 },
];

const pairs = (days: number) => range(days).flatMap((from) => range(days - from).map((more) => [from, from + more + 1] as const));

describe.each(SMALL)('%o', (design) => {
  const matrix = strategy(design);
  const covariance = inverse(matrix.transpose().mmul(matrix));

  test('has the variance of least squares, for every range and in the mean', () => {
    const variances = pairs(design.days).map(([from, to]) => {
      let sum = 0;
      for (let x = from; x < to; x++) for (let y = from; y < to; y++) sum += covariance.get(x, y);
      expect(Math.abs(rangeVariance(design, from, to) / sum - 1)).toBeLessThan(1e-9);
      return sum;
    });
    const mean = variances.reduce((sum, variance) => sum + variance, 0) / variances.length;
    expect(Math.abs(meanRangeVariance(design) / mean - 1)).toBeLessThan(1e-9);
    expect(Math.abs(worstRangeVariance(design) / Math.max(...variances) - 1)).toBeLessThan(1e-9);
  });

  test('estimates the days by least squares', () => {
    const sizes = blockSizes(design);
    const noisy = range(matrix.rows).map((i) => ((i * 37) % 11) - 3);
    let used = 0;
    const sums = sizes.map((size) => {
      const level = noisy.slice(used, used + matrix.columns / size);
      used += level.length;
      return level;
    });
    const expected = covariance.mmul(matrix.transpose()).mmul(Matrix.columnVector(noisy)).to1DArray();
    consistentDays(design, sums).forEach((day, i) => {
      expect(Math.abs(day - (expected[i] as number))).toBeLessThan(1e-9);
    });
  });

  test('has each day in as many blocks as its noise is made for', () => {
    for (const day of range(design.days)) expect(matrix.getColumn(day).reduce((sum, entry) => sum + entry, 0)).toBe(design.levels);
  });
});

const epsilon = ratio(1n, 1n);
const asked = { epsilon, sensitivity: 1 };

test('a histogram is chosen for few days, a tree for many, and none of the designs has less mean variance', () => {
  expect(ranges({ days: 7, ...asked }).design.levels).toBe(1);
  expect(ranges({ days: 365, ...asked }).design.levels).toBeGreaterThan(1);
  const varianceOf = (levels: number): number => geometric({ epsilon, sensitivity: levels }).variance;
  const best = bestDesign(100, varianceOf);
  for (const design of designsOf(100)) {
    expect(meanRangeVariance(design) * varianceOf(design.levels)).toBeGreaterThanOrEqual(meanRangeVariance(best) * varianceOf(best.levels));
  }
});

test('a release spends what its noise spends, and states the error of each range', () => {
  const mechanism = ranges({ days: 30, ...asked, design: { days: 30, branches: 6, levels: 2 } });
  expect(mechanism.epsilon).toEqual(epsilon);
  const random = createRandom(words(seededRng(2)));
  const counts = range(30).map((day) => 100 + day);
  const release = mechanism.release(counts, random);
  expect(release.sums.map((level) => level.length)).toEqual([30, 5]);
  const { estimate, standardError } = release.range(3, 20);
  const truth = counts.slice(3, 20).reduce((sum, count) => sum + count, 0);
  // Chebyshev with a probability of 1/400, and a fixed seed.
  expect(Math.abs(estimate - truth)).toBeLessThan(20 * standardError);
  expect(() => release.range(5, 5)).toThrow('ranges: the day after the last: expected');
  expect(() => release.range(0, 31)).toThrow('ranges: the day after the last: expected');
  expect(() => mechanism.release([1], random)).toThrow('ranges: the number of days: expected');
  expect(() => ranges({ days: 5000, ...asked })).toThrow('ranges: days: expected a whole number');
});
