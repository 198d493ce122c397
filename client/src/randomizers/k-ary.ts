/** k-ary randomized response (GRR, kRR) on the device; the law is in shared/src/mechanisms/k-ary.ts. */

import { encodeKAry, fromBigEndian, type KAryLaw } from '@murmuration/shared';
import type { Coins } from '../random/coins.ts';
import type { Randomize, Respond } from './randomizer.ts';

/** Maps 0, 1, 2 ... to all places except `one`, in order. */
export const allBut =
  (one: number) =>
  (other: number): number =>
    other < one ? other : other + 1;

/** The index itself with probability truth/T, else one of the other size - 1, drawn uniformly. The other index is drawn in either case. */
export function response(size: number, truth: number, index: number, coins: Coins): number {
  const isTrue = coins.flip(truth);
  const other = allBut(index)(coins.uniform(size - 1));
  return isTrue ? index : other;
}

export const randomizeKAry: Randomize<Pick<KAryLaw, 'size' | 'truth'>, number> = (law, index, coins) =>
  encodeKAry(law, response(law.size, law.truth, index, coins));

export const respondKAry: Respond<KAryLaw> = (law, symbol, coins) => {
  const { size, irr } = law as Required<KAryLaw>;
  return encodeKAry(law, response(size, irr.truth, fromBigEndian(symbol), coins));
};
