/** Local hashing of a list (OLH, BLH) on the device; the law is in shared/src/mechanisms/local-hashing.ts. */

import { bigEndian, bucketOf, familyOf, fromBigEndian, type LocalHashingLaw } from '@murmuration/shared';
import type { Coins } from '../random/coins.ts';
import { response } from './k-ary.ts';
import type { Randomize, Respond } from './randomizer.ts';

/** A cohort and a k-ary response to a bucket in it, as one number. */
function report({ size, buckets }: LocalHashingLaw, cohort: number, truth: number, bucket: number, coins: Coins): Uint8Array {
  const said = response(buckets, truth, bucket, coins);
  return bigEndian(cohort * buckets + said, familyOf(size, buckets).cohorts * buckets - 1);
}

export const randomizeLocalHashing: Randomize<LocalHashingLaw, number> = (law, index, coins) => {
  const { size, buckets, truth } = law;
  const cohort = coins.uniform(familyOf(size, buckets).cohorts);
  return report(law, cohort, truth, bucketOf(buckets, cohort, index), coins);
};

/** The stored cohort and a k-ary response to the stored bucket. */
export const respondLocalHashing: Respond<LocalHashingLaw> = (law, symbol, coins) => {
  const { buckets, irr } = law as Required<LocalHashingLaw>;
  const cell = fromBigEndian(symbol);
  return report(law, Math.floor(cell / buckets), irr.truth, cell % buckets, coins);
};
