/**
 * What both sketches share: Apple Differential Privacy Team 2017, "Learning with Privacy at Scale", §3, Algorithms. A device draws one of
 * the hash functions, a cohort, and says something of the bucket, one of m, that its answer has in it. There the functions are
 * three-wise independent at random, k of them, and what their collisions do is right on average over that choice alone. Here
 * they are a family in which any two answers collide in exactly the share c of the functions (cohorts.ts), so that a small one
 * leaves no bias: reports are pure (law.ts) with q = c p + (1 - c) q', q' that of an answer in another bucket.
 *
 * With p - q = (1 - c)(p - q') a collision costs variance; m is the least that costs at most 5 %.
 */

import { collide, familyOf } from './cohorts.ts';
import type { Support } from './law.ts';
import { meanVariance } from './subset.ts';

/** The most cells, of all cohorts together. */
const MOST_CELLS = 2 ** 21;
const NEAR = 1.05;

/** Whether a family's tallies are of a size to be kept, with so many cells in each bucket. */
export const isKept = (size: number, buckets: number, cells: number): boolean =>
  familyOf(size, buckets).cohorts * buckets * cells <= MOST_CELLS;

/** Of ascending numbers of buckets the first whose collisions cost at most 5 % of the mean variance; undefined where none is. */
export function leastBuckets(candidates: Iterable<number>, size: number, support: Support): number | undefined {
  const most = NEAR * meanVariance(size, support);
  for (const buckets of candidates) if (meanVariance(size, collide(support, familyOf(size, buckets))) <= most) return buckets;
  return undefined;
}
