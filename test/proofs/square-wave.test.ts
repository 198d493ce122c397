/** Proofs of the square wave on a grid: the law at every ε, its window, the shipped code at every threshold, its scores. */

import { distribution as question } from '@murmuration/client';
import { squareWave as named } from '@murmuration/client/mechanisms';
import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { kAryLaw, MODULUS, piecewise, type SquareWaveLaw, squareWave, squareWaveLaw, waveWindow } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { respondAround } from '#client/randomizers/piecewise.ts';
import { squareWaveDistribution } from '#collector/estimation/mechanisms/square-wave.ts';
import { expectationMaximization, squareWaveScores } from '#collector/estimation/square-wave-shares.ts';
import { squareWave as specimen } from '../conformance/specimens/square-wave.ts';
import { EPSILONS, expectHeld, expectLargest } from './asked.ts';
import { largestRatio, range } from './channel.ts';
import { type Distribution, exactDistribution } from './enumerate.ts';
import { ONE, rational, sum, toNumber } from './rational.ts';
import { multinomial, pooled, upperTail } from './statistics.ts';

const CELLS = [2, 3, 5, 16, 64];

const rowsOf = (law: SquareWaveLaw): readonly Distribution[] => range(law.grid + 1).map((cell) => specimen.row(law, cell, MODULUS));

describe.each([1e-4, ...EPSILONS])('the square wave at ε = %d', (epsilon) => {
  test.each(CELLS)('over %i cells has rows that sum to 1 and the stated odds, below e^ε, as its largest ratio', (cells) => {
    const law = squareWaveLaw(cells, epsilon);
    squareWave.validate(law);
    const rows = rowsOf(law);
    for (const row of rows) {
      expect(row.size).toBe(law.grid + law.window);
      expect(sum(row.values())).toEqual(ONE);
    }
    expect(squareWave.odds(law)).toEqual({ report: largestRatio(rows) });
    expectHeld(squareWave.odds(law).report, epsilon);
    const next = law.inside + 1;
    expectLargest(rational(BigInt(next) * BigInt(law.grid), BigInt(MODULUS - next) * BigInt(law.window)), epsilon);
  });

  test.each(CELLS)('over %i cells has scores without bias for every cell', (cells) => {
    const law = squareWaveLaw(cells, epsilon);
    const scoresOf = squareWaveScores(law);
    const scores = range(cells).map((cell) => scoresOf(range(cells).map((i) => Number(i === cell))));
    const rows = rowsOf(law).map((row) => [...row.values()].map(toNumber));
    for (const [i, score] of scores.entries()) {
      for (const [x, row] of rows.entries()) {
        const mean = row.reduce((total, p, j) => total + p * (score[j] as number), 0);
        const size = row.reduce((total, p, j) => total + p * Math.abs(score[j] as number), 0);
        expect(Math.abs(mean - Number(i === x))).toBeLessThan(1e-12 * (1 + size));
      }
    }
  });
});

test('the window is that of the paper’s b(ε), within a cell', () => {
  for (const epsilon of [0.01, 0.1, 0.5, 1, 2, 3, 4, 6, 8]) {
    const [e, less] = [Math.exp(epsilon), Math.expm1(epsilon)];
    const b = (epsilon * e - less) / (2 * e * (less - epsilon));
    for (const cells of CELLS) expect(waveWindow(cells, epsilon)).toBe(2 * Math.floor(b * cells) + 1);
  }
  expect([waveWindow(64, 1e-4), waveWindow(64, 1e-3), waveWindow(64, 16)]).toEqual([65, 63, 1]);
});

test('b(ε) is where an output tells the most of an even number', () => {
  // §5.3: the entropy of outputs that are all alike, less that of a row, in the limit of many cells.
  const told = (b: number, e: number): number => {
    const q = 1 / (2 * b * e + 1);
    return Math.log(2 * b + 1) + 2 * b * e * q * Math.log(e * q) + q * Math.log(q);
  };
  for (const epsilon of [0.1, 0.5, 1, 2, 4]) {
    const e = Math.exp(epsilon);
    const b = (epsilon * e - e + 1) / (2 * e * (e - 1 - epsilon));
    const best = told(b, e);
    for (const factor of [0.8, 0.95, 1.05, 1.25]) expect(told(b * factor, e)).toBeLessThan(best);
  }
});

test('windows of one cell are k-ary response', () => {
  expect(squareWaveLaw(64, 8).window).toBe(1);
  expect(squareWaveLaw(64, 8).inside).toBe(kAryLaw(64, 8).truth);
});

test('what 32 bits cannot hold, and grids of no size, are refused', () => {
  for (const epsilon of [1e-11, 30, 64, 700, 1e300]) expect(() => squareWaveLaw(64, epsilon), String(epsilon)).toThrow(RangeError);
  for (const cells of [0, 1, 257, 1.5, Number.NaN]) expect(() => squareWaveLaw(cells, 1), String(cells)).toThrow(RangeError);
  for (const wrong of [{ grid: 0 }, { window: 0 }, { inside: MODULUS }, { inside: 1 }, { grid: 1.5 }]) {
    expect(() => squareWave.validate({ ...squareWaveLaw(5, 1), ...wrong }), JSON.stringify(wrong)).toThrow(/square-wave: /);
  }
  expect(() => piecewise.validate({ mechanism: 'piecewise', grid: 0, window: 1, inside: 1 })).toThrow(/piecewise: grid/);
});

