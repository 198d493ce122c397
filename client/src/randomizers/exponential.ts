/** The exponential mechanism on the device; the law is in shared/src/mechanisms/exponential.ts. */

import { type ExponentialLaw, encodeKAry, MODULUS } from '@murmuration/shared';
import type { Coins } from '../random/coins.ts';

/** Draws an input's outcome: one uniform word, from which the weights of the input's row are subtracted in turn. */
export function randomizeExponential({ weights }: ExponentialLaw, input: number, coins: Coins, modulus: number = MODULUS): Uint8Array {
  const row = weights[input] as readonly number[];
  let left = coins.uniform(modulus);
  let outcome = 0;
  while (left >= (row[outcome] as number)) left -= row[outcome++] as number;
  return encodeKAry({ size: row.length }, outcome);
}
