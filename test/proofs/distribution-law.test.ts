/**
 * Which law a distribution gets: the one with the least range variance, of square waves of every window and of hierarchical intervals of
 * every branching. That is the mean over all ranges, of numbers that are spread evenly. The chooser has a closed form for it from the real
 * ε; here it is computed from the integers of the laws, by the estimators. Tried are a grid of cells and ε, and for 2 to 256 cells
 * both sides of the ε where the kind of law changes.
 */

import { distributionLaw, type HierarchicalLaw, hierarchicalLaw, kAryLaw, type SquareWaveLaw, squareWaveLaw } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { evenVariance } from '#collector/estimators/estimator.ts';
import { hierarchicalEven } from '#collector/estimators/hierarchical.ts';
import { squareWaveEven } from '#collector/estimators/square-wave.ts';
import { range } from './channel.ts';

/** Integers over 2^32 instead of real probabilities change a range variance by less than this. */
const ROUNDING = 1 + 1e-6;
const CELLS = range(255).map((i) => i + 2);
const EPSILONS = [0.05, 0.25, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 7, 8, 10];

type DistributionLaw = HierarchicalLaw | SquareWaveLaw;

const varianceOf = (law: DistributionLaw): ((weights: readonly number[]) => number) =>
  law.mechanism === 'hierarchical' ? (weights) => hierarchicalEven(law, weights) : squareWaveEven(law);

/**
 * The mean over the ranges between two of the d + 1 edges. The variance is a square form of weights, so with F_e the cells
 * below edge e the sum over pairs of edges of the variance of F_b - F_a is (d + 1) Σ_e V(F_e) - V(Σ_e F_e).
 */
function rangeVariance(cells: number, law: DistributionLaw): number {
  const variance = varianceOf(law);
  const weights = Array.from({ length: cells }, () => 0);
  let below = 0; // of no cells it is 0
  for (let edge = 0; edge < cells; edge++) {
    weights[edge] = 1;
    below += variance(weights);
  }
  const together = variance(range(cells).map((i) => cells - i));
  return ((cells + 1) * below - together) / ((cells * (cells + 1)) / 2);
}

/** What is better than the law of so many cells, by more than rounding: the name of each, and by how much. */
function better(cells: number, epsilon: number, others: readonly (readonly [name: string, law: DistributionLaw])[]): readonly string[] {
  const chosen = rangeVariance(cells, distributionLaw(cells, epsilon));
  return others.flatMap(([name, law]) => {
    const over = chosen / rangeVariance(cells, law);
    return over < ROUNDING ? [] : [`${cells} cells at ${epsilon}: ${name} is better, ${over}`];
  });
}

/** The wave of the paper's window and that of one cell. */
const waves = (cells: number, epsilon: number) =>
  [
    ['the paper’s wave', squareWaveLaw(cells, epsilon)],
    ['a wave of one cell', squareWaveLaw(cells, epsilon, undefined, 1)],
  ] as const;

describe.each(EPSILONS)('at ε = %d', (epsilon) => {
  test('neither law by name has less range variance than the chosen one', () => {
    // The test below has all of them, next to the ε where laws change.
    const cells = CELLS.filter((each) => each <= 32 || each % 8 === 0 || each % 25 === 0);
    expect(
      cells.flatMap((each) => better(each, epsilon, [...waves(each, epsilon), ['hierarchical', hierarchicalLaw(each, epsilon)]])),
    ).toEqual([]);
  });

  test.each([2, 3, 5, 8, 10, 15, 17, 33, 50, 64])('of %i cells no branching and no window is better', (cells) => {
    const branchings = range(cells - 1).map((i) => [`${i + 2} branches`, hierarchicalLaw(cells, epsilon, i + 2)] as const);
    const windows = range(Math.min(40, cells)).map((i) => 2 * i + 1);
    const all = windows.map((window) => [`a window of ${window}`, squareWaveLaw(cells, epsilon, undefined, window)] as const);
    expect(better(cells, epsilon, [...branchings, ...all])).toEqual([]);
  });
});

/** Where the kind of law changes, the two ε next to it. */
function changes(cells: number): readonly (readonly [below: number, above: number])[] {
  const kindAt = (epsilon: number): string => distributionLaw(cells, epsilon).mechanism;
  const kinds = range(41).map((i) => kindAt(0.05 + i / 4));
  return kinds.slice(1).flatMap((kind, i) => {
    if (kinds[i] === kind) return [];
    let [below, above] = [0.05 + i / 4, 0.05 + (i + 1) / 4];
    while (above - below > 1e-9) {
      const middle = (below + above) / 2;
      if (kindAt(middle) === kind) above = middle;
      else below = middle;
    }
    return [[below, above] as const];
  });
}

describe('from 4 cells on the wave replaces hierarchical intervals at one ε, and on neither side is the other law better', () => {
  test.each(range(16).map((i) => 16 * i))('of %i cells and the 15 numbers above', (first) => {
    for (const cells of CELLS.filter((each) => each >= first && each < first + 16)) {
      const found = changes(cells);
      expect(found.length, `${cells} cells`).toBe(cells < 4 ? 0 : 1);
      for (const [below, above] of found) {
        const before = distributionLaw(cells, below) as HierarchicalLaw;
        expect([before.mechanism, distributionLaw(cells, above).mechanism]).toEqual(['hierarchical', 'square-wave']);
        expect(better(cells, below, waves(cells, below))).toEqual([]);
        const others = [...waves(cells, above), ['the law just below', hierarchicalLaw(cells, above, before.branching)]] as const;
        expect(better(cells, above, others)).toEqual([]);
      }
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
