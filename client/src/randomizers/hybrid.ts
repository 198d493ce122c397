/** The hybrid mechanism on the device; the law is in shared/src/mechanisms/hybrid.ts. */

import { encodeKAry, type HybridLaw, MODULUS } from '@murmuration/shared';
import type { Coins } from '../random/coins.ts';
import { chooseAround, roundAtRandom } from './piecewise.ts';

/** A number from 0 to 1: through the piecewise mechanism, or through Duchi's, whose outputs come after the others. */
export function randomizeHybrid(law: HybridLaw, place: number, coins: Coins, modulus: number = MODULUS): Uint8Array {
  const { grid, window, mix, truth } = law;
  const outputs = grid + window;
  const output = coins.flip(mix)
    ? chooseAround(law, roundAtRandom(grid, place, coins, modulus), coins)
    : outputs + chooseAround({ grid: 1, window: 1, inside: truth }, roundAtRandom(1, place, coins, modulus), coins);
  return encodeKAry({ size: outputs + 2 }, output);
}
