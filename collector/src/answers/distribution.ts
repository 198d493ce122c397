/** A distribution in the form that readers ask for: its mean, quantiles and the shares of ranges, all in the metric's unit. */

import type { MetricDocument, Range } from '@murmuration/shared';
import { Refusal } from '../base/refusal.ts';
import { type Distribution, meanPlace, quantileInterval, quantilePlace } from '../estimation/distribution.ts';
import type { Estimate, Interval } from '../estimation/estimate.ts';
import { edgesOf, intervalOf, intervalsOf, type Judged, type Judging, judgedShare } from '../estimation/sequences.ts';

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
  /** The interval that holds at every look. */
  readonly always?: Interval;
}

/** An estimate, with the interval that holds at every look if it is asked for. */
interface Looked extends Estimate {
  readonly always?: Interval;
}

/** The share of a range. Its ends are the cell edges nearest to the requested ones. */
interface RangeShare extends Looked {
  readonly from: number;
  readonly to: number;
}

/** Description of a distribution beyond the shares of its cells. */
export interface Described {
  /** Unbiased except for the rounding to cells, which its interval includes. */
  readonly mean: Looked;
  /** Half of the numbers lie below it. */
  readonly median: Quantile;
  readonly quantiles: readonly Quantile[];
  readonly ranges: readonly RangeShare[];
}

/** The index, from 0 to the number of cells, of the cell edge nearest to a number. */
const edgeOf = ([low, high]: Range, cells: number, number: number): number =>
  Math.round((cells * (Math.min(high, Math.max(low, number)) - low)) / (high - low));

/** A distribution to be described. */
export interface DescribedFrom {
  readonly distribution: Distribution;
  /** The shares that are drawn. */
  readonly shares: readonly number[];
  readonly range: Range;
  readonly reports: number;
  /** How many people were drawn from the population. */
  readonly people: number;
  /** How verdicts are given; intervals that hold at every look are told only for such verdicts. */
  readonly judging?: Judging | undefined;
}

/** Describes a distribution over a range. */
export function describe(
  { distribution, shares, range, reports, people, judging }: DescribedFrom,
  { ranges, quantiles }: DistributionRequest,
): Described {
  const { cells } = distribution;
  const edges = edgesOf(distribution, reports, people);
  const below = edges.map(({ estimate }) => estimate);
  const isAlways = judging?.looks === 'always';
  const belowAlways = isAlways ? intervalsOf(edges, judging) : undefined;
  const looked = (judged: Judged): Looked => ({ ...judged.estimate, ...(isAlways && { always: intervalOf(judged, judging) }) });
  const ends = (places: Interval): Interval => endsInUnit(places, range);
  const { always, ...mean } = looked({ estimate: meanPlace(distribution), reports });
  const quantileAt = (level: number): Quantile => ({
    level,
    estimate: numberAt(range, quantilePlace(shares, level)),
    ...ends(quantileInterval(below, level)),
    ...(belowAlways && { always: ends(quantileInterval(belowAlways, level)) }),
  });
  return {
    mean: { ...inUnit(mean, range), ...(always && { always: ends(always) }) },
    median: quantileAt(0.5),
    quantiles: quantiles.map(quantileAt),
    ranges: ranges.map((asked) => {
      const [from, to] = [edgeOf(range, cells, asked[0]), edgeOf(range, cells, asked[1])];
      return {
        from: numberAt(range, from / cells),
        to: numberAt(range, to / cells),
        ...looked(judgedShare(distribution, reports, people, from, to)),
      };
    }),
  };
}

/** Parses what a request asks of a distribution: `ranges=0..10,20..30` and `quantiles=0.5,0.9`. */
const MOST = 100;

/** Parses a list parameter: a limited number of parts, each of which must be valid. */
function listOf<T>(name: string, text: string, expected: string, read: (part: string) => T | undefined): readonly T[] {
  const parts = text.split(',');
  const values = parts.map(read).filter((value) => value !== undefined);
  if (values.length < parts.length || parts.length > MOST) {
    throw new Refusal(400, 'bad-query', `${name}: at most ${MOST} of ${expected}, parted by commas`, text.slice(0, 200));
  }
  return values;
}

const numberOf = (text: string | undefined): number => (text?.trim() ? Number(text) : Number.NaN);

/**
 * Parses what is requested of a metric.
 *
 * @throws {Refusal} 400 when it is malformed, or the metric is not a distribution
 */
export function askedOf(
  { type, ...metric }: MetricDocument,
  ranges: string | undefined,
  quantiles: string | undefined,
): DistributionRequest {
  if (!('cells' in metric)) {
    if (ranges === undefined && quantiles === undefined) return USUAL;
    throw new Refusal(400, 'bad-query', 'ranges and quantiles of a distribution only', `a ${type}`);
  }
  const { range, cells } = metric;
  const [least, most] = range;
  const readRange = (part: string): readonly [number, number] | undefined => {
    const [low = Number.NaN, high = Number.NaN, ...more] = part.split('..').map(numberOf);
    if (more.length > 0 || !(least <= low && low < high && high <= most)) return undefined;
    return edgeOf(range, cells, low) < edgeOf(range, cells, high) ? [low, high] : undefined; // otherwise it would contain no cell
  };
  const readLevel = (part: string): number | undefined => {
    const level = numberOf(part);
    return level > 0 && level < 1 ? level : undefined;
  };
  return {
    ranges:
      ranges === undefined
        ? USUAL.ranges
        : listOf(
            'ranges',
            ranges,
            `LOW..HIGH within ${least}..${most}, the nearest edges of ${cells} cells apart, such as ${least}..${most}`,
            readRange,
          ),
    quantiles:
      quantiles === undefined ? USUAL.quantiles : listOf('quantiles', quantiles, 'levels above 0 and below 1, such as 0.5', readLevel),
  };
}

/** The number at a relative position of a range. */
const numberAt = ([from, to]: Range, place: number): number => from + (to - from) * place;

/** The ends of an interval of positions, in the unit of a range. */
export const endsInUnit = ({ low, high }: Interval, range: Range): Interval => ({ low: numberAt(range, low), high: numberAt(range, high) });

/** An estimated position, with its error and interval, in the unit of a range. */
export const inUnit = ({ estimate, standardError, low, high }: Estimate, range: Range): Estimate => ({
  estimate: numberAt(range, estimate),
  standardError: (range[1] - range[0]) * standardError,
  low: numberAt(range, low),
  high: numberAt(range, high),
});
