/** Quantiles by the saddlepoint, against distributions whose tails are known otherwise. */

import { expect, test } from 'vitest';
import { type Cumulants, quantileAt } from '#collector/estimation/statistics/saddlepoint.ts';
import { upperTail } from '../../proofs/statistics.ts';

const Z95 = 1.959963984540054;

test.each([-3, -Z95, 0.5, 4])('a normal variable has its own quantile at %d', (z) => {
  expect(quantileAt(z, 1e6, (s) => [s + 8 * s * s, 1 + 16 * s, 16])).toBeCloseTo(1 + 4 * z, 2);
});

test.each([4, 20, 100])('chi squared of %i degrees exceeds its quantiles as often as it should', (degrees) => {
  const cumulants = (s: number): Cumulants => [
    (-degrees / 2) * Math.log(1 - 2 * s),
    degrees / (1 - 2 * s),
    (2 * degrees) / (1 - 2 * s) ** 2,
  ];
  const above = quantileAt(Z95, 0.4999999, cumulants);
  const below = quantileAt(-Z95, 1e6, cumulants);
  expect(upperTail({ statistic: above, degrees }) / 0.025).toBeCloseTo(1, 1);
  expect((1 - upperTail({ statistic: below, degrees })) / 0.025).toBeCloseTo(1, 1);
});

test('a variable that ends before its quantile has its end', () => {
  // One coin of 0.9: 1 is not rare.
  const cumulants = (s: number): Cumulants => {
    const chance = (0.9 * Math.exp(s)) / (0.1 + 0.9 * Math.exp(s));
    return [Math.log(0.1 + 0.9 * Math.exp(s)), chance, chance * (1 - chance)];
  };
  expect(quantileAt(Z95, 30, cumulants)).toBeCloseTo(1, 3);
});
