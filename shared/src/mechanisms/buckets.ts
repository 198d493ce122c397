/**
 * What both kinds of local hashing share: a report is a cohort and a bucket of it, the answer's own through a k-ary response,
 * or two of them where the metric is permanent.
 */

import { bigEndian } from '../encoding/bytes.ts';
import { type KAryLaw, kAryLaw, permanentKAryLaw } from './k-ary.ts';

/** The most cells, of all cohorts together, that a tally of strings may have. */
export const MAX_CELLS: number = 2 ** 24;

/** g and the thresholds of a k-ary response over g buckets. */
export type BucketStages = {
  /** g, the buckets of a cohort. */
  readonly buckets: number;
  /** P(the bucket itself) * 2^32. */
  readonly truth: number;
  /** The instantaneous stage of a permanent metric. */
  readonly irr?: { readonly truth: number };
};

/** The same as a law of k-ary response, whose answers are the buckets. */
export const overBuckets = ({ buckets, truth, irr }: BucketStages): KAryLaw => ({
  mechanism: 'k-ary',
  size: buckets,
  truth,
  ...(irr && { irr }),
});

/** The response over `buckets` with the largest ε that are at most those asked. */
export function bucketStages(buckets: number, epsilon: number, permanent: number | undefined, modulus: number): BucketStages {
  const { truth, irr } = permanent ? permanentKAryLaw(buckets, epsilon, permanent, modulus) : kAryLaw(buckets, epsilon, modulus);
  return { buckets, truth, ...(irr && { irr }) };
}

/** The report of a string's cohort and bucket, each big-endian in the fewest whole bytes. */
export const encodeBucket = (cohorts: number, buckets: number, cohort: number, bucket: number): Uint8Array =>
  Uint8Array.of(...bigEndian(cohort, cohorts - 1), ...bigEndian(bucket, buckets - 1));
