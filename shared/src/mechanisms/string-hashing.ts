/**
 * Local hashing of strings from an unknown set: Wang, Blocki, Li, Jha 2017, "Locally Differentially Private Protocols for Frequency
 * Estimation", §4.4, with the hash drawn from m cohorts as in RAPPOR. A report is a cohort, drawn uniformly, and a k-ary response over g
 * buckets to the string's bucket in that cohort. Its two small numbers carry what RAPPOR needs 128 bits for.
 *
 * Law (T = 2^32; a, b: P(the bucket itself), P(one given other) of the k-ary response): whatever the hash is, a report has probability a/m
 * or b/m, so e^ε = a / b = truth (g - 1) / (T - truth). Support of a bucket: p = a, q = b. The hash is a random function to g buckets, so
 * another string shares the bucket of a candidate with probability ρ = 1/g, and b + (a - b) ρ = 1/g. So f = (C/n - b - (a - b) ρ) / ((a -
 * b)(1 - ρ)), RAPPOR's estimate for a Bloom filter of g bits and one hash, is unbiased over hash and coins. Its variance is that of
 * collector/src/estimation/strings.ts: the coins contribute (e^ε - 1 + g)² / (n (e^ε - 1)² (g - 1)) for small f (§4.4), and the hash
 * contributes Σ_w Σ_j (n_jw / n)² / (g - 1) over the other strings w.
 *
 * Design: g is the whole number with the least variance. It lies at e^ε + 1, where the variance is 4e^ε / (n (e^ε - 1)²), the same as
 * RAPPOR's. For a permanent metric g is the smallest number within 5 % of that variance (3 at ε₁ = 1, 6 at 2, 37 at 4). The number of
 * cohorts is chosen as for RAPPOR (`cohortsFor`), with g - 1 for k: collisions of strings that are not clear, of variance Σ f² / (m (g -
 * 1)), add at most a tenth to the coins' variance at the expected number of devices. Permanent metrics work as in local-hashing.ts.
 */

import { exp } from '../arithmetic/exponential.ts';
import { type BucketStages, bucketStages, MAX_CELLS, overBuckets } from './buckets.ts';
import { coded } from './codec.ts';
import { kAry } from './k-ary.ts';
import { assertWhole, type Mechanism, MODULUS } from './law.ts';
import { assertCohorts, cohortsFor, MAX_COHORTS } from './rappor.ts';

/** The integers of local hashing of strings. */
export type StringHashingLaw = BucketStages & {
  readonly mechanism: 'string-hashing';
  /** m, a power of two. */
  readonly cohorts: number;
};

const MAX_BUCKETS = 4096;
const NEAR_PERMANENT = 1.05;

/** The variance of a rare string's frequency due to the coins alone, times the number of reports (§4.4). */
function coinVariance(buckets: number, epsilon: number): number {
  const e = exp(epsilon);
  return ((e - 1 + buckets) * (e - 1 + buckets)) / ((e - 1) * (e - 1) * (buckets - 1));
}

/** g: the number from 2 to 4096 with the least variance; for a permanent metric, the smallest within 5 % of it. */
function bucketsFor(epsilon: number, isPermanent: boolean): number {
  const variances = Array.from({ length: MAX_BUCKETS - 1 }, (_, i) => coinVariance(i + 2, epsilon));
  const most = Math.min(...variances) * (isPermanent ? NEAR_PERMANENT : 1);
  return variances.findIndex((variance) => variance <= most) + 2;
}

/**
 * Local hashing of strings with the largest ε that do not exceed the requested ones.
 *
 * @param epsilon ε of one report
 * @param devices the expected number of answering devices, which determines the number of cohorts
 * @param permanent ε∞ of an epoch's whole history, at least `epsilon`, where there are two stages
 * @throws {RangeError} when 32 bits can't hold it to within 10 %
 */
export function stringHashingLaw(epsilon: number, devices: number, permanent?: number, modulus: number = MODULUS): StringHashingLaw {
  const buckets = bucketsFor(epsilon, permanent !== undefined);
  const most = Math.min(MAX_COHORTS, MAX_CELLS / (2 * buckets));
  const cohorts = cohortsFor(devices, coinVariance(buckets, epsilon), buckets - 1, most);
  return { mechanism: 'string-hashing', cohorts, ...bucketStages(buckets, epsilon, permanent, modulus) };
}

export const stringHashing: Mechanism<StringHashingLaw> = /* @__PURE__ */ coded<StringHashingLaw>({
  name: 'string-hashing',
  tells: 'shares',
  meaning:
    'Local hashing: a device hashes its string to one of a few buckets, and sends that bucket with a known probability, else another one.',
  validate: (law) => {
    assertCohorts('string-hashing', law.cohorts);
    assertWhole(law.buckets, 2, MAX_CELLS / law.cohorts, 'string-hashing: buckets');
    kAry.validate(overBuckets(law));
  },
  odds: (law) => kAry.odds(overBuckets(law)),
  shape: ({ cohorts, buckets }) => ({ cohorts, cells: buckets, form: 'symbol' }),
  support: (law, stage) => kAry.support(overBuckets(law), stage),
});
