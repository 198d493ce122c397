/** The piecewise mechanism on the device; the law is in shared/src/mechanisms/piecewise.ts. */

import { encodeKAry, MODULUS, type PiecewiseLaw } from '@murmuration/shared';
import type { Coins } from '../random/coins.ts';

type Windows = Pick<PiecewiseLaw, 'grid' | 'window' | 'inside'>;

/**
 * Maps a point of a grid to a cell inside its window, or to one of the other cells. One of each is drawn, and a coin selects the result.
 */
export function chooseAround({ grid, window, inside }: Windows, point: number, coins: Coins): number {
  const isInside = coins.flip(inside);
  const near = point + coins.uniform(window);
  const other = coins.uniform(grid);
  if (isInside) return near;
  return other < point ? other : other + window;
}

/** The same, encoded as a report. */
export const respondAround = (law: Windows, point: number, coins: Coins): Uint8Array =>
  encodeKAry({ size: law.grid + law.window }, chooseAround(law, point, coins));

/** Rounds a number from 0 to 1 to a point of a grid, up with a probability equal to the fractional part of its position in steps. */
export function roundAtRandom(grid: number, place: number, coins: Coins, modulus: number): number {
  const steps = place * grid;
  const below = Math.floor(steps);
  return coins.flip(Math.floor((steps - below) * modulus)) ? below + 1 : below;
}

/** Randomizes a number from 0 to 1: rounds it to a point of the grid, then maps the point to a cell. */
export function randomizePiecewise(law: PiecewiseLaw, place: number, coins: Coins, modulus: number = MODULUS): Uint8Array {
  return respondAround(law, roundAtRandom(law.grid, place, coins, modulus), coins);
}
