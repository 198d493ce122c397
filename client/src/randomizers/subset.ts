/** Subset selection (SS) on the device; the law is in shared/src/mechanisms/subset.ts. */

import { bitBytes, hasBit, type SubsetLaw, setBit } from '@murmuration/shared';
import type { Coins } from '../random/coins.ts';
import { allBut } from './k-ary.ts';
import type { Randomize } from './randomizer.ts';

/**
 * Adds m of the n elements to a bit set that contains none of them: Floyd's sample without replacement (Bentley and Floyd 1987), with every
 * subset equally likely. With `isShort` it adds only m - 1 elements: it throws the same dice and ignores the first.
 */
export function addSample(
  set: Uint8Array,
  n: number,
  m: number,
  elementAt: (one: number) => number,
  coins: Coins,
  isShort: boolean = false,
): void {
  for (let top = n - m; top < n; top++) {
    const drawn = elementAt(coins.uniform(top + 1));
    if (isShort && top === n - m) continue;
    setBit(set, hasBit(set, drawn) ? elementAt(top) : drawn);
  }
}

export const randomizeSubset: Randomize<SubsetLaw, number> = ({ size, subset, include }, index, coins) => {
  const set = new Uint8Array(bitBytes(size));
  const included = coins.flip(include);
  addSample(set, size - 1, subset, allBut(index), coins, included);
  if (included) setBit(set, index);
  return set;
};
