/** The two-sided geometric mechanism on the device; the law is in shared/src/mechanisms/geometric.ts. */

import { encodeKAry, type GeometricLaw, MODULUS } from '@murmuration/shared';
import type { Coins } from '../random/coins.ts';

/** Adds noise to a count of 0 .. N: compares one uniform word with the ascending thresholds of the count's row. */
export function addNoise({ tails }: Pick<GeometricLaw, 'tails'>, count: number, coins: Coins, modulus: number): Uint8Array {
  const max = tails.length;
  const word = coins.uniform(modulus);
  let output = 0;
  const below = (j: number): number => (j < count ? (tails[count - j - 1] as number) : modulus - (tails[j - count] as number));
  while (output < max && word >= below(output)) output++;
  return encodeKAry({ size: max + 1 }, output);
}

/** Randomizes a count, given as its place from 0 to 1. */
export function randomizeGeometric(law: GeometricLaw, place: number, coins: Coins, modulus: number = MODULUS): Uint8Array {
  return addNoise(law, Math.round(place * law.tails.length), coins, modulus);
}
