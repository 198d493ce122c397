/** The piecewise mechanism on the device; the law is in shared/src/mechanisms/piecewise.ts. */

import { encodeKAry, MODULUS, type PiecewiseLaw } from '@murmuration/shared';
import type { Coins } from '../random/coins.ts';

/** A point of a grid to a cell inside its window, or to one of the others. */
export function respondAround(
  { grid, window, inside }: Pick<PiecewiseLaw, 'grid' | 'window' | 'inside'>,
  point: number,
  coins: Coins,
): Uint8Array {
  const size = grid + window;
  if (coins.flip(inside)) return encodeKAry({ size }, point + coins.uniform(window));
  const other = coins.uniform(grid);
  return encodeKAry({ size }, other < point ? other : other + window);
}

/** A number from 0 to 1 to a point of a grid, up with the probability of its part of a step. */
function roundAtRandom(grid: number, place: number, coins: Coins, modulus: number): number {
  const steps = place * grid;
  const below = Math.floor(steps);
  return coins.flip(Math.floor((steps - below) * modulus)) ? below + 1 : below;
}

/** A number from 0 to 1: to a point of the grid, then to a cell. */
export function randomizePiecewise(law: PiecewiseLaw, place: number, coins: Coins, modulus: number = MODULUS): Uint8Array {
  return respondAround(law, roundAtRandom(law.grid, place, coins, modulus), coins);
}
