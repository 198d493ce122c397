/** The chi-squared tail against values that are known otherwise. */

import { describe, expect, test } from 'vitest';
import { range } from './channel.ts';
import { logGamma, upperTail } from './statistics.ts';

describe('the chi-squared tail', () => {
  test('is the sum of Poisson probabilities for even degrees of freedom', () => {
    for (const degrees of [2, 4, 10, 60, 400]) {
      for (const statistic of [0.5, degrees / 2, degrees, degrees + 4, degrees * 1.5, degrees * 2 + 30]) {
        const half = statistic / 2;
        const terms = range(degrees / 2).map((k) =>
          Math.exp(k * Math.log(half) - half - range(k).reduce((log, i) => log + Math.log(i + 1), 0)),
        );
        const tail = terms.reduce((total, term) => total + term, 0);
        expect(upperTail({ statistic, degrees }) / tail).toBeCloseTo(1, 9);
      }
    }
  });

  test.each([
    [3.841458820694124, 1, 0.05],
    [10.827566170662733, 1, 0.001],
    [23.92812697687947, 1, 1e-6],
    [11.070497693516351, 5, 0.05],
    [24.995790139728616, 15, 0.05],
  ])('has its tabulated values: %d with %i degrees of freedom', (statistic, degrees, tail) => {
    expect(upperTail({ statistic, degrees }) / tail).toBeCloseTo(1, 9);
  });

  test('is what Wilson and Hilferty say, near enough, for thousands of degrees', () => {
    // At 3 standard deviations of the cube root: 1 - Φ(3) = 0.0013499.
    const degrees = 3001;
    const statistic = degrees * (1 - 2 / (9 * degrees) + 3 * Math.sqrt(2 / (9 * degrees))) ** 3;
    expect(upperTail({ statistic, degrees })).toBeCloseTo(0.00135, 5);
  });

  test('rests on a gamma function that has its known values', () => {
    expect(logGamma(0.5)).toBeCloseTo(Math.log(Math.PI) / 2, 12);
    expect(logGamma(11)).toBeCloseTo(Math.log(3_628_800), 12);
  });
});
