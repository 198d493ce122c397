/** Proofs of the Laplace mechanism on a grid: its rows are those of two-sided geometric noise, mixed by the rounding, and no more. */

import { createCoins } from '@murmuration/client/testing';
import { geometricLaw, type LaplaceLaw, laplace, laplaceLaw, MODULUS } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { randomizeLaplace } from '#client/randomizers/laplace.ts';
import { laplaceScores } from '#collector/estimation/mechanisms/laplace.ts';
import { expectHeld } from './asked.ts';
import { distribution, indexReport, largestRatio, range } from './channel.ts';
import { type Distribution, exactDistribution, hex } from './enumerate.ts';
import { multiply, ONE, rational, sum, toNumber } from './rational.ts';

/** The row of a point: a point plus Z, clamped; P(Z >= m) is tails[m-1]. */
function pointRow({ tails }: LaplaceLaw, T: number, point: number): Distribution {
  const steps = tails.length;
  const atLeast = (m: number): number => (m <= 0 ? T - (m === 0 ? (tails[0] as number) : (tails[-m] ?? 0)) : (tails[m - 1] ?? 0));
  const from = (j: number): number => (j <= 0 ? T : j > steps ? 0 : j > point ? atLeast(j - point) : T - (tails[point - j] as number));
  return distribution(range(steps + 1).map((j) => [indexReport(j, steps + 1), rational(from(j) - from(j + 1), T)]));
}

const between = (law: LaplaceLaw, T: number, point: number, up: number): Distribution =>
  distribution(
    (
      [
        [point, T - up],
        [point + 1, up],
      ] as const
    ).flatMap(([at, weight]) =>
      weight === 0 ? [] : [...pointRow(law, T, at)].map(([cell, p]) => [cell, multiply(p, rational(weight, T))] as const),
    ),
  );

const rowsOf = (law: LaplaceLaw): readonly Distribution[] => range(law.tails.length + 1).map((point) => pointRow(law, MODULUS, point));

describe.each([0.01, 0.5, 1, 2, 4, 8, 16])('the Laplace mechanism at ε = %d', (epsilon) => {
  test.each([1, 2, 5, 16])('on %i steps has rows that sum to 1 and the stated odds, below e^ε, between the points too', (steps) => {
    const law = laplaceLaw(epsilon, steps);
    laplace.validate(law);
    const rows = [...rowsOf(law), between(law, MODULUS, 0, 1), between(law, MODULUS, steps - 1, 99_999)];
    for (const row of rows) expect(sum(row.values())).toEqual(ONE);
    expect(laplace.odds(law)).toEqual({ report: largestRatio(rows) });
    expectHeld(laplace.odds(law).report, epsilon);
    expect(law.tails).toEqual(geometricLaw(steps, epsilon).tails);
  });

  test.each([1, 2, 5, 64])('on %i steps scores without bias, with the stated variance, its largest where it says', (steps) => {
    const law = laplaceLaw(epsilon, steps);
    const { values, varianceAt, worst } = laplaceScores(law);
    for (const [point, up] of [
      [0, 0],
      [0, MODULUS / 4],
      [steps - 1, MODULUS / 2],
      [steps - 1, MODULUS - 2 ** 20],
    ] as const) {
      const place = (point + up / MODULUS) / steps;
      const row = [...between(law, MODULUS, point, up)].map(
        ([cell, p]) => [values[Number.parseInt(cell, 16)] as number, toNumber(p)] as const,
      );
      const mean = row.reduce((total, [score, p]) => total + p * (score - place), 0);
      expect(Math.abs(mean) / Math.sqrt(worst)).toBeLessThan(1e-9);
      expect(row.reduce((total, [score, p]) => total + p * (score - place) ** 2, 0) / varianceAt(place)).toBeCloseTo(1, 6);
    }
    const variances = range(20 * steps + 1).map((i) => varianceAt(i / (20 * steps)));
    expect(Math.max(...variances) / worst).toBeLessThan(1 + 1e-9);
    expect(Math.max(...variances) / worst).toBeGreaterThan(0.99);
  });
});

test('what 32 bits cannot hold, grids of no size and integers that are no law are refused', () => {
  for (const epsilon of [1e-11, 30, 64, 700, 1e300]) expect(() => laplaceLaw(epsilon), String(epsilon)).toThrow(RangeError);
  for (const steps of [0, 257, 1.5, Number.NaN]) expect(() => laplaceLaw(1, steps), String(steps)).toThrow(RangeError);
  for (const tails of [[], [0], [MODULUS / 2], [5, 5], 'ab']) {
    expect(() => laplace.validate({ mechanism: 'laplace', tails: tails as number[] }), JSON.stringify(tails)).toThrow(/laplace: tails/);
  }
});

test('a number a quarter of a step above a point goes up for exactly the words below 2^30', () => {
  const law = laplaceLaw(8, 4);
  const output = (word: number): string => {
    const script = [word, MODULUS / 2];
    return hex(
      randomizeLaplace(
        law,
        1.25 / 4,
        createCoins(() => script.shift() ?? 0),
      ),
    );
  };
  expect([output(2 ** 30 - 1), output(2 ** 30)]).toEqual(['02', '01']);
});

test.each([64, 128, 256])('over all words below %i, the shipped randomizer has exactly the channel, between the points too', (modulus) => {
  for (const steps of [1, 2, 4]) {
    const tails = range(steps).map((i) => Math.floor((modulus * 0.4) / 1.6 ** i) - i);
    const law: LaplaceLaw = { mechanism: 'laplace', tails };
    for (const point of range(steps)) {
      for (const up of [0, 1, modulus / 4, modulus - 1]) {
        const place = (point + up / modulus) / steps;
        expect(exactDistribution((coins) => randomizeLaplace(law, place, coins, modulus), modulus)).toEqual(
          between(law, modulus, point, up),
        );
      }
    }
  }
});
