/**
 * A quantile of values that lie in cells, such as the median: the exponential mechanism with the rank's error as score. McSherry and Talwar
 * 2007, in the form of Smith 2011, "Privacy-preserving Statistical Estimation with Optimal Convergence Rates", §3, by permute-and-flip.
 *
 * For the quantile a/b of n values, cell c has the score
 *   -max(0, b #{values < c} - a n, a n - b #{values <= c})
 * which is 0 for the cell that holds the quantile. It is the rank's error, b times. One value more or less changes each term by at most
 * max(a, b - a). If n is public and one value is replaced by another, each term changes by at most b. The utility is that of
 * permute-and-flip.ts with this score.
 */

import type { Ratio } from '@murmuration/shared';
import type { ReleaseMechanism } from './index.ts';
import { permuteAndFlip } from './permute-and-flip.ts';
import { assertWhole } from './spending.ts';

/** The parameters of a quantile. */
export interface QuantileOptions {
  readonly epsilon: Ratio;
  /** How many cells there are, in ascending order of their values. */
  readonly cells: number;
  /** Such as 1/2 for the median. */
  readonly quantile: Ratio;
  /** The most values that one unit of privacy adds or removes, or replaces. */
  readonly sensitivity: number;
  /** Set if the number of values is public, so that one unit of privacy replaces values. */
  readonly replaced?: boolean;
}

/** The score of each cell from the counts of values in the cells. */
export function rankScores(counts: readonly number[], a: number, b: number): readonly number[] {
  const target = a * counts.reduce((sum, count) => sum + count, 0);
  let below = 0;
  return counts.map((count) => {
    const start = below;
    below += count;
    return -Math.max(0, b * start - target, target - b * below);
  });
}

/**
 * Releases the index of a cell from the counts of the cells. `accuracy` is the error of its rank, in values.
 *
 * @throws {RangeError} unless the quantile lies strictly between 0 and 1 and is a fraction of small numbers
 */
export function quantile(of: QuantileOptions): ReleaseMechanism<readonly number[], number> {
  const { epsilon, cells, sensitivity, replaced = false } = of;
  const [a, b] = [Number(of.quantile.numerator), Number(of.quantile.denominator)];
  assertWhole(b, "quantile: the quantile's denominator", 2, 10_000);
  assertWhole(a, "quantile: the quantile's numerator", 1, b - 1);
  assertWhole(sensitivity, 'quantile: sensitivity', 1, 2 ** 32);
  const select = permuteAndFlip({ epsilon, sensitivity: sensitivity * (replaced ? b : Math.max(a, b - a)), candidates: cells });
  return {
    ...select,
    name: 'quantile',
    sensitivity,
    release: (counts, random) => {
      for (const count of counts) assertWhole(count, 'quantile: a count', 0, 2 ** 38);
      return select.release(rankScores(counts, a, b), random);
    },
    accuracy: (beta) => select.accuracy(beta) / b,
  };
}
