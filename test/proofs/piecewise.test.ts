/** Proofs of the piecewise mechanism on a grid: the law over 2^32, its thresholds, the shipped code over all coins, its scores. */

import {
  hybridMeanLaw,
  hybridWorst,
  kAryLaw,
  MODULUS,
  meanLaw,
  type PiecewiseLaw,
  piecewise,
  piecewiseIdeal,
  piecewiseLaw,
  piecewiseMoments,
  piecewiseWorst,
  steppedLaw,
} from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { createCoins } from '#client/random/coins.ts';
import { randomizePiecewise } from '#client/randomizers/piecewise.ts';
import { piecewiseScores } from '#collector/estimation/mechanisms/piecewise.ts';
import { scoresOf } from '#collector/estimation/mechanisms/table.ts';
import { piecewiseRow } from '../conformance/specimens/piecewise.ts';
import { EPSILONS, expectHeld, expectLargest } from './asked.ts';
import { distribution, largestRatio, range } from './channel.ts';
import { type Distribution, exactDistribution, hex } from './enumerate.ts';
import { add, divide, multiply, ONE, power, type Rational, rational, relativeError, subtract, sum, toNumber } from './rational.ts';

/** Grids and windows: of Duchi, of k-ary response, narrow, wide, wider than the grid. */
const SHAPES = [
  [1, 1],
  [1, 2],
  [2, 1],
  [3, 1],
  [3, 2],
  [4, 2],
  [5, 7],
  [9, 3],
  [64, 14],
  [300, 40],
] as const;

/** E[score^order] under a row. */
const moment = (row: Distribution, score: (report: string) => Rational, order: number): Rational =>
  sum([...row].map(([report, p]) => multiply(p, power(score(report), order))));

/** The row of a number between two points, `up` of T towards the upper one. */
const between = (law: PiecewiseLaw, T: number, point: number, up: number): Distribution =>
  distribution(
    (
      [
        [point, T - up],
        [point + 1, up],
      ] as const
    ).flatMap(([at, weight]) =>
      weight === 0 ? [] : [...piecewiseRow(law, at, T)].map(([cell, p]) => [cell, multiply(p, rational(weight, T))] as const),
    ),
  );

const rowsOf = (law: PiecewiseLaw): readonly Distribution[] => range(law.grid + 1).map((point) => piecewiseRow(law, point, MODULUS));

describe.each(EPSILONS)('the piecewise mechanism at ε = %d', (epsilon) => {
  test.each(SHAPES)(
    'on %i steps, windows of %i, has rows that sum to 1 and the stated odds, below e^ε, as its largest ratio',
    (grid, window) => {
      const law = piecewiseLaw(grid, window, epsilon);
      piecewise.validate(law);
      const rows = rowsOf(law);
      for (const row of rows) {
        expect(row.size).toBe(grid + window);
        expect(sum(row.values())).toEqual(ONE);
      }
      expect(piecewise.odds(law)).toEqual({ report: largestRatio(rows) });
      expectHeld(piecewise.odds(law).report, epsilon);
      const next = law.inside + 1;
      expectLargest(rational(BigInt(next) * BigInt(grid), BigInt(MODULUS - next) * BigInt(window)), epsilon);
    },
  );

  test('loses no more between the points: rounding mixes rows', () => {
    const law = piecewiseLaw(3, 2, epsilon);
    const mixed = [...rowsOf(law), between(law, MODULUS, 0, 1), between(law, MODULUS, 1, 12_345), between(law, MODULUS, 2, MODULUS - 1)];
    expect(largestRatio(mixed)).toEqual(piecewise.odds(law).report);
  });

  test.each(SHAPES)('on %i steps, windows of %i, has the stated moments and so scores without bias', (grid, window) => {
    const law = piecewiseLaw(grid, window, epsilon);
    const p = rational(law.inside, MODULUS);
    const gain = subtract(p, multiply(subtract(ONE, p), rational(window, grid)));
    const stated = piecewiseMoments(grid, window, law.inside / MODULUS);
    expect(relativeError(stated.gain, gain)).toBeLessThan(1e-4 / 2 ** 32 / toNumber(gain) + 1e-12);
    const middle = rational(grid + window - 1, 2);
    const exact = (cell: string): Rational => divide(subtract(rational(Number.parseInt(cell, 16)), middle), gain);
    const { values, varianceAt } = piecewiseScores(law);
    for (const point of [0, 1, grid]) {
      const row = piecewiseRow(law, point, MODULUS);
      const offset = subtract(rational(point), rational(grid, 2));
      expect(moment(row, exact, 1)).toEqual(offset);
      const variance = divide(subtract(moment(row, exact, 2), multiply(offset, offset)), rational(grid * grid));
      expect(relativeError(varianceAt(point / grid), variance)).toBeLessThan(1e-9);
      for (const [cell, score] of [...row.keys()].map((key) => [key, exact(key)] as const)) {
        const place = 0.5 + toNumber(score) / grid;
        expect(Math.abs((values[Number.parseInt(cell, 16)] as number) - place)).toBeLessThan(1e-9 * (1 + Math.abs(place)));
      }
    }
    // Between two points, the grid's term is in it.
    for (const up of [1, MODULUS / 4, MODULUS / 2, MODULUS - 1]) {
      const row = between(law, MODULUS, grid - 1, up);
      const offset = add(subtract(rational(grid - 1), rational(grid, 2)), rational(up, MODULUS));
      expect(moment(row, exact, 1)).toEqual(offset);
      const variance = divide(subtract(moment(row, exact, 2), multiply(offset, offset)), rational(grid * grid));
      expect(relativeError(varianceAt((grid - 1 + up / MODULUS) / grid), variance)).toBeLessThan(1e-9);
    }
  });

  test.each(SHAPES)('on %i steps, windows of %i, has its largest variance where it says', (grid, window) => {
    const { varianceAt, worst } = piecewiseScores(piecewiseLaw(grid, window, epsilon));
    const variances = range(20 * grid + 1).map((i) => varianceAt(i / (20 * grid)));
    expect(Math.max(...variances) / worst).toBeLessThan(1 + 1e-9);
    expect(Math.max(...variances) / worst).toBeGreaterThan(0.99);
  });
});

