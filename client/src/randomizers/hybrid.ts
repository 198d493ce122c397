/** The hybrid mechanism on the device; the law is in shared/src/mechanisms/hybrid.ts. */

import { encodeKAry, type HybridLaw, MODULUS } from '@murmuration/shared';
import type { Coins } from '../random/coins.ts';
import { chooseAround, roundAtRandom } from './piecewise.ts';

/**
 * Randomizes a number from 0 to 1: to a point through the piecewise mechanism, or to an end through Duchi's, whose outputs come last. Both
 * run, and a coin selects the result.
 */
export function randomizeHybrid(law: HybridLaw, place: number, coins: Coins, modulus: number = MODULUS): Uint8Array {
  const { grid, window, mix, truth } = law;
  const outputs = grid + window;
  const point = roundAtRandom(grid, place, coins, modulus);
  const isNear = coins.flip(mix);
  const near = chooseAround(law, point, coins);
  const end = outputs + chooseAround({ grid: 1, window: 1, inside: truth }, Number(coins.uniform(grid) < point), coins);
  return encodeKAry({ size: outputs + 2 }, isNear ? near : end);
}
