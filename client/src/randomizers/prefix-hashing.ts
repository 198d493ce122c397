/** Prefix hashing on the device; the law is in shared/src/mechanisms/prefix-hashing.ts. */

import { bucketOf, encodePrefix, familyOf, type PrefixHashingLaw, placeOfText } from '@murmuration/shared';
import { response } from './k-ary.ts';
import type { Randomize } from './randomizer.ts';

/** A level and a cohort, drawn uniformly, and a k-ary response to the bucket of the string's place at that level. */
export const randomizePrefixHashing: Randomize<PrefixHashingLaw, string> = (law, value, coins) => {
  const { longest, places, buckets, truth } = law;
  const level = coins.uniform(longest);
  const cohort = coins.uniform(familyOf(places, buckets).cohorts);
  const bucket = bucketOf(buckets, cohort, placeOfText(law, level, value));
  return encodePrefix(law, level, cohort, response(buckets, truth, bucket, coins));
};
