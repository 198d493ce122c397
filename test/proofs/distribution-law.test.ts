/**
 * Which law a distribution gets: of the square wave with the paper's window and of hierarchical intervals of any branching none
 * has a range variance that is less by more than 5 %. It is the mean over all ranges, of numbers that are spread evenly.
 */

import { distributionLaw, type HierarchicalLaw, hierarchicalLaw, kAryLaw, type SquareWaveLaw, squareWaveLaw } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { evenVariance } from '#collector/estimators/estimator.ts';
import { hierarchicalEven } from '#collector/estimators/hierarchical.ts';
import { squareWaveEven } from '#collector/estimators/square-wave.ts';
import { range } from './channel.ts';

/** What another law may be better by. */
const NEAR = 1.05;
const EPSILONS = [0.25, 0.5, 1, 1.5, 2, 3, 3.5, 4, 4.5, 5, 5.5, 6, 7, 8, 10];
const CELLS = [2, 3, 5, 8, 10, 17, 32, 64, 100];

type Variance = (weights: readonly number[]) => number;

const varianceOf = (law: HierarchicalLaw | SquareWaveLaw): Variance =>
  law.mechanism === 'hierarchical' ? (weights) => hierarchicalEven(law, weights) : squareWaveEven(law);

/**
 * The mean over the ranges between two of the d + 1 edges. The variance is a square form of weights, so with F_e the cells
 * below edge e the sum over pairs of edges of the variance of F_b - F_a is (d + 1) Σ_e V(F_e) - V(Σ_e F_e).
 */
function overRanges(cells: number, variance: Variance): number {
  const below = range(cells + 1).map((edge) => variance(range(cells).map((i) => Number(i < edge))));
  const together = variance(range(cells).map((i) => cells - i));
  return ((cells + 1) * below.reduce((sum, each) => sum + each, 0) - together) / ((cells * (cells + 1)) / 2);
}

/** Branchings of one to eight levels, and those between. */
const branchings = (cells: number): readonly number[] =>
  [...new Set([2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, cells])].filter((b) => b <= cells);

describe.each(EPSILONS)('at ε = %d', (epsilon) => {
  test.each(CELLS)('the law over %i cells has the least range variance', (cells) => {
    const chosen = overRanges(cells, varianceOf(distributionLaw(cells, epsilon)));
    const others = [squareWaveLaw(cells, epsilon), ...branchings(cells).map((b) => hierarchicalLaw(cells, epsilon, b))];
    for (const law of others) {
      const name = law.mechanism === 'hierarchical' ? `${law.branching} branches` : 'the wave';
      expect(chosen / overRanges(cells, varianceOf(law)), name).toBeLessThan(NEAR);
    }
  });
});

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
  expect([1, 2, 4, 5].map((epsilon) => named(64, epsilon))).toEqual(['2 levels', '2 levels', '2 levels', 'window 1']);
  expect([1, 4, 6, 7].map((epsilon) => named(256, epsilon))).toEqual(['4 levels', '2 levels', '2 levels', 'window 1']);
  expect([0.5, 2].map((epsilon) => named(8, epsilon))).toEqual(['1 levels', 'window 1']);
  expect(distributionLaw(64, 8)).toMatchObject({ mechanism: 'square-wave', inside: kAryLaw(64, 8).truth });
});
