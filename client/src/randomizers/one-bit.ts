/** One bit of a number on the device; the law is in shared/src/mechanisms/one-bit.ts. */

import { MODULUS, type OneBitLaw } from '@murmuration/shared';
import type { Coins } from '../random/coins.ts';
import { randomizeKAry } from './k-ary.ts';

/** Randomizes a number from 0 to 1: rounds it at random to an end of the range, then applies the stage whose result is stored. */
export function randomizeOneBit(law: OneBitLaw, place: number, coins: Coins, modulus: number = MODULUS): Uint8Array {
  return randomizeKAry(law, Number(coins.flip(Math.floor(place * modulus))), coins);
}
