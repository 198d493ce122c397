/** A distribution in the form that readers ask for: its mean, quantiles and the shares of ranges, all in the metric's unit. */

import type { Range } from '@murmuration/shared';
import {
  type Distribution,
  interval,
  meanPlace,
  quantileInterval,
  quantilePlace,
  shareOf,
  sharesBelow,
} from '../estimation/distribution.ts';
import type { Estimate } from '../estimation/estimate.ts';
import { inUnit, numberAt } from './in-unit.ts';

/** The requested statistics of a distribution. */
export interface DistributionRequest {
  /** Ranges whose shares are requested, in the metric's unit. */
  readonly ranges: readonly Range[];
  /** Levels above 0 and below 1. */
  readonly quantiles: readonly number[];
}

/** The statistics that are returned by default. */
export const USUAL: DistributionRequest = { ranges: [], quantiles: [0.05, 0.25, 0.5, 0.75, 0.95] };

/** A quantile. */
interface Quantile {
  readonly level: number;
  /** Computed from the smoothed shares; biased. */
  readonly estimate: number;
  /** The 95 % interval, computed from the unbiased shares; its ends are edges of cells. */
  readonly low: number;
  readonly high: number;
}

/** The share of a range. Its ends are the cell edges nearest to the requested ones. */
interface RangeShare extends Estimate {
  readonly from: number;
  readonly to: number;
}

/** What the tallies say about a distribution beyond the shares of its cells. */
export interface Described {
  /** Unbiased except for the rounding to cells, which its interval includes. */
  readonly mean: Estimate;
  readonly quantiles: readonly Quantile[];
  readonly ranges: readonly RangeShare[];
}

/** The index, from 0 to the number of cells, of the cell edge nearest to a number. */
export const edgeOf = ([low, high]: Range, cells: number, number: number): number =>
  Math.round((cells * (Math.min(high, Math.max(low, number)) - low)) / (high - low));

/** Describes a distribution over a range. `smoothed` are the shares that are closest to the truth as a whole. */
export function describe(
  distribution: Distribution,
  shares: readonly number[],
  range: Range,
  { ranges, quantiles }: DistributionRequest,
): Described {
  const { cells } = distribution;
  const below = sharesBelow(distribution);
  return {
    mean: inUnit(meanPlace(distribution), range),
    quantiles: quantiles.map((level) => {
      const { low, high } = quantileInterval(below, level);
      const [estimate, from, to] = [quantilePlace(shares, level), low, high].map((place) => numberAt(range, place)) as [
        number,
        number,
        number,
      ];
      return { level, estimate, low: from, high: to };
    }),
    ranges: ranges.map((asked) => {
      const [from, to] = [edgeOf(range, cells, asked[0]), edgeOf(range, cells, asked[1])];
      return { from: numberAt(range, from / cells), to: numberAt(range, to / cells), ...interval(shareOf(distribution, from, to)) };
    }),
  };
}
