/**
 * Local hashing over a list (OLH, BLH): Wang, Blocki, Li, Jha 2017, "Locally Differentially Private Protocols for Frequency Estimation",
 * §4.4 (BLH is g = 2, OLH the g of least variance), with the hash drawn from the family of cohorts.ts, so that reports can be tallied. A
 * report is a cohort, drawn uniformly, and a k-ary response over g buckets to the answer's bucket in that cohort. Both are sent as one
 * number, cohort * g + bucket, so a tally is one row of cells, however many cohorts there are.
 *
 * Law (d answers, T = 2^32; a, b: P(the bucket itself), P(one given other) of the k-ary response): with m cohorts, report (cohort, bucket)
 * has probability a/m where the bucket is the answer's, else b/m. Two answers differ in some cohort, so
 *   e^ε = a / b = truth (g - 1) / (T - truth)
 * Support: a report supports the answers that its cohort puts into its bucket. The true answer has p = a. Any other answer shares its
 * bucket in exactly the share c of the cohorts, whatever the two answers are, so it has
 *   q = c a + (1 - c) b,  c = (g^(k-1) - 1) / (g^k - 1):
 * The protocol is pure (§3.1) over cohorts and coins, and a small family leaves no bias. The variance is as for k-ary response. For large
 * d, where c is 1/g, it is (e^ε - 1 + g)² / (n (e^ε - 1)² (g - 1)) (§4.4), least at g = e^ε + 1. Only primes and 4 are available as g.
 * Between two neighbours g and h the loss is largest at e^ε = √((g - 1)(h - 1)). It is at most 3.1 %, at e^ε = √2 (2 and 3), and 1.7 %
 * above that. Without 4 it would also be 3.1 % at e^ε = √8 (3 and 5), which is near ε = 1. Other prime powers would gain little. With g = d
 * there is one cohort, and this is k-ary response over the answers.
 *
 * Projective geometry response (projective.ts) is as short and as exact, with the same variance on long lists. Local hashing also supports
 * a second stage, and needs half the code on the device.
 *
 * Permanent: LOLOHA, Arcolezi, Pinzón, Palamidessi, Gambs 2023, "Frequency Estimation of Evolving Data Under Local Differential Privacy",
 * §3. The cohort and the bucket of the first stage are stored for an epoch, and each report is a second k-ary response to that bucket.
 * Cohorts are not secret and do not change, so e^ε∞ is the first stage's e^ε. A report is a k-ary response with P(same) and P(a given
 * other) composed as in k-ary.ts; they take the places of a and b above. The paper stores a symbol for each bucket that was ever recorded
 * and so spends up to g ε∞. Here only one symbol is stored.
 */

import { exp } from '../arithmetic/exponential.ts';
import { isPrime } from '../arithmetic/field.ts';
import { type BucketStages, overBuckets } from './buckets.ts';
import { coded } from './codec.ts';
import { bucketOf, collide, familyOf, isFamily } from './cohorts.ts';
import { type KeptResponse, kAry, kAryLaw, permanentKAryLaw } from './k-ary.ts';
import { assertWhole, type Mechanism, MODULUS } from './law.ts';
import { meanVariance, subsetIdeal } from './subset.ts';

/** The integers of local hashing over a list: `buckets` is 4 or a prime below `size`, or `size` itself. */
export type LocalHashingLaw = BucketStages & {
  readonly mechanism: 'local-hashing';
  /** d, the number of answers. */
  readonly size: number;
};

declare const process: { readonly env: { readonly NODE_ENV?: string } };

/** The allowed ratio to the least variance, if that makes a report shorter or a tally smaller. */
export const NEAR = 1.03;
const NEAR_PERMANENT = 1.05;
/** The largest tally. */
const MOST_CELLS = 2 ** 21;

const cellsOf = (size: number, buckets: number): number => familyOf(size, buckets).cohorts * buckets;

/** A candidate number of buckets for a list. */
export interface Buckets {
  readonly buckets: number;
  /** The number of cells of its tally. */
  readonly cells: number;
  /** The mean variance over answers, times the number of reports. */
  readonly variance: number;
}

function candidate(size: number, epsilon: number, buckets: number): Buckets {
  const family = familyOf(size, buckets);
  const variance = meanVariance(size, collide(subsetIdeal(buckets, 1, epsilon), family));
  return { buckets, cells: family.cohorts * buckets, variance };
}

