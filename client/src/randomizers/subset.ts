/** Subset selection on the device; the law is in shared/src/mechanisms/subset.ts. */

import { bitBytes, hasBit, type SubsetLaw, setBit } from '@murmuration/shared';
import type { Randomize } from './randomizer.ts';

export const randomizeSubset: Randomize<SubsetLaw, number> = ({ size, subset, include }, index, coins) => {
  const set = new Uint8Array(bitBytes(size));
  const included = coins.flip(include);
  const others = size - 1;
  const place = (other: number): number => (other < index ? other : other + 1);
  // Floyd's sample without replacement (Bentley and Floyd 1987): every subset of the others is equally likely.
  for (let top = others - (included ? subset - 1 : subset); top < others; top++) {
    const drawn = place(coins.uniform(top + 1));
    setBit(set, hasBit(set, drawn) ? place(top) : drawn);
  }
  if (included) setBit(set, index);
  return set;
};
