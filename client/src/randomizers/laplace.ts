/** The Laplace mechanism on a grid, on the device; the law is in shared/src/mechanisms/laplace.ts. */

import { type LaplaceLaw, MODULUS } from '@murmuration/shared';
import type { Coins } from '../random/coins.ts';
import { addNoise } from './geometric.ts';
import { roundAtRandom } from './piecewise.ts';

/** Randomizes a number from 0 to 1: rounds it to a point of the grid, then adds noise. */
export function randomizeLaplace(law: LaplaceLaw, place: number, coins: Coins, modulus: number = MODULUS): Uint8Array {
  return addNoise(law, roundAtRandom(law.tails.length, place, coins, modulus), coins, modulus);
}