test.each([2, 3, 5, 9])(
  'over all strings of words, the shipped randomizer has exactly the channel of every threshold, over %i cells',
  (cells) => {
    for (const window of [1, 3, 5]) {
      for (let inside = 0; inside <= 16; inside++) {
        const law: SquareWaveLaw = { mechanism: 'square-wave', grid: cells - 1, window, inside };
        for (const cell of range(cells))
          expect(exactDistribution((coins) => respondAround(law, cell, coins), 16)).toEqual(specimen.row(law, cell, 16));
      }
    }
  },
);

test('outputs come as often as the law says, and would not fit one whose threshold is 1 % off', () => {
  const coins = createCoins(words(seededRng(17)));
  const reports = 400_000;
  const samples = [
    [squareWaveLaw(64, 1), 20],
    [squareWaveLaw(64, 4), 63],
    [squareWaveLaw(16, 2), 0],
  ] as const;
  const counted = samples.map(([law, cell]) => {
    const counts = range(law.grid + law.window).map(() => 0);
    for (let i = 0; i < reports; i++) {
      const [output] = squareWave.decode(law, respondAround(law, cell, coins)).cells;
      counts[output as number] = (counts[output as number] as number) + 1;
    }
    return { law, cell, counts };
  });
  const pValue = (factor: number): number =>
    upperTail(
      pooled(
        counted.map(({ law: { grid, window, inside }, cell, counts }) => {
          const p = (inside * factor) / MODULUS;
          const chances = counts.map((_, j) => (j >= cell && j < cell + window ? p / window : (1 - p) / grid));
          return multinomial(counts, chances, reports);
        }),
      ),
    );
  expect(pValue(1)).toBeGreaterThan(1e-6);
  expect(pValue(0.99)).toBeLessThan(1e-6);
});

describe('the estimators', () => {
  test('state, with every number in one cell, the variance of its row', () => {
    for (const epsilon of [0.5, 2, 8]) {
      const law = squareWaveLaw(5, epsilon);
      const weights = [0, 0.25, 1, 0.5, 0];
      const expectedCounts = [...specimen.row(law, 1, MODULUS).values()].map((p) => 1e6 * toNumber(p));
      const found = squareWaveDistribution(law, new Map([[0, { reports: 1e6, cells: Float64Array.from(expectedCounts) }]]));
      const { estimate, variance } = found?.meanOf(weights) ?? { estimate: 0, variance: 0 };
      const exact =
        squareWaveScores(law)(weights).reduce((total, score, j) => total + (expectedCounts[j] as number) * score * score, 0) / 1e6 -
        0.25 ** 2;
      expect(estimate).toBeCloseTo(0.25, 9);
      // The likeliest shares stop short of the very cell.
      expect((variance * 1e6) / exact).toBeGreaterThan(0.99);
      expect((variance * 1e6) / exact).toBeLessThan(1.05);
    }
  });

  test('know the whole: its share is 1 without error', () => {
    const law = squareWaveLaw(16, 1);
    const cells = Float64Array.from(range(law.grid + law.window), (j) => 10 + j * j);
    const found = squareWaveDistribution(law, new Map([[0, { reports: cells.reduce((a, b) => a + b), cells }]]));
    const { estimate, variance } = found?.meanOf(new Float64Array(16).fill(1)) ?? { estimate: 0, variance: 1 };
    expect(estimate).toBeCloseTo(1, 9);
    expect(Math.abs(variance)).toBeLessThan(1e-12);
  });

  test('EM finds shares that are not negative and sum to 1, at every ε without NaN', () => {
    for (const epsilon of [1e-4, ...EPSILONS]) {
      for (const cells of [2, 64, 256]) {
        const law = squareWaveLaw(cells, epsilon);
        const counts = new Float64Array(law.grid + law.window);
        counts[0] = 1;
        counts[law.grid] = 99;
        const shares = expectationMaximization(law, counts);
        expect(shares).toHaveLength(cells);
        expect(Math.min(...shares)).toBeGreaterThanOrEqual(0);
        expect(shares.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 9);
      }
    }
  });

  test('EM climbs: no shares are likelier than those it stops at by more than its rule allows', () => {
    const law = squareWaveLaw(8, 2);
    const counts = Float64Array.from([...specimen.row(law, 2, MODULUS).values()].map((p, j) => 1e5 * toNumber(p) + 7 * ((j * 31) % 11)));
    const likelihood = (shares: ArrayLike<number>): number =>
      counts.reduce((total, count, j) => {
        const chance = Array.from(shares).reduce((sum, share, i) => {
          const near = j >= i && j < i + law.window;
          return sum + share * (near ? law.inside / law.window : (MODULUS - law.inside) / law.grid);
        }, 0);
        return total + count * Math.log(chance / MODULUS);
      }, 0);
    const found = likelihood(expectationMaximization(law, counts));
    for (const from of range(8)) {
      const point = range(8).map((i) => Number(i === from));
      expect(likelihood(point)).toBeLessThan(found + 1);
    }
    expect(likelihood(range(8).map(() => 1 / 8))).toBeLessThan(found);
  });
});

test('a number falls into the cell that holds it, beyond the range into the last', () => {
  const { input, labels } = question([-10, 30], { epsilon: 8, description: 'x', cells: 4, mechanism: named() });
  expect([-1e9, -10, -0.001, 0, 9.99, 10, 29.99, 30, 1e308, Number.NaN].map(input)).toEqual([0, 0, 0, 1, 1, 2, 3, 3, 3, 0]);
  expect(['5', null, true].map((value) => input(value as never))).toEqual(Array(3).fill(undefined));
  expect(labels(squareWaveLaw(4, 8))).toEqual(['-5', '5', '15', '25']); // the middles: at ε = 8 a window is a cell
});
