/**
 * Exact interval ends for counts that are too small for the normal approximation. There the score interval of a share may cover as little
 * as 78 % of the time, because one noise report where hardly any was expected is enough to exclude the truth.
 *
 * Let C be the count, which tends to be larger for a larger share f. The exact interval (Clopper and Pearson 1934) holds all f with P(C >=
 * count | f) > 2.5 % and P(C <= count | f) > 2.5 %, so it covers at least 95 % of the time for every f. It is longer than necessary on
 * average. So it is used only where the count's variance is below `ENOUGH`, and ends are only moved outwards. Above that, the score
 * interval covers 93.1 % or more for each f, and 95.0 % on average (counts enumerated, k-ary and unary responses of 2 to 500 answers, ε
 * from 0.5 to 10, 20 to 300 reports).
 */

import type { Estimate } from './estimate.ts';
import { endOf } from './statistics/bisection.ts';
import { atMost, type Count, varianceOf } from './statistics/counts.ts';

const TAIL = 0.025;
const ENOUGH = 10;

/** The count's distribution at this share. */
export type CountAt = (share: number) => Count;

/** One end of the score interval, moved towards a limit of the shares as far as the exact test allows. */
function moved(end: number, limit: 0 | 1, at: CountAt, holds: (share: number) => boolean): number {
  const from = Math.min(1, Math.max(0, end));
  if (from === limit || varianceOf(at(from)) >= ENOUGH || !holds(from)) return end;
  return holds(limit) ? limit : endOf(from, limit, holds);
}

/** The estimate with ends that cover even for small counts. */
export const withExactEnds = ({ low, high, ...estimate }: Estimate, count: number, at: CountAt): Estimate => ({
  ...estimate,
  low: moved(low, 0, at, (share) => 1 - atMost(at(share), count - 1) > TAIL),
  high: moved(high, 1, at, (share) => atMost(at(share), count) > TAIL),
});
