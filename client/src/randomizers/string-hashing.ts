/** Local hashing of strings on the device; the law is in shared/src/mechanisms/string-hashing.ts. */

import { bigEndian, bloomBit, bytesFor, encodeBucket, fromBigEndian, hashString, type StringHashingLaw } from '@murmuration/shared';
import { response } from './k-ary.ts';
import type { Randomize, Respond } from './randomizer.ts';

/** A cohort, drawn uniformly, and a k-ary response to the string's bucket in it. */
export const randomizeStringHashing: Randomize<StringHashingLaw, string> = ({ cohorts, buckets, truth }, value, coins) => {
  const hash = hashString(value);
  const cohort = coins.uniform(cohorts);
  return encodeBucket(cohorts, buckets, cohort, response(buckets, truth, bloomBit(hash, cohort, 0, buckets), coins));
};

/** The stored cohort and a k-ary response to its stored bucket. */
export const respondStringHashing: Respond<StringHashingLaw> = ({ buckets, irr }, symbol, coins) => {
  const front = symbol.length - bytesFor(buckets - 1);
  const said = response(buckets, (irr as NonNullable<typeof irr>).truth, fromBigEndian(symbol.subarray(front)), coins);
  return Uint8Array.of(...symbol.subarray(0, front), ...bigEndian(said, buckets - 1));
};
