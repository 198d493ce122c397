/** Several of a list on the device; the law is in shared/src/mechanisms/privset.ts. */

import { bitBytes, encodeKAry, hasBit, type PrivSetLaw, setBit } from '@murmuration/shared';
import type { Coins } from '../random/coins.ts';
import { allBut } from './k-ary.ts';
import type { Randomize } from './randomizer.ts';
import { addSample } from './subset.ts';

/**
 * Just `atMost` members: dummies after the answers where there are fewer, a uniform sample where there are more (the reservoir
 * of Vitter 1985, algorithm R). There is a die for each answer that a set can have, so their number does not tell how many it has.
 */
function pad(set: readonly number[], { size, atMost }: PrivSetLaw, coins: Coins): readonly number[] {
  const kept = Array.from({ length: atMost }, (_, i) => set[i] ?? size + i - set.length);
  for (let i = atMost; i < size; i++) {
    const place = coins.uniform(i + 1);
    if (place < atMost && i < set.length) kept[place] = set[i] as number;
  }
  return kept;
}

/**
 * A subset that meets the members, uniformly: one of them and m - 1 of all others, which draws each subset once for each member
 * in it, kept where that one is the first of them. How often it is drawn again depends on the law alone, not on the members.
 */
function meeting({ size, atMost, subset }: PrivSetLaw, members: readonly number[], coins: Coins): Uint8Array {
  for (;;) {
    const drawn = new Uint8Array(bitBytes(size + atMost));
    const one = members[coins.uniform(atMost)] as number;
    addSample(drawn, size + atMost - 1, subset - 1, allBut(one), coins);
    setBit(drawn, one);
    if (members.find((each) => hasBit(drawn, each)) === one) return drawn;
  }
}

/** A subset of what is not among the members, uniformly. */
function missing({ size, atMost, subset }: PrivSetLaw, members: readonly number[], coins: Coins): Uint8Array {
  const drawn = new Uint8Array(bitBytes(size + atMost));
  const others = Array.from({ length: size + atMost }, (_, i) => i).filter((i) => !members.includes(i));
  addSample(drawn, size, subset, (i) => others[i] as number, coins);
  return drawn;
}

/** A set to a subset that meets it or one that misses it. One of each is drawn, and a coin says which counts. */
export const randomizePrivSet: Randomize<PrivSetLaw, readonly number[]> = (law, set, coins) => {
  const isHit = coins.flip(law.hit);
  const members = pad(set, law, coins);
  const missed = missing(law, members, coins);
  const met = meeting(law, members, coins);
  const drawn = isHit ? met : missed;
  if (law.subset > 1) return drawn;
  let one = 0;
  while (!hasBit(drawn, one)) one++;
  return encodeKAry({ size: law.size + law.atMost }, one);
};
