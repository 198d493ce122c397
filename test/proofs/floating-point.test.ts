/** The floating-point attack on Laplace noise, and that the integer laws have nothing for it to find (docs/floating-point.md). */

import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { isPossible, textbook } from '@murmuration/examples/attacks/textbook-laplace';
import { geometricLaw, MODULUS, steppedLaw } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { randomizeGeometric } from '#client/randomizers/geometric.ts';
import { randomizePiecewise } from '#client/randomizers/piecewise.ts';
import { range } from './channel.ts';

const REPORTS = 10_000;
const SCALE = 1; // numbers from 0 to 1 at ε = 1, by the textbook

const drawer = (seed: number): (() => readonly [drawn: number, negative: boolean]) => {
  const word = words(seededRng(seed));
  return () => [(word() >>> 11) * 2 ** 32 + word(), word() < MODULUS / 2];
};

describe('textbook Laplace noise in doubles, of numbers from 0 to 1 at ε = 1', () => {
  const draw = drawer(2012);
  const attacked = [0, 1].map((x) => {
    const reports = range(REPORTS).map(() => textbook(x, SCALE, ...draw()));
    const possible = (of: number): number => reports.filter((report) => isPossible(of, SCALE, report)).length;
    return { own: possible(x), other: possible(1 - x) };
  });

  test('every report is possible for its own number, as the search says too', () => {
    expect(attacked.map(({ own }) => own)).toEqual([REPORTS, REPORTS]);
  });

  test('many reports are impossible for the other number: one of them is proof, and no ε holds', () => {
    expect(attacked.map(({ other }) => other)).toEqual([3547, 4267]);
  });
});

describe('the integer laws', () => {
  const last = (threshold: number) => createCoins(() => threshold - 1);

  test('of counts up to 20 at ε = 1 give every cell from every count: thresholds rise, and the word below each is tried', () => {
    const law = geometricLaw(20, 1);
    const { tails } = law;
    for (const count of range(21)) {
      const thresholds = range(20).map((j) => (j < count ? (tails[count - j - 1] as number) : MODULUS - (tails[j - count] as number)));
      const outputs = [...thresholds, MODULUS].map((threshold) => randomizeGeometric(law, count / 20, last(threshold))[0]);
      expect(outputs).toEqual(range(21));
    }
  });

  test('of means give every cell from every number, whatever its low bits', () => {
    for (const epsilon of [1, 4, 8]) {
      const law = steppedLaw(epsilon);
      const { grid, window, inside } = law;
      for (const place of [0, Number.MIN_VALUE, 0.1, 1 / 3, 0.5, 1 - 2 ** -53, 1]) {
        const cells = new Set<number>();
        // The rounding's word, the coin's, and each side of the die that counts.
        for (const coin of [inside - 1, inside]) {
          for (const side of range(coin < inside ? window : grid)) {
            const aside = coin < inside || window === 1 ? [] : [0]; // the die inside the window comes first
            const script = [MODULUS - 1, coin, ...aside, side];
            cells.add(
              randomizePiecewise(
                law,
                place,
                createCoins(() => script.shift() ?? 0),
              )[0] as number,
            );
          }
        }
        expect(cells.size).toBe(grid + window);
      }
    }
  });
});
