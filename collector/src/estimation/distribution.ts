/**
 * Estimates from the tallies of a number's whole distribution over d cells. Any mean over devices of a weight by cell (the share of a
 * range, the mean number) has an unbiased estimate with a variance. The shares of the cells are also returned with the bias that makes them
 * valid shares (not negative, sum 1); these have no variance.
 *
 * A quantile's interval consists of the numbers that two one-sided tests do not reject. With F the share below an edge, the quantile of
 * level t lies in a cell whose lower edge has F <= t and whose upper edge has F >= t. A cell is rejected where a one-sided 97.5 % bound
 * contradicts either. The cell that holds the quantile is rejected with probability at most 5 %.
 */

import type { Density } from './density.ts';
import type { Estimate, Interval } from './estimate.ts';
import type { Supported } from './statistics/counts.ts';
import { Z95 } from './statistics/tails.ts';

/** An unbiased estimate of a mean over devices, and its variance. */
export interface Linear {
  readonly estimate: number;
  readonly variance: number;
  /** The errors lie between these 95 % of the time. Set where errors are far from normal. */
  readonly errors?: readonly [below: number, above: number];
}

/** An estimated distribution over cells. */
export interface Distribution {
  readonly cells: number;
  /** The mean weight over the devices that reported, given a weight for each cell. */
  readonly meanOf: (weights: ArrayLike<number>) => Linear;
  /**
   * The count of reports that support the cells from `from` (included) to `to` (excluded), for exact tests; undefined where no single count
   * tells their share.
   */
  readonly countOf: (from: number, to: number) => Supported | undefined;
  /** The shares as they are drawn. */
  readonly density: () => Density;
}

/**
 * Shares with z² additional devices, half at the highest value and half at the lowest (Agresti and Coull 1998). This accounts for rare
 * values that no report has shown yet.
 */
export function cautious(shares: ArrayLike<number>, values: ArrayLike<number>, reports: number): Float64Array {
  const more = Z95 * Z95;
  const all = Array.from(values);
  const [highest, lowest] = [all.indexOf(Math.max(...all)), all.indexOf(Math.min(...all))];
  return Float64Array.from(
    shares,
    (share, i) => (share * reports + (more / 2) * (Number(i === highest) + Number(i === lowest))) / (reports + more),
  );
}

/** An estimate with its 95 % interval. Where errors are not normal, the interval is nowhere shorter than the normal one. */
export function interval({ estimate, variance, errors = [0, 0] }: Linear): Estimate {
  const standardError = Math.sqrt(Math.max(0, variance));
  const [below, above] = errors;
  return {
    estimate,
    standardError,
    low: estimate - Math.max(Z95 * standardError, above),
    high: estimate + Math.max(Z95 * standardError, -below),
  };
}

/** The share of the cells from `from` (included) to `to` (excluded). */
export const shareOf = ({ cells, meanOf }: Distribution, from: number, to: number): Linear =>
  meanOf(new Float64Array(cells).fill(1, from, to));

/** The share below each edge of a cell, from the low end of the range to its high end. */
export const sharesBelow = (distribution: Distribution): readonly Linear[] =>
  Array.from({ length: distribution.cells + 1 }, (_, edge) => shareOf(distribution, 0, edge));

/**
 * The mean position in [0, 1]. Only the cell of each number is known, so the interval is widened by half a cell at both ends and then
 * covers the mean of the numbers themselves.
 */
export function meanPlace({ cells, meanOf }: Distribution): Estimate {
  const half = 0.5 / cells;
  const { low, high, ...rest } = interval(meanOf(Float64Array.from({ length: cells }, (_, i) => (2 * i + 1) * half)));
  return { ...rest, low: low - half, high: high + half };
}

/** The position in [0, 1] below which a share of the mass lies. The mass is spread evenly within cells. */
export function quantilePlace(shares: readonly number[], level: number): number {
  let below = 0;
  for (const [i, share] of shares.entries()) {
    if (share > 0 && below + share >= level) return (i + Math.max(0, (level - below) / share)) / shares.length;
    below += share;
  }
  return 1;
}

/** The interval of a quantile as positions in [0, 1], from the intervals of the shares below the edges. */
export function quantileInterval(below: readonly Interval[], level: number): Interval {
  const cells = below.length - 1;
  const possible = Array.from({ length: cells }, (_, i) => i).filter(
    (i) => (below[i] as Interval).low <= level && (below[i + 1] as Interval).high >= level,
  );
  return { low: (possible[0] ?? 0) / cells, high: ((possible.at(-1) ?? cells - 1) + 1) / cells };
}

/**
 * The shares as they are drawn, with their band. Where a share is near 0 its logarithm may be almost anything, and the unbiased estimate says
 * more: the band ends where that one's interval does.
 */
export function drawnOf(distribution: Distribution): Density {
  const { shares, low, high } = distribution.density();
  const ends = shares.map((share, i) => Math.max(share, interval(shareOf(distribution, i, i + 1)).high));
  return { shares, low, high: high.map((end, i) => Math.min(end, ends[i] as number)) };
}
