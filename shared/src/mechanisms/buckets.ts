/**
 * Shared by both kinds of local hashing (lists and strings). A report is a cohort and a bucket of it. The bucket is the answer's own after
 * one k-ary response, or after two if the metric is permanent.
 */

import { bigEndian } from '../encoding/bytes.ts';
import { type KAryLaw, kAryLaw, permanentKAryLaw } from './k-ary.ts';

/** The most cells that a tally of strings may have, over all cohorts. */
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

/** The same integers as a k-ary law whose answers are the buckets. */
export const overBuckets = ({ buckets, truth, irr }: BucketStages): KAryLaw => ({
  mechanism: 'k-ary',
  size: buckets,
  truth,
  ...(irr && { irr }),
});

/** The response over `buckets` with the largest ε that do not exceed the requested ones. */
export function bucketStages(buckets: number, epsilon: number, permanent: number | undefined, modulus: number): BucketStages {
  const { truth, irr } = permanent ? permanentKAryLaw(buckets, epsilon, permanent, modulus) : kAryLaw(buckets, epsilon, modulus);
  return { buckets, truth, ...(irr && { irr }) };
}

/** The report of a string's cohort and bucket, each big-endian in the fewest whole bytes. */
export const encodeBucket = (cohorts: number, buckets: number, cohort: number, bucket: number): Uint8Array =>
  Uint8Array.of(...bigEndian(cohort, cohorts - 1), ...bigEndian(bucket, buckets - 1));