/** All candidates below d: 4 and the primes up to 2 e^ε + 3, ascending, whose tallies have at most 2^21 cells. */
export function bucketsBelow(size: number, epsilon: number): readonly Buckets[] {
  const found: Buckets[] = [];
  const most = Math.min(2 * exp(epsilon) + 3, size - 1, Math.sqrt(MOST_CELLS));
  for (let buckets = 2; buckets <= most; buckets++) if (buckets === 4 || isPrime(buckets)) found.push(candidate(size, epsilon, buckets));
  return found.filter(({ cells }) => cells <= MOST_CELLS);
}

/** The candidate with the fewest cells among those whose variance is at most `most`, the first on a tie; undefined if there is none. */
export const fewestBuckets = (all: readonly Buckets[], most: number): number | undefined =>
  all.filter(({ variance }) => variance <= most).sort((a, b) => a.cells - b.cells)[0]?.buckets;

/**
 * g for d answers, for metrics that must use local hashing: one below d, or d itself. It is the number with the fewest cells among those
 * whose mean variance is within 3 % of the least. For a permanent metric it is the smallest number within 5 %.
 */
export function bucketsFor(size: number, epsilon: number, isPermanent: boolean): number {
  const all = [...bucketsBelow(size, epsilon), candidate(size, epsilon, size)];
  const most = (isPermanent ? NEAR_PERMANENT : NEAR) * Math.min(...all.map(({ variance }) => variance));
  return (isPermanent ? all.find(({ variance }) => variance <= most)?.buckets : fewestBuckets(all, most)) ?? size;
}

/** Throws a RangeError unless g is d, 4 or a prime below d, and the tally is not too large. */
function assertBuckets(size: number, buckets: number): void {
  const isAllowed = isFamily(size, buckets) || (buckets === 4 && size > 4);
  if (isAllowed && cellsOf(size, buckets) <= MOST_CELLS) return;
  throw new RangeError(
    `local-hashing: expected as many buckets as the ${size} answers, or 4 or a prime below with at most ${MOST_CELLS} cells in all, got ${buckets}`,
  );
}

/**
 * Local hashing over `buckets` buckets, with the law of the response to one of them.
 *
 * @throws {RangeError} when 32 bits can't hold it to within 10 %, or there is no family of so many buckets
 */
export function hashedLaw(size: number, epsilon: number, buckets: number, response: KeptResponse): LocalHashingLaw {
  // No ε depends on this check, so a production bundle drops it, like the schema checks in checks.ts.
  if (process.env.NODE_ENV !== 'production') assertBuckets(size, buckets);
  return { ...response(buckets, epsilon), mechanism: 'local-hashing', size, buckets };
}

/**
 * Local hashing with the largest ε that do not exceed the requested ones.
 *
 * @param size d, at least 2
 * @param epsilon ε of one report
 * @param permanent ε∞ of an epoch's whole history, at least `epsilon`, where there are two stages
 * @param buckets g; by default the rule of `bucketsFor` chooses it
 * @throws {RangeError} when 32 bits can't hold it to within 10 %, or there is no family of so many buckets
 */
export const localHashingLaw = (
  size: number,
  epsilon: number,
  permanent?: number,
  buckets: number = bucketsFor(size, epsilon, permanent !== undefined),
  modulus: number = MODULUS,
): LocalHashingLaw =>
  hashedLaw(size, epsilon, buckets, (g, e) =>
    permanent === undefined ? kAryLaw(g, e, modulus) : permanentKAryLaw(g, e, permanent, modulus),
  );

export const localHashing: Mechanism<LocalHashingLaw> = /* @__PURE__ */ coded<LocalHashingLaw>({
  name: 'local-hashing',
  tells: 'shares',
  meaning:
    'Local hashing: a device hashes its answer to one of a few buckets, and sends that bucket with a known probability, else another one.',
  validate: (law) => {
    assertWhole(law.size, 2, MOST_CELLS, 'local-hashing: size');
    assertBuckets(law.size, law.buckets);
    kAry.validate(overBuckets(law));
  },
  odds: (law) => kAry.odds(overBuckets(law)),
  shape: ({ size, buckets }) => ({ cohorts: 1, cells: cellsOf(size, buckets), form: 'symbol', runs: familyOf(size, buckets).cohorts }),
  supporting: ({ size, buckets }, _cohort, answer) =>
    Array.from({ length: familyOf(size, buckets).cohorts }, (_, cohort) => cohort * buckets + bucketOf(buckets, cohort, answer)),
  support: (law, stage) => collide(kAry.support(overBuckets(law), stage), familyOf(law.size, law.buckets)),
});
