/**
 * Interval ends for an estimate that is a mean of scores of which few matter: rare outcomes with large scores. There the normal
 * approximation covers as little as 69 % of the time, as it does for small counts (exact-ends.ts).
 *
 * As there, the interval holds each share under which an error as large as this is no rarer than 2.5 %, and an end is only moved outwards.
 * The law of the sum is the saddlepoint approximation, from its cumulants at that share. The saddlepoint assumes a sum without gaps. For a
 * lattice it counts only half of the probability of the value itself. Half of the smallest step between two scores corrects that (Daniels
 * 1987, §6). For counts, this gives the ends of Clopper and Pearson.
 */

import type { Estimate } from './estimate.ts';
import { endOf } from './statistics/bisection.ts';
import { Z95 } from './statistics/normal.ts';
import { type Cumulants, FAR, quantileAt } from './statistics/saddlepoint.ts';

/** When the variance is below this many times the largest squared score, the sum of scores is not near normal. */
export const ENOUGH = 10;

/** Tolerance for a sum at its end, relative to the largest score. */
const ROUNDING = 1e-6;

/** A mean of scores. */
interface Scored {
  readonly reports: number;
  /** The score of each outcome. */
  readonly scores: readonly number[];
  /** K, K', K'' of the sum of scores at this share, with the share subtracted from each score. */
  readonly errorsAt: (share: number) => (s: number) => Cumulants;
}

/** The estimate with ends that cover even when few reports determine it. */
export function withTailEnds(found: Estimate, { reports, scores, errorsAt }: Scored): Estimate {
  const widest = Math.max(...scores.map(Math.abs));
  if ((reports * found.standardError) ** 2 >= ENOUGH * widest * widest) return found;
  const ascending = scores.toSorted((a, b) => a - b);
  const steps = ascending.slice(1).map((score, j) => score - (ascending[j] as number));
  const half = Math.min(...steps.filter((step) => step > ROUNDING * widest)) / 2;
  /** Whether an error this large or larger, above (1) or below (-1), is common at this share. */
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
