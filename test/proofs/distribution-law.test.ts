/** Which law a distribution gets, for some numbers of cells; distribution-law.deep.test.ts has all. */

import { distributionLaw, hierarchicalLaw, kAryLaw, squareWaveLaw } from '@murmuration/shared';
import { expect, test } from 'vitest';
import { evenVariance } from '#collector/estimation/mechanisms/table.ts';
import { CELLS, EPSILONS, provesChange, provesGrid } from './distribution-law.ts';

provesGrid(
  [0.05, 1, 2, 3, 4.5, 7],
  CELLS.filter((cells) => cells <= 16 || cells % 32 === 0 || cells % 25 === 0),
  [2, 3, 5, 8, 17, 33],
);
provesChange(CELLS.filter((cells) => cells <= 24 || cells % 32 === 0 || cells % 37 === 0));

test('of 256 cells and 64 it has at the middle of the range no more variance than both laws by name, but for 1 part in 5', () => {
  for (const cells of [64, 256]) {
    for (const epsilon of EPSILONS) {
      const [chosen, wave, named] = [distributionLaw, squareWaveLaw, hierarchicalLaw].map((law) => evenVariance(law(cells, epsilon)));
      expect((chosen as number) / Math.min(wave as number, named as number), `${cells} cells at ${epsilon}`).toBeLessThan(1.2);
    }
  }
});

test('it is hierarchical for small ε, and a square wave of one cell where a device can name its cell', () => {
  const named = (cells: number, epsilon: number): string => {
    const law = distributionLaw(cells, epsilon);
    return law.mechanism === 'hierarchical' ? `${law.levels.length} levels` : `window ${law.window}`;
  };
  expect([1, 2, 4, 5].map((epsilon) => named(64, epsilon))).toEqual(['3 levels', '3 levels', '2 levels', 'window 1']);
  expect([1, 4, 6, 7].map((epsilon) => named(256, epsilon))).toEqual(['4 levels', '3 levels', '2 levels', 'window 1']);
  expect([0.5, 2].map((epsilon) => named(8, epsilon))).toEqual(['1 levels', 'window 1']);
  expect(distributionLaw(64, 8)).toMatchObject({ mechanism: 'square-wave', inside: kAryLaw(64, 8).truth });
});
