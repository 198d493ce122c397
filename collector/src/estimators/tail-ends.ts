/**
 * Ends of an interval where an estimate is a mean of scores of which few count: rare outcomes with large scores. There the
 * normal approximation covers as little as 69 % of the time, as it does for small counts (exact-ends.ts).
 *
 * As there, the interval holds each share under which an estimate that far off is no rarer than 2.5 %, and an end is only
 * ever moved outwards. The law of the sum is that of the saddlepoint, by its cumulants where the share is so large. The
 * saddlepoint is for sums without gaps; of a lattice of some step it halves the probability of the value itself. Half of the
 * smallest step between two scores makes up for that (Daniels 1987, §6), which leaves counts the ends of Clopper and Pearson.
 */

import { type Cumulants, FAR, quantileAt } from '../statistics/saddlepoint.ts';
import { type Estimate, endOf, Z95 } from './estimate.ts';

/** Below so many times the largest squared score the sum of scores is not near to normal. */
export const ENOUGH = 10;

/** Of a sum at its end: what rounding may lose of the largest score. */
const ROUNDING = 1e-6;

/** A mean of scores. */
interface Scored {
  readonly reports: number;
  /** Of each outcome. */
  readonly scores: readonly number[];
  /** Of the sum of scores where the share is so large, less that share each: K, K', K''. */
  readonly errorsAt: (share: number) => (s: number) => Cumulants;
}

/** The estimate with ends that cover however few reports make it. */
export function withTailEnds(found: Estimate, { reports, scores, errorsAt }: Scored): Estimate {
  const widest = Math.max(...scores.map(Math.abs));
  if ((reports * found.standardError) ** 2 >= ENOUGH * widest * widest) return found;
  const ascending = scores.toSorted((a, b) => a - b);
  const steps = ascending.slice(1).map((score, j) => score - (ascending[j] as number));
  const half = Math.min(...steps.filter((step) => step > ROUNDING * widest)) / 2;
  /** Whether an error that large is common where the share is so large: above (1) or below (-1) of it. */
  const holds =
    (side: 1 | -1) =>
    (share: number): boolean =>
      side * reports * (found.estimate - share) - half <= side * quantileAt(side * Z95, FAR / widest, errorsAt(share)) + ROUNDING * widest;
  const moved = (end: number, limit: 0 | 1, isCommon: (share: number) => boolean): number => {
    const from = Math.min(1, Math.max(0, end));
    if (from === limit || !isCommon(from)) return end;
    return isCommon(limit) ? limit : endOf(from, limit, isCommon);
  };
  return { ...found, low: moved(found.low, 0, holds(1)), high: moved(found.high, 1, holds(-1)) };
}
