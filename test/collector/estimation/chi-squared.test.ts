/** The chi-squared tail against values of two other programs: R's pchisq and SciPy's chi2.sf agree on these to 12 digits. */

import { chiSquaredTail } from '@murmuration/collector';
import { expect, test } from 'vitest';

test.each([
  [3.84, 1, 0.05004352124870519],
  [0.01, 1, 0.920344325445942],
  [250, 200, 0.009379131668826098],
  [400, 200, 1.8438936497115418e-15],
  [120, 59, 4.730642453369846e-6],
  [2, 2, Math.exp(-1)],
  [60, 2, Math.exp(-30)],
])('the tail at %d with %d degrees of freedom is %d', (statistic, degrees, tail) => {
  expect(chiSquaredTail(statistic, degrees) / tail).toBeCloseTo(1, 10);
});

test('at zero the whole distribution is in the tail', () => {
  expect(chiSquaredTail(0, 7)).toBe(1);
});

test('both sides of where the series hands over to the fraction agree', () => {
  const below = chiSquaredTail(12 - 1e-9, 10);
  expect(chiSquaredTail(12 + 1e-9, 10) / below).toBeCloseTo(1, 8);
});

test('a statistic that is none is refused', () => {
  expect(() => chiSquaredTail(-1, 3)).toThrow(/expected a statistic of at least 0/);
  expect(() => chiSquaredTail(Number.NaN, 3)).toThrow('chi-squared: expected a statistic of');
  expect(() => chiSquaredTail(1, 0)).toThrow('chi-squared: expected a statistic of');
});
