/** Several of a list on the device; the law is in shared/src/mechanisms/privset.ts. */

import { bitBytes, encodeKAry, hasBit, type PrivSetLaw, setBit } from '@murmuration/shared';
import type { Coins } from '../random/coins.ts';
import { allBut } from './k-ary.ts';
import type { Randomize } from './randomizer.ts';
import { addSample } from './subset.ts';

/** Just `atMost` members: dummies after the answers where there are fewer, a uniform sample where there are more. */
function pad(set: readonly number[], { size, atMost }: PrivSetLaw, coins: Coins): readonly number[] {
  if (set.length <= atMost) return [...set, ...Array.from({ length: atMost - set.length }, (_, j) => size + j)];
  const kept = new Uint8Array(bitBytes(set.length));
  addSample(kept, set.length, atMost, (i) => i, coins);
  return set.filter((_, i) => hasBit(kept, i));
}

/**
 * A subset that meets the members, uniformly: one of them and m - 1 of all others, which draws each subset once for each
 * member in it, kept as often as makes up for that.
 */
function meeting({ size, atMost, subset }: PrivSetLaw, members: readonly number[], coins: Coins): Uint8Array {
  for (;;) {
    const drawn = new Uint8Array(bitBytes(size + atMost));
    const one = members[coins.uniform(atMost)] as number;
    addSample(drawn, size + atMost - 1, subset - 1, allBut(one), coins);
    setBit(drawn, one);
    if (coins.uniform(members.filter((each) => hasBit(drawn, each)).length) === 0) return drawn;
  }
}

/** A subset of what is not among the members, uniformly. */
function missing({ size, atMost, subset }: PrivSetLaw, members: readonly number[], coins: Coins): Uint8Array {
  const drawn = new Uint8Array(bitBytes(size + atMost));
  const others = Array.from({ length: size + atMost }, (_, i) => i).filter((i) => !members.includes(i));
  addSample(drawn, size, subset, (i) => others[i] as number, coins);
  return drawn;
}

export const randomizePrivSet: Randomize<PrivSetLaw, readonly number[]> = (law, set, coins) => {
  const members = pad(set, law, coins);
  const drawn = (coins.flip(law.hit) ? meeting : missing)(law, members, coins);
  if (law.subset > 1) return drawn;
  let one = 0;
  while (!hasBit(drawn, one)) one++;
  return encodeKAry({ size: law.size + law.atMost }, one);
};
