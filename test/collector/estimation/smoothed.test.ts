/** The smoothed shares of the square wave: thinning is a fair coin for each report, and the strength follows the numbers. */

import { squareWaveLaw } from '@murmuration/shared';
import { expect, test } from 'vitest';
import {
  chancesOf,
  expectationMaximization,
  halfOf,
  smoothedShares,
  smoothingOf,
  windowSums,
  wordsFrom,
} from '#collector/estimation/square-wave-shares.ts';
import { range } from '../../proofs/channel.ts';
import { multinomial, pooled, upperTail } from '../../proofs/statistics.ts';

/** Counts of outputs, each as near to what is expected as a normal draw of its own, of 100,000 reports. */
function countsOf(epsilon: number, shares: readonly number[], seed: number): Float64Array {
  const law = squareWaveLaw(shares.length, epsilon);
  const { p, q } = chancesOf(law);
  const word = wordsFrom(seed);
  const total = shares.reduce((sum, share) => sum + share, 0);
  const masses = windowSums(
    shares.map((share) => share / total),
    law.window,
    1 - law.window,
    law.grid + law.window,
  );
  // 2 Bin(2m, 1/2) has the mean 2m and the variance 2m of a Poisson variable, and so a count's.
  return masses.map((mass) => 2 * halfOf(Math.round(1e5 * (q + (p - q) * mass)), word));
}

test.each([1, 5, 31, 32, 33, 100])('half of %i reports is a binomial variable', (count) => {
  const word = wordsFrom(5);
  const draws = 40_000;
  const counted = range(count + 1).map(() => 0);
  for (let i = 0; i < draws; i++) {
    const half = halfOf(count, word);
    counted[half] = (counted[half] as number) + 1;
  }
  let chance = 2 ** -count;
  const chances = range(count + 1).map((k) => {
    const own = chance;
    chance *= (count - k) / (k + 1);
    return own;
  });
  expect(upperTail(pooled([multinomial(counted, chances, draws)]))).toBeGreaterThan(1e-6);
});

test('half of very many has the mean and the spread of a binomial variable, and is never more than there are', () => {
  const word = wordsFrom(9);
  const [count, draws] = [1_000_000_000, 4_000];
  const scores = range(draws).map(() => (halfOf(count, word) - count / 2) / Math.sqrt(count / 4));
  const statistic = scores.reduce((sum, score) => sum + score * score, 0);
  expect(upperTail({ statistic, degrees: draws })).toBeGreaterThan(1e-6);
  expect(1 - upperTail({ statistic, degrees: draws })).toBeGreaterThan(1e-6);
  expect(Math.abs(scores.reduce((sum, score) => sum + score, 0) / Math.sqrt(draws))).toBeLessThan(4.9);
  expect(halfOf(0, word)).toBe(0);
});

test('the same tally has the same shares', () => {
  const counts = countsOf(
    2,
    range(64).map(() => 1),
    3,
  );
  expect(smoothedShares(squareWaveLaw(64, 2), counts)).toEqual(smoothedShares(squareWaveLaw(64, 2), counts.slice()));
});

test('even numbers are smoothed much, two narrow peaks hardly', () => {
  const peaks = range(64).map((i) => (i === 16 || i === 45 ? 1 : 0.001));
  const law = squareWaveLaw(64, 2);
  expect(
    smoothingOf(
      law,
      countsOf(
        2,
        range(64).map(() => 1),
        1,
      ),
    ),
  ).toBe(0.25);
  expect(smoothingOf(law, countsOf(2, peaks, 1))).toBeLessThan(0.01);
});

test('a strength of a quarter is the kernel of the paper’s EMS: what falls out at an end stays there', () => {
  const law = squareWaveLaw(5, 16); // a device tells its cell, so that one round gives the shares of the tally
  const shares = expectationMaximization(law, [0, 0, 0, 0, 100], 0.25, 1);
  for (const [i, share] of [0, 0, 0, 0.25, 0.75].entries()) expect(shares[i]).toBeCloseTo(share, 4);
});
