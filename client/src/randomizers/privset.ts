/** Several of a list on the device; the law is in shared/src/mechanisms/privset.ts. */

import { bitBytes, encodeKAry, hasBit, type PrivSetLaw, setBit } from '@murmuration/shared';
import type { Coins } from '../random/coins.ts';
import { allBut } from './k-ary.ts';
import type { Randomize } from './randomizer.ts';
import { addSample } from './subset.ts';

/**
 * Exactly `atMost` members. A smaller set is padded with dummies that follow the answers; a larger one is sampled uniformly (the reservoir
 * of Vitter 1985, algorithm R). One die is thrown for each answer that a set could have, so the number of dice does not reveal the set's
 * size.
 */
function pad(set: readonly number[], { size, atMost }: PrivSetLaw, coins: Coins): readonly number[] {
  const kept = Array.from({ length: atMost }, (_, i) => set[i] ?? size + i - set.length);
  for (let i = atMost; i < size; i++) {
    const drawn = coins.uniform(i + 1);
    if (drawn < atMost && i < set.length) kept[drawn] = set[i] as number;
  }
  return kept;
}

/**
 * A uniform subset that meets the members. It draws one member and m - 1 of all others. That would draw each subset once for each member in
 * it, so a draw is kept only if its member is the first one in the subset. The number of redraws depends on the law alone, not on the
 * members.
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

/** A uniform subset of the non-members. */
function missing({ size, atMost, subset }: PrivSetLaw, members: readonly number[], coins: Coins): Uint8Array {
  const drawn = new Uint8Array(bitBytes(size + atMost));
  const others = Array.from({ length: size + atMost }, (_, i) => i).filter((i) => !members.includes(i));
  addSample(drawn, size, subset, (i) => others[i] as number, coins);
  return drawn;
}

/** Maps a set to a subset that meets it or to one that misses it. One of each is drawn, and a coin selects the result. */
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
