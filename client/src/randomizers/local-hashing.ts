/** Local hashing on the device: the laws are in shared/src/mechanisms/local-hashing.ts and string-hashing.ts. */

import {
  bigEndian,
  bloomBit,
  bucketOf,
  bytesFor,
  encodeBucket,
  familyOf,
  fromBigEndian,
  hashString,
  type LocalHashingLaw,
  type StringHashingLaw,
} from '@murmuration/shared';
import type { Coins } from '../random/coins.ts';
import { response } from './k-ary.ts';
import type { Randomize, Respond } from './randomizer.ts';

/** A cohort, drawn uniformly, and a k-ary response to the input's bucket in it. */
function hashedReport(
  { buckets, truth }: LocalHashingLaw | StringHashingLaw,
  cohorts: number,
  hash: (cohort: number) => number,
  coins: Coins,
): Uint8Array {
  const cohort = coins.uniform(cohorts);
  return encodeBucket(cohorts, buckets, cohort, response(buckets, truth, hash(cohort), coins));
}

export const randomizeLocalHashing: Randomize<LocalHashingLaw, number> = (law, index, coins) =>
  hashedReport(law, familyOf(law.size, law.buckets).cohorts, (cohort) => bucketOf(law.buckets, cohort, index), coins);

export const randomizeStringHashing: Randomize<StringHashingLaw, string> = (law, value, coins) => {
  const hash = hashString(value);
  return hashedReport(law, law.cohorts, (cohort) => bloomBit(hash, cohort, 0, law.buckets), coins);
};

/** A report's cohort, as bytes, and its bucket. */
export function partsOf(bytes: readonly number[], buckets: number): readonly [cohort: readonly number[], bucket: number] {
  const front = bytes.length - bytesFor(buckets - 1);
  return [bytes.slice(0, front), fromBigEndian(bytes.slice(front))];
}

/** A stored cohort, and a k-ary response to its stored bucket. */
export const respondHashed: Respond<LocalHashingLaw | StringHashingLaw> = ({ buckets, irr }, symbol, coins) => {
  const [cohort, bucket] = partsOf([...symbol], buckets);
  const said = response(buckets, (irr as NonNullable<typeof irr>).truth, bucket, coins);
  return Uint8Array.of(...cohort, ...bigEndian(said, buckets - 1));
};
