/** The piecewise mechanism on the device; the law is in shared/src/mechanisms/piecewise.ts. */

import { encodeKAry, MODULUS, type PiecewiseLaw } from '@murmuration/shared';
import type { Coins } from '../random/coins.ts';

type Windows = Pick<PiecewiseLaw, 'grid' | 'window' | 'inside'>;

/** A point of a grid to a cell inside its window, or to one of the others. One of each is drawn, and a coin says which counts. */
export function chooseAround({ grid, window, inside }: Windows, point: number, coins: Coins): number {
  const isInside = coins.flip(inside);
  const near = point + coins.uniform(window);
  const other = coins.uniform(grid);
  if (isInside) return near;
  return other < point ? other : other + window;
}

/** The same as a report. */
export const respondAround = (law: Windows, point: number, coins: Coins): Uint8Array =>
  encodeKAry({ size: law.grid + law.window }, chooseAround(law, point, coins));

/** A number from 0 to 1 to a point of a grid, up with the probability of its part of a step. */
export function roundAtRandom(grid: number, place: number, coins: Coins, modulus: number): number {
  const steps = place * grid;
  const below = Math.floor(steps);
  return coins.flip(Math.floor((steps - below) * modulus)) ? below + 1 : below;
}

/** A number from 0 to 1: to a point of the grid, then to a cell. */
export function randomizePiecewise(law: PiecewiseLaw, place: number, coins: Coins, modulus: number = MODULUS): Uint8Array {
  return respondAround(law, roundAtRandom(law.grid, place, coins, modulus), coins);
}