describe('the chooser of means', () => {
  test('is never worse than Duchi, the hybrid of the paper, or the named laws on grids', () => {
    const duchi = (e: number): number => ((Math.exp(e) + 1) / (Math.exp(e) - 1)) ** 2;
    const hybrid = (e: number): number => {
      const h = Math.exp(e / 2);
      return (h + 3) / (3 * h * (h - 1)) + duchi(e) / h;
    };
    for (const epsilon of [...EPSILONS, 0.7, 0.8, 1.2, 1.6, 1.8, 2.5].filter((e) => e < 16)) {
      const worst = 4 * scoresOf(meanLaw(epsilon)).worst; // on [-1, 1]
      expect(worst / duchi(epsilon)).toBeLessThan(1 + 1e-6);
      expect(worst / hybrid(epsilon)).toBeLessThan(1);
      for (const law of [steppedLaw(epsilon), hybridMeanLaw(epsilon)]) expect(worst / (4 * scoresOf(law).worst)).toBeLessThan(1 + 1e-6);
    }
  });

  test('names of all piecewise laws, and of all hybrid ones, on up to 64 steps the one with the least worst-case variance', () => {
    for (const epsilon of [...EPSILONS, 1.5, 3, 6]) {
      const pairs = range(64).flatMap((g) => range(128).map((w) => [g + 1, w + 1] as const));
      const one = Math.min(...pairs.filter(([g]) => g > 1).map(([g, w]) => piecewiseWorst(g, w, piecewiseIdeal(g, w, epsilon))));
      const both = Math.min(...pairs.map(([g, w]) => hybridWorst(g, w, epsilon)));
      expect(scoresOf(steppedLaw(epsilon)).worst / one).toBeCloseTo(1, 5);
      expect(scoresOf(hybridMeanLaw(epsilon)).worst / both).toBeCloseTo(1, 4);
    }
  });

  test('one step and one cell are Warner’s response, and one cell is k-ary response', () => {
    for (const epsilon of EPSILONS) {
      expect(piecewiseLaw(1, 1, epsilon).inside).toBe(kAryLaw(2, epsilon).truth);
      expect(piecewiseLaw(6, 1, epsilon).inside).toBe(kAryLaw(7, epsilon).truth);
    }
  });
});

test('what 32 bits cannot hold is refused', () => {
  for (const epsilon of [1e-11, 30, 64, 700, 1e300]) expect(() => meanLaw(epsilon), String(epsilon)).toThrow(RangeError);
});

describe('at its thresholds', () => {
  const scripted = (...words: readonly number[]) => {
    const rest = [...words];
    return createCoins(() => rest.shift() ?? 0);
  };
  const laws = SHAPES.flatMap(([grid, window]) => EPSILONS.map((epsilon) => piecewiseLaw(grid, window, epsilon)));

  test('the word inside - 1 stays in the window and the word inside leaves it', () => {
    for (const law of laws) {
      for (const [place, point] of [
        [0, 0],
        [1, law.grid],
      ] as const) {
        for (const [word, stays] of [
          [law.inside - 1, true],
          [law.inside, false],
        ] as const) {
          const cell = Number.parseInt(hex(randomizePiecewise(law, place, scripted(0, word))), 16);
          expect(cell >= point && cell < point + law.window).toBe(stays);
        }
      }
    }
  });

  test('a number a quarter of a step above a point goes up for exactly the words below 2^30', () => {
    const law = piecewiseLaw(4, 2, 1);
    const cell = (word: number): string => hex(randomizePiecewise(law, 1.25 / 4, scripted(word, 0, 0)));
    expect([cell(2 ** 30 - 1), cell(2 ** 30)]).toEqual(['02', '01']);
  });
});

describe('over all strings of words, the shipped piecewise mechanism', () => {
  test.each(SHAPES.filter(([grid]) => grid < 6))(
    'has exactly the channel of every threshold below 2^4, on %i steps, windows of %i',
    (grid, window) => {
      for (let inside = 0; inside <= 16; inside++) {
        const law: PiecewiseLaw = { mechanism: 'piecewise', grid, window, inside };
        for (const point of range(grid + 1)) {
          const exact = exactDistribution((coins) => randomizePiecewise(law, point / grid, coins, 16), 16);
          expect(exact).toEqual(piecewiseRow(law, point, 16));
        }
      }
    },
  );
});
