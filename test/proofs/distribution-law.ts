/**
 * Which law a distribution gets: one within a tenth of the least range variance, of square waves of every window and of hierarchical
 * intervals of every branching; of those branchings the least. That is the mean over all ranges, of numbers that are spread evenly. The chooser has a closed form for it from the real
 * ε; here it is computed from the integers of the laws, by the estimators.
 */

import { distributionLaw, type HierarchicalLaw, hierarchicalLaw, type SquareWaveLaw, squareWaveLaw } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { hierarchicalEven } from '#collector/estimation/mechanisms/hierarchical.ts';
import { squareWaveEven } from '#collector/estimation/mechanisms/square-wave.ts';
import { range } from './channel.ts';

/** Integers over 2^32 instead of real probabilities change a range variance by less than this. */
const ROUNDING = 1 + 1e-6;
/** What a law with more levels may cost. */
const NEAR = 1.1;
/** Every number of cells that a distribution may have. */
export const CELLS: readonly number[] = range(255).map((i) => i + 2);
export const EPSILONS: readonly number[] = [0.05, 0.25, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6, 7, 8, 10];

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

/** What is better than the law of so many cells, by more than a tenth and rounding: the name of each, and by how much. */
function better(cells: number, epsilon: number, others: readonly (readonly [name: string, law: DistributionLaw])[]): readonly string[] {
  const chosen = rangeVariance(cells, distributionLaw(cells, epsilon));
  return others.flatMap(([name, law]) => {
    const over = chosen / rangeVariance(cells, law);
    return over < NEAR * ROUNDING ? [] : [`${cells} cells at ${epsilon}: ${name} is better, ${over}`];
  });
}

/** The wave of the paper's window and that of one cell. */
const waves = (cells: number, epsilon: number) =>
  [
    ['the paper’s wave', squareWaveLaw(cells, epsilon)],
    ['a wave of one cell', squareWaveLaw(cells, epsilon, undefined, 1)],
  ] as const;

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

/** The chosen law beside both laws by name, and for small numbers of cells beside all branchings and windows. */
export function provesGrid(epsilons: readonly number[], cells: readonly number[], few: readonly number[]): void {
  describe.each(epsilons)('at ε = %d', (epsilon) => {
    test('neither law by name has less range variance than the chosen one', () => {
      expect(
        cells.flatMap((each) => better(each, epsilon, [...waves(each, epsilon), ['hierarchical', hierarchicalLaw(each, epsilon)]])),
      ).toEqual([]);
    });

    test.each(few)('of %i cells no branching and no window is better, and no smaller branching as good', (size) => {
      const branchings = range(size - 1).map((i) => [`${i + 2} branches`, hierarchicalLaw(size, epsilon, i + 2)] as const);
      const least = Math.min(...branchings.map(([, law]) => rangeVariance(size, law)));
      const chosen = hierarchicalLaw(size, epsilon);
      for (const [name, law] of branchings.slice(0, chosen.branching - 2))
        expect(rangeVariance(size, law) / least, name).toBeGreaterThan(NEAR / ROUNDING);
      const windows = range(Math.min(40, size)).map((i) => 2 * i + 1);
      const all = windows.map((window) => [`a window of ${window}`, squareWaveLaw(size, epsilon, undefined, window)] as const);
      expect(better(size, epsilon, [...branchings, ...all])).toEqual([]);
    });
  });
}

/** Both sides of the ε where the kind of law changes. */
export function provesChange(sizes: readonly number[]): void {
  describe('from 4 cells on the wave replaces hierarchical intervals at one ε, and on neither side is the other law better', () => {
    test.each(sizes)('of %i cells', (cells) => {
      const found = changes(cells);
      expect(found.length).toBe(cells < 4 ? 0 : 1);
      for (const [below, above] of found) {
        const before = distributionLaw(cells, below) as HierarchicalLaw;
        expect([before.mechanism, distributionLaw(cells, above).mechanism]).toEqual(['hierarchical', 'square-wave']);
        expect(better(cells, below, waves(cells, below))).toEqual([]);
        const others = [...waves(cells, above), ['the law just below', hierarchicalLaw(cells, above, before.branching)]] as const;
        expect(better(cells, above, others)).toEqual([]);
      }
    });
  });
}
