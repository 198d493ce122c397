/** Scored windows on the device; the law is in shared/src/mechanisms/scored.ts. */

import { MODULUS, type ScoredLaw, scoredPoints } from '@murmuration/shared';
import type { Coins } from '../random/coins.ts';
import { respondAround } from './piecewise.ts';

/**
 * Randomizes a number from 0 to 1: rounds it at random to one of the two points around it, then maps the point to a cell. It is rounded up
 * with a probability equal to its fraction of the step.
 */
export function randomizeScored(law: ScoredLaw, place: number, coins: Coins, modulus: number = MODULUS): Uint8Array {
  const points = scoredPoints(law);
  const at = place * (points[law.grid] as number);
  const above = points.findIndex((point) => point > at);
  const point = above < 0 ? law.grid : above - 1;
  const low = points[point] as number;
  // At the high end there is no step up.
  const part = above < 0 ? 0 : (at - low) / ((points[above] as number) - low);
  return respondAround(law, point + Number(coins.flip(Math.floor(part * modulus))), coins);
}
