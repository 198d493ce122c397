/** The piecewise mechanism on the device; the law is in shared/src/mechanisms/piecewise.ts. */

import { encodeKAry, MODULUS, type PiecewiseLaw } from '@murmuration/shared';
import type { Coins } from '../random/coins.ts';

/** A number from 0 to 1: to a point of the grid, then to a cell inside that point's window, or to one of the others. */
export function randomizePiecewise(
  { grid, window, inside }: PiecewiseLaw,
  place: number,
  coins: Coins,
  modulus: number = MODULUS,
): Uint8Array {
  const steps = place * grid;
  const below = Math.floor(steps);
  const point = coins.flip(Math.floor((steps - below) * modulus)) ? below + 1 : below;
  const size = grid + window;
  if (coins.flip(inside)) return encodeKAry({ size }, point + coins.uniform(window));
  const other = coins.uniform(grid);
  return encodeKAry({ size }, other < point ? other : other + window);
}
