/** Parses what a request asks of a distribution: `ranges=0..10,20..30` and `quantiles=0.5,0.9`. */

import type { MetricDocument } from '@murmuration/shared';
import { Refusal } from '../base/refusal.ts';
import { type DistributionRequest, edgeOf, USUAL } from './distribution.ts';

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
