/** The two-sided geometric mechanism on the device; the law is in shared/src/mechanisms/geometric.ts. */

import { encodeKAry, type GeometricLaw, MODULUS } from '@murmuration/shared';
import type { Coins } from '../random/coins.ts';

/** A count, as its place from 0 to 1: one uniform word against the thresholds of its row, ascending. */
export function randomizeGeometric({ tails }: GeometricLaw, place: number, coins: Coins, modulus: number = MODULUS): Uint8Array {
  const max = tails.length;
  const count = Math.round(place * max);
  const word = coins.uniform(modulus);
  let output = 0;
  const below = (j: number): number => (j < count ? (tails[count - j - 1] as number) : modulus - (tails[j - count] as number));
  while (output < max && word >= below(output)) output++;
  return encodeKAry({ size: max + 1 }, output);
}
