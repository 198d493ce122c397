/** The reach of one report: the largest and the least score of an estimate that is a mean of scores (leverage.ts). */

import type { Support } from '@murmuration/shared';

/** The largest and the least score of one report, for a share or a relative position in the range (both from 0 to 1). */
export interface Leverage {
  readonly low: number;
  readonly high: number;
  /** The share of honest reports from which an estimate is made. */
  readonly drawn: number;
}

/** The reach given all scores. */
export function ends(scores: Iterable<number>, drawn = 1): Leverage {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const score of scores) [low, high] = [Math.min(low, score), Math.max(high, score)];
  return { low, high, drawn };
}

/** The reach for an answer that is estimated from the reports supporting it. */
export const ofSupport = ({ p, q }: Support, drawn = 1): Leverage => ends([-q / (p - q), (1 - q) / (p - q)], drawn);
