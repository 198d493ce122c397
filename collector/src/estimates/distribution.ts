/** A distribution as people ask for it: its mean, its quantiles, the shares of ranges, all in the unit of the metric. */

import type { Range } from '@murmuration/shared';
import {
  type Distribution,
  interval,
  meanPlace,
  quantileInterval,
  quantilePlace,
  shareOf,
  sharesBelow,
} from '../estimators/distribution.ts';
import type { Estimate } from '../estimators/estimate.ts';
import { inUnit, numberAt } from './in-unit.ts';

/** What is asked of a distribution. */
export interface DistributionRequest {
  /** Ranges whose shares are wanted, in the unit of the metric. */
  readonly ranges: readonly Range[];
  /** Levels above 0 and below 1. */
  readonly quantiles: readonly number[];
}

/** What is told where nothing is asked. */
export const USUAL: DistributionRequest = { ranges: [], quantiles: [0.05, 0.25, 0.5, 0.75, 0.95] };

/** A quantile. */
interface Quantile {
  readonly level: number;
  /** Of the best shares; biased. */
  readonly estimate: number;
  /** The 95 % interval, of the unbiased shares: between edges of cells. */
  readonly low: number;
  readonly high: number;
}

/** The share of a range, whose ends are the edges of cells that are nearest to those asked for. */
interface RangeShare extends Estimate {
  readonly from: number;
  readonly to: number;
}

/** What a distribution's tallies tell, besides the shares of its cells. */
export interface Described {
  /** Unbiased but for the cells, for which its interval allows. */
  readonly mean: Estimate;
  readonly quantiles: readonly Quantile[];
  readonly ranges: readonly RangeShare[];
}

/** Which edge of the cells, from 0 to their number, is the nearest to a number. */
export const edgeOf = ([low, high]: Range, cells: number, number: number): number =>
  Math.round((cells * (Math.min(high, Math.max(low, number)) - low)) / (high - low));

/** Describes a distribution over a range, of which these shares are the closest to the truth as a whole. */
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
