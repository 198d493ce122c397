/** Proofs of the hybrid mechanism on a grid: the law over 2^32, its thresholds, the shipped code over all words, its scores. */

import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { type HybridLaw, hybrid, hybridLaw, hybridMeanLaw, hybridWorst, MODULUS } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { randomizeHybrid } from '#client/randomizers/hybrid.ts';
import { hybridScores } from '#collector/estimation/mechanisms/hybrid.ts';
import { hybridRow } from '../conformance/specimens/hybrid.ts';
import { EPSILONS, expectHeld } from './asked.ts';
import { distribution, indexReport, largestRatio, range } from './channel.ts';
import { type Distribution, exactDistribution, hex } from './enumerate.ts';
import { multiply, ONE, type Rational, rational, sum, toNumber } from './rational.ts';
import { multinomial, upperTail } from './statistics.ts';

const SHAPES = [
  [1, 1],
  [2, 1],
  [3, 2],
  [9, 3],
  [62, 44],
] as const;

/** The row of a number `up` of T from a point to the next. */
const rowOf = (law: HybridLaw, T: number, point: number, up = 0): Distribution =>
  distribution(
    (
      [
        [point, T - up],
        [point + 1, up],
      ] as const
    ).flatMap(([at, weight]) =>
      weight === 0 ? [] : [...hybridRow(law, at, T)].map(([cell, p]) => [cell, multiply(p, rational(weight, T))] as const),
    ),
  );

const rowsOf = (law: HybridLaw): readonly Distribution[] => range(law.grid + 1).map((point) => rowOf(law, MODULUS, point));

describe.each([1e-4, ...EPSILONS])('the hybrid mechanism at ε = %d', (epsilon) => {
  test.each(SHAPES)(
    'on %i steps, windows of %i, has rows that sum to 1 and the stated odds, below e^ε, as its largest ratio',
    (grid, window) => {
      const law = hybridLaw(grid, window, epsilon);
      hybrid.validate(law);
      const rows = [...rowsOf(law), rowOf(law, MODULUS, 0, 12_345)];
      for (const row of rows) expect(sum(row.values())).toEqual(ONE);
      expect(hybrid.odds(law)).toEqual({ report: largestRatio(rows) });
      expectHeld(hybrid.odds(law).report, epsilon);
    },
  );

  test.each(SHAPES)(
    'on %i steps, windows of %i, scores without bias, with the stated variance, its largest where it says',
    (grid, window) => {
      const law = hybridLaw(grid, window, epsilon);
      const { values, varianceAt, worst } = hybridScores(law);
      for (const point of [0, 1, grid]) {
        const row = [...rowOf(law, MODULUS, point)].map(([cell, p]) => [Number.parseInt(cell, 16), toNumber(p)] as const);
        const score = (cell: number): number => (values[cell] as number) - point / grid;
        const mean = row.reduce((total, [cell, p]) => total + p * score(cell), 0);
        expect(Math.abs(mean) / Math.sqrt(worst)).toBeLessThan(1e-9);
        expect(row.reduce((total, [cell, p]) => total + p * score(cell) ** 2, 0) / varianceAt(point / grid)).toBeCloseTo(1, 6);
      }
      const variances = range(20 * grid + 1).map((i) => varianceAt(i / (20 * grid)));
      expect(Math.max(...variances) / worst).toBeLessThan(1 + 1e-9);
      expect(Math.max(...variances) / worst).toBeGreaterThan(0.99);
      expect(hybridWorst(grid, window, epsilon) / worst).toBeCloseTo(1, 4);
    },
  );
});

test('on the grid that is chosen errs no more than the hybrid of the paper', () => {
  for (const epsilon of [0.7, 1, 1.5, 2, 3, 4, 6]) {
    const h = Math.exp(epsilon / 2);
    const duchi = ((Math.exp(epsilon) + 1) / (Math.exp(epsilon) - 1)) ** 2;
    const paper = (h + 3) / (3 * h * (h - 1)) + duchi / h;
    expect((4 * hybridScores(hybridMeanLaw(epsilon)).worst) / paper).toBeLessThan(1 + 1e-6);
  }
});

test('what 32 bits cannot hold, and integers that are no law, are refused', () => {
  for (const epsilon of [1e-11, 30, 64, 700, 1e300]) expect(() => hybridMeanLaw(epsilon), String(epsilon)).toThrow(RangeError);
  const law = hybridMeanLaw(1);
  for (const wrong of [{ mix: 0 }, { mix: MODULUS }, { truth: MODULUS / 2 }, { truth: MODULUS }, { inside: 1 }, { grid: 0 }]) {
    expect(() => hybrid.validate({ ...law, ...wrong }), JSON.stringify(wrong)).toThrow(/hybrid: /);
  }
});

test('at each threshold the word below it and the word itself decide differently', () => {
  for (const law of [hybridMeanLaw(1), hybridMeanLaw(4), hybridLaw(3, 2, 0.5)]) {
    const output = (...script: readonly number[]): number => {
      const rest = [...script];
      return Number.parseInt(
        hex(
          randomizeHybrid(
            law,
            0,
            createCoins(() => rest.shift() ?? 0),
          ),
        ),
        16,
      );
    };
    const outputs = law.grid + law.window;
    expect([output(0, law.mix - 1), output(0, law.mix)].map((cell) => cell < outputs)).toEqual([true, false]);
    expect([output(0, 0, law.inside - 1), output(0, 0, law.inside)].map((cell) => cell < law.window)).toEqual([true, false]);
    const aside = [0, 0, 0]; // the piecewise mechanism's coin and dice
    expect([law.truth - 1, law.truth].map((word) => output(0, law.mix, ...aside, 0, word))).toEqual([outputs, outputs + 1]);
  }
});

test('over all strings of words, the shipped randomizer has exactly the channel', () => {
  for (const [grid, window] of [
    [1, 1],
    [2, 1],
    [4, 2],
  ] as const) {
    for (const [inside, mix, truth] of [
      [11, 5, 13],
      [9, 12, 9],
      [16, 0, 16],
    ] as const) {
      const law: HybridLaw = { mechanism: 'hybrid', grid, window, inside, mix, truth };
      for (const point of range(grid + 1)) {
        expect(exactDistribution((coins) => randomizeHybrid(law, point / grid, coins, 16), 16)).toEqual(rowOf(law, 16, point));
      }
      expect(exactDistribution((coins) => randomizeHybrid(law, (0.25 + grid - 1) / grid, coins, 16), 16)).toEqual(
        rowOf(law, 16, grid - 1, 4),
      );
    }
  }
});

test('outputs come as often as the law says, and would not fit one whose mix is 1 % off', () => {
  const coins = createCoins(words(seededRng(77)));
  const law = hybridLaw(9, 3, 2);
  const counts = range(14).map(() => 0);
  const reports = 500_000;
  for (let i = 0; i < reports; i++) {
    const [cell] = hybrid.decode(law, randomizeHybrid(law, 4 / 9, coins)).cells;
    counts[cell as number] = (counts[cell as number] as number) + 1;
  }
  const pValue = (mix: number): number => {
    const row = rowOf({ ...law, mix }, MODULUS, 4);
    return upperTail(
      multinomial(
        counts,
        range(14).map((cell) => toNumber(row.get(indexReport(cell, 14)) as Rational)),
        reports,
      ),
    );
  };
  expect(pValue(law.mix)).toBeGreaterThan(1e-6);
  expect(pValue(Math.round(law.mix * 0.99))).toBeLessThan(1e-6);
});
