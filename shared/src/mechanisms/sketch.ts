/**
 * Shared by both sketches: Apple Differential Privacy Team 2017, "Learning with Privacy at Scale", §3, Algorithms. A device draws one of
 * the hash functions, a cohort, and reports on the bucket, one of m, that its answer has in that cohort. The paper uses k random three-wise
 * independent functions; the effect of their collisions is right only on average over that random choice. Here the functions are a family
 * in which any two answers collide in exactly the share c of the functions (cohorts.ts), so even a small family leaves no bias. Reports are
 * pure (law.ts) with q = c p + (1 - c) q', where q' is that of an answer in another bucket.
 *
 * Because p - q = (1 - c)(p - q'), collisions cost variance. m is the least number for which they cost at most 5 %.
 */

import { collide, familyOf } from './cohorts.ts';
import type { Support } from './law.ts';
import { meanVariance } from './subset.ts';

/** The most cells, over all cohorts. */
const MOST_CELLS = 2 ** 21;
const NEAR = 1.05;

/** True if a family's tallies, with `cells` cells for each bucket, are small enough to keep. */
export const isKept = (size: number, buckets: number, cells: number): boolean =>
  familyOf(size, buckets).cohorts * buckets * cells <= MOST_CELLS;

/** The first of ascending numbers of buckets whose collisions cost at most 5 % of the mean variance; undefined if there is none. */
export function leastBuckets(candidates: Iterable<number>, size: number, support: Support): number | undefined {
  const most = NEAR * meanVariance(size, support);
  for (const buckets of candidates) if (meanVariance(size, collide(support, familyOf(size, buckets))) <= most) return buckets;
  return undefined;
}
