/** How far one report reaches: the largest and the least score of an estimate that is a mean of scores (leverage.ts). */

import type { Support } from '@murmuration/shared';

/** What one report can say at most and at least of a share or of a place in the range, both from 0 to 1. */
export interface Leverage {
  readonly low: number;
  readonly high: number;
  /** The share of honest reports that an estimate is made from. */
  readonly drawn: number;
}

/** Of all these scores. */
export function ends(scores: Iterable<number>, drawn = 1): Leverage {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const score of scores) [low, high] = [Math.min(low, score), Math.max(high, score)];
  return { low, high, drawn };
}

/** Of an answer by the reports that support it. */
export const ofSupport = ({ p, q }: Support, drawn = 1): Leverage => ends([-q / (p - q), (1 - q) / (p - q)], drawn);
