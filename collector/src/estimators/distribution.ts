/**
 * What tallies tell of a number's whole distribution over d cells: unbiased estimates of whatever is a mean over devices of
 * a weight by cell (the share of a range, the mean number), each with its variance, and shares that are no worse than
 * shares can be, which carry none.
 *
 * A quantile's interval is the set of numbers that two one-sided tests leave. With F the share below an edge, the quantile
 * of level t lies in a cell whose lower edge has F <= t and whose upper edge has F >= t; a cell is struck out where a
 * one-sided 97.5 % bound denies either. The cell that holds the quantile is struck out with probability at most 5 %.
 */

import { type Estimate, Z95 } from './estimate.ts';

/** An unbiased estimate of a mean over devices, and its variance. */
export interface Linear {
  readonly estimate: number;
  readonly variance: number;
  /** Between which errors lie 95 % of the time, where they are not near to normal. */
  readonly errors?: readonly [below: number, above: number];
}

/** A distribution over cells, as estimated. */
export interface Distribution {
  readonly cells: number;
  /** Of a weight for each cell: the mean weight over the devices that reported. */
  readonly meanOf: (weights: ArrayLike<number>) => Linear;
  /** Shares of the cells that are not negative and sum to 1, under the name of how they are found. No intervals. */
  readonly shape: () => { readonly name: 'smoothed' | 'consistent'; readonly shares: readonly number[] };
}

/**
 * Shares with z² devices more, half at the highest of some values and half at the lowest (Agresti and Coull 1998): for rare
 * ones that nobody has named yet.
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

/** An estimate with its 95 % interval; where errors are not normal, it is nowhere shorter than if they were. */
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

/** The share of the cells from `from` to below `to`. */
export const shareOf = ({ cells, meanOf }: Distribution, from: number, to: number): Linear =>
  meanOf(new Float64Array(cells).fill(1, from, to));

/** The share below each edge of a cell, from the range's low end to its high end. */
export const sharesBelow = (distribution: Distribution): readonly Linear[] =>
  Array.from({ length: distribution.cells + 1 }, (_, edge) => shareOf(distribution, 0, edge));

/**
 * The mean place in [0, 1]. Of a number only its cell is known: the interval is wider by half a cell at both ends, so that
 * it holds the mean of the numbers themselves.
 */
export function meanPlace({ cells, meanOf }: Distribution): Estimate {
  const half = 0.5 / cells;
  const { low, high, ...rest } = interval(meanOf(Float64Array.from({ length: cells }, (_, i) => (2 * i + 1) * half)));
  return { ...rest, low: low - half, high: high + half };
}

/** Where a share of the mass lies below, in [0, 1], evenly spread within cells. */
export function quantilePlace(shares: readonly number[], level: number): number {
  let below = 0;
  for (const [i, share] of shares.entries()) {
    if (share > 0 && below + share >= level) return (i + Math.max(0, (level - below) / share)) / shares.length;
    below += share;
  }
  return 1;
}

/** The places between which a quantile lies, in [0, 1], from the shares below the edges. */
export function quantileInterval(below: readonly Linear[], level: number): { readonly low: number; readonly high: number } {
  const cells = below.length - 1;
  const bounds = below.map(interval);
  const possible = Array.from({ length: cells }, (_, i) => i).filter(
    (i) => (bounds[i] as Estimate).low <= level && (bounds[i + 1] as Estimate).high >= level,
  );
  return { low: (possible[0] ?? 0) / cells, high: ((possible.at(-1) ?? cells - 1) + 1) / cells };
}
