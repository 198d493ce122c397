/** The p-values of the watch's bounds are those of valid tests: enumerated over all counts of a few reports. */

import { expect, test } from 'vitest';
import { chancesPValue, deficitsPValue } from '#collector/estimation/watch/bounds.ts';
import { range } from '../../proofs/channel.ts';
import { logGamma } from '../../proofs/statistics.ts';

const logFactorial = (n: number): number => logGamma(n + 1);

/** All counts of n reports in these classes, with their probabilities. */
function* multinomials(n: number, chances: readonly number[]): Generator<readonly [counts: readonly number[], probability: number]> {
  function* split(left: number, classes: number): Generator<readonly number[]> {
    if (classes === 1) yield [left];
    else for (let first = 0; first <= left; first++) for (const rest of split(left - first, classes - 1)) yield [first, ...rest];
  }
  for (const counts of split(n, chances.length)) {
    const log = counts.reduce((sum, count, i) => sum + count * Math.log(chances[i] as number) - logFactorial(count), logFactorial(n));
    yield [counts, Math.exp(log)];
  }
}

/** The largest P(p-value at most t) / t over all values t of the p-value. A valid test has at most 1. */
function worst(outcomes: Iterable<readonly [pValue: number, probability: number]>): number {
  let [below, most] = [0, 0];
  for (const [pValue, probability] of [...outcomes].sort(([a], [b]) => a - b)) {
    below += probability;
    most = Math.max(most, below / pValue); // equal ones add up, and the last of them has all
  }
  return most;
}

const ROUNDING = 1e-9;

const CHANCES = [[0.5, 0.5], [0.99, 0.01], [0.7, 0.2, 0.1], [0.9, 0.09, 0.01], [0.25, 0.25, 0.25, 0.25], Array<number>(5).fill(0.2)];

test.each(CHANCES.map((chances) => [chances]))('counts with chances %j have valid p-values, for any number of reports', (chances) => {
  for (const n of [1, 2, 3, 5, 9, 16])
    for (const perDevice of [1, 3]) {
      const outcomes = [...multinomials(n, chances)].map(([counts, probability]) => {
        const pValue = chancesPValue(
          counts.map((count) => perDevice * count), // a device's reports are alike
          chances,
          perDevice,
        );
        return [pValue as number, probability] as const;
      });
      expect(worst(outcomes)).toBeLessThanOrEqual(1 + ROUNDING);
    }
});

test('chances have no p-value without two classes or without reports', () => {
  expect(chancesPValue([5], [1], 1)).toBeUndefined();
  expect(chancesPValue([0, 0], [0.5, 0.5], 1)).toBeUndefined();
});

const squareOf = (count: number, n: number, q: number): number => Math.max(0, n * q - count) ** 2 / (n * q * (1 - q));

test('the deficit of a binomial cell has an exponential moment of at most that of a normal one, for q up to a half', () => {
  for (const n of [1, 2, 3, 4, 7, 15, 40, 150])
    for (const q of [0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.45, 0.5]) {
      const cell = [...multinomials(n, [q, 1 - q])].map(
        ([[count], probability]) => [squareOf(count as number, n, q), probability] as const,
      );
      for (const s of [0.01, 0.1, 0.2, 0.3, 0.4, 0.45, 0.49, 0.499]) {
        const moment = cell.reduce((sum, [square, probability]) => sum + probability * Math.exp(s * square), 0);
        expect(moment).toBeLessThanOrEqual((0.5 + 0.5 / Math.sqrt(1 - 2 * s)) * (1 + ROUNDING));
      }
    }
});

test.each([
  ['symbols of which each is as rare as can be', [0.25, 0.25, 0.25, 0.25], [0.25, 0.25, 0.25, 0.25]],
  ['symbols of which one is everybody’s answer', [0.7, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.1]],
  ['symbols of which two are answers', [0.4, 0.4, 0.1, 0.1], [0.1, 0.1, 0.1, 0.1]],
])('deficits of %s have valid p-values', (_, chances, least) => {
  for (const n of [1, 2, 4, 8, 20]) {
    const outcomes = [...multinomials(n, chances)].map(([counts, probability]) => {
      const squares = counts.reduce((sum, count, i) => sum + squareOf(count, n, least[i] as number), 0);
      return [deficitsPValue(squares, counts.length), probability] as const;
    });
    expect(worst(outcomes)).toBeLessThanOrEqual(1 + ROUNDING);
  }
});

test('deficits of independent bits have valid p-values', () => {
  for (const [n, q] of [
    [1, 0.5],
    [3, 0.3],
    [12, 0.1],
    [12, 0.5],
  ] as const) {
    const cell = [...multinomials(n, [q, 1 - q])].map(([[count], probability]) => [squareOf(count as number, n, q), probability] as const);
    const three = range(3).reduce<readonly (readonly [number, number])[]>(
      (sums) => sums.flatMap(([sum, chance]) => cell.map(([square, probability]) => [sum + square, chance * probability] as const)),
      [[0, 1]],
    );
    expect(worst(three.map(([squares, probability]) => [deficitsPValue(squares, 3), probability] as const))).toBeLessThanOrEqual(
      1 + ROUNDING,
    );
  }
});
