/** Several of a list on the device; the law is in shared/src/mechanisms/privset.ts. */

import { bitBytes, encodeKAry, type PrivSetLaw, setBit } from '@murmuration/shared';
import type { Coins } from '../random/coins.ts';
import type { Randomize } from './randomizer.ts';

/** Floyd's sample without replacement (Bentley and Floyd 1987): m of 0 .. n - 1, every subset equally likely. */
function sample(n: number, m: number, coins: Coins): readonly number[] {
  const drawn = new Set<number>();
  for (let top = n - m; top < n; top++) {
    const one = coins.uniform(top + 1);
    drawn.add(drawn.has(one) ? top : one);
  }
  return [...drawn];
}

/** Just `atMost` members: dummies after the answers where there are fewer, a uniform sample where there are more. */
function pad(set: readonly number[], { size, atMost }: PrivSetLaw, coins: Coins): readonly number[] {
  if (set.length > atMost) return sample(set.length, atMost, coins).map((i) => set[i] as number);
  return [...set, ...Array.from({ length: atMost - set.length }, (_, j) => size + j)];
}

/**
 * A subset that meets the members, uniformly: one of them and m - 1 of all others, which draws each subset once for each
 * member in it, kept as often as makes up for that.
 */
function meeting({ size, atMost, subset }: PrivSetLaw, members: readonly number[], coins: Coins): readonly number[] {
  for (;;) {
    const one = members[coins.uniform(atMost)] as number;
    const drawn = [one, ...sample(size + atMost - 1, subset - 1, coins).map((other) => (other < one ? other : other + 1))];
    const times = drawn.filter((each) => members.includes(each)).length;
    if (coins.uniform(times) === 0) return drawn;
  }
}

/** A subset of what is not among the members, uniformly. */
function missing({ size, atMost, subset }: PrivSetLaw, members: readonly number[], coins: Coins): readonly number[] {
  const others = Array.from({ length: size + atMost }, (_, i) => i).filter((i) => !members.includes(i));
  return sample(size, subset, coins).map((i) => others[i] as number);
}

export const randomizePrivSet: Randomize<PrivSetLaw, readonly number[]> = (law, set, coins) => {
  const members = pad(set, law, coins);
  const drawn = (coins.flip(law.hit) ? meeting : missing)(law, members, coins);
  const all = law.size + law.atMost;
  if (law.subset === 1) return encodeKAry({ size: all }, drawn[0] as number);
  const report = new Uint8Array(bitBytes(all));
  for (const one of drawn) setBit(report, one);
  return report;
};
