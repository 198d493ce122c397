/**
 * Counts by day, published so that the sum over any range of days can be asked: a noisy histogram or a consistent tree of noisy sums,
 * whichever errs less (range-design.ts). Hay, Rastogi, Miklau, Suciu 2010; Qardaji, Yang, Li 2013.
 *
 * A device-day changes the sums of its h blocks, so noise that is made for h times the sensitivity spends ε once. All that follows is
 * computed from noisy sums y, which spends nothing. With z = the sum of the y of all blocks around a day, the least-squares days are
 *   x = Σ_{j<h-1} (P_j z - P_(j+1) z) / L_j + P_(h-1) z / L_(h-1)
 * by the eigenspaces of range-design.ts. A range is estimated by the sum of its days, which has no bias.
 * Usefulness of the worst range: Chebyshev's inequality.
 */

import type { NoiseMechanism, ReleaseMechanism } from './index.ts';
import { bestDesign, blockSizes, eigenvalues, type RangeDesign, rangeVariance, worstRangeVariance } from './range-design.ts';
import { assertBeta, assertWhole } from './spending.ts';

/** What is published: noisy sums, and what follows from them. */
export interface RangeRelease {
  readonly design: RangeDesign;
  /** The noisy sum of each block, by level. */
  readonly sums: readonly (readonly number[])[];
  /** The consistent estimate of each day. */
  readonly days: readonly number[];
  /** The estimate of the sum over the days from .. to - 1, and its standard error. */
  readonly range: (from: number, to: number) => { readonly estimate: number; readonly standardError: number };
}

/** Averages over blocks of so many cells. */
function averaged(cells: readonly number[], size: number): readonly number[] {
  const means = Array.from({ length: cells.length / size }, (_, block) => {
    let sum = 0;
    for (let i = block * size; i < (block + 1) * size; i++) sum += cells[i] as number;
    return sum / size;
  });
  return cells.map((_, i) => means[Math.floor(i / size)] as number);
}

/** The least-squares days from noisy sums. */
export function consistentDays(design: RangeDesign, sums: readonly (readonly number[])[]): readonly number[] {
  const [sizes, values] = [blockSizes(design), eigenvalues(design)];
  const around = (sums[0] as readonly number[]).map((_, day) =>
    sums.reduce((total, level, j) => total + (level[Math.floor(day / (sizes[j] as number))] as number), 0),
  );
  const means = sizes.map((size) => averaged(around, size));
  return around
    .slice(0, design.days)
    .map((_, day) => means.reduce((sum, mean, j) => sum + ((mean[day] as number) - (means[j + 1]?.[day] ?? 0)) / (values[j] as number), 0));
}

/** The sums of the blocks of each level, days that are missing in the last ones being 0. */
function blockSums(design: RangeDesign, counts: readonly number[]): readonly (readonly number[])[] {
  const sizes = blockSizes(design);
  const widest = sizes.at(-1) as number;
  const padded = Math.ceil(counts.length / widest) * widest;
  return sizes.map((size) =>
    Array.from({ length: padded / size }, (_, block) =>
      counts.slice(block * size, (block + 1) * size).reduce((sum, count) => sum + count, 0),
    ),
  );
}

/** The parameters of a release of ranges. */
export interface RangeOptions {
  readonly days: number;
  /**
   * Noise for sums if each device-day is in so many of them: `geometric` with the sensitivity times `levels`, or `gaussian` with the
   * squared sensitivity times `levels`.
   */
  readonly noiseOf: (levels: number) => NoiseMechanism;
  /** The design, if it is not to be chosen. */
  readonly design?: RangeDesign;
}

/** Quadratic work for the worst range stays below a second. */
const MOST_DAYS = 4096;

/**
 * Releases sums over ranges of days from the counts by day.
 *
 * @throws {RangeError} unless there are 1 to 4,096 days
 */
export function ranges(of: RangeOptions): ReleaseMechanism<readonly number[], RangeRelease> & { readonly design: RangeDesign } {
  const { days, noiseOf } = of;
  assertWhole(days, 'ranges: days', 1, MOST_DAYS);
  const design = of.design ?? bestDesign(days, (levels) => noiseOf(levels).variance);
  const noise = noiseOf(design.levels);
  let worst: number | undefined;
  return {
    name: design.levels === 1 ? 'noisy histogram of days' : 'consistent tree of days',
    rho: noise.rho,
    epsilon: noise.epsilon,
    sensitivity: noise.sensitivity,
    design,
    release: (counts, random) => {
      assertWhole(counts.length, 'ranges: the number of days', days, days);
      const sums = blockSums(design, counts).map((level) => level.map((sum) => noise.release(sum, random)));
      const estimates = consistentDays(design, sums);
      return {
        design,
        sums,
        days: estimates,
        range: (from, to) => {
          assertWhole(from, 'ranges: the first day', 0, days - 1);
          assertWhole(to, 'ranges: the day after the last', from + 1, days);
          return {
            estimate: estimates.slice(from, to).reduce((sum, day) => sum + day, 0),
            standardError: Math.sqrt(noise.variance * rangeVariance(design, from, to)),
          };
        },
      };
    },
    accuracy: (beta) => {
      assertBeta(beta);
      worst ??= worstRangeVariance(design);
      return Math.sqrt((noise.variance * worst) / beta);
    },
  };
}
