/**
 * Prefix hashing: strings that nobody has listed. After the prefix extending method (PEM) of Wang, Li, Jha 2019, "Locally Differentially
 * Private Heavy Hitter Identification", §4: a device reports a prefix of its string, whose length it draws without looking at the string,
 * and the collector extends the frequent prefixes. As in Bitstogram (Bassily, Nissim, Stemmer, Thakurta 2017, "Practical Locally Private
 * Heavy Hitters", §4), what is reported is hashed together with a hash of the whole string, its bin. So the reports of every level are
 * about the string itself and about few others with the same prefix, and a string's estimate uses the reports of all levels.
 * docs/discovery.md compares the designs.
 *
 * A report is a level, drawn uniformly from L, and local hashing (local-hashing.ts) over d = g^k places of the string's place at that
 * level: a cohort of m, drawn uniformly, and a k-ary response over g buckets to the place's bucket in it.
 *
 * Law (T = 2^32; a, b: P(the bucket itself), P(one given other) of the k-ary response): the report (level, cohort, bucket) has probability
 * a / (L m) where the bucket is the one of the string's place, else b / (L m). Levels and cohorts are drawn alike for every string, and two
 * different places differ in some cohort, so
 *   e^ε = a / b = truth (g - 1) / (T - truth)
 * Support: a report supports the places that its cohort puts into its bucket, p = a and q = c a + (1 - c) b with c of cohorts.ts. A string
 * is supported when its place at the report's level is. Strings whose prefixes or bins differ share a place with probability 1/d.
 *
 * Variance of a share f, from n reports of all levels: (q (1-q) + f (p (1-p) - q (1-q))) / (n (p-q)²), that of local hashing. Strings that
 * share places with it add Σ_w f_w² / (L d), and those that share its bin and l of its first symbols Σ_w (l/L)² f_w² / B.
 */

import { exp } from '../arithmetic/exponential.ts';
import { isPrime } from '../arithmetic/field.ts';
import { bigEndian } from '../encoding/bytes.ts';
import type { Prefixes } from '../prefixes.ts';
import { overBuckets } from './buckets.ts';
import { coded } from './codec.ts';
import { bucketOf, collide, familyOf, isFamily } from './cohorts.ts';
import { kAry, kAryLaw } from './k-ary.ts';
import { assertWhole, MODULUS, type PrefixChannel } from './law.ts';
import { meanVariance, subsetIdeal } from './subset.ts';

/** The integers of prefix hashing. */
export type PrefixHashingLaw = Prefixes & {
  readonly mechanism: 'prefix-hashing';
  /** g, the buckets of a cohort: 4 or a prime, of which d is a power. */
  readonly buckets: number;
  /** P(the bucket itself) * 2^32. */
  readonly truth: number;
};

/** The most bytes of a string that a law may have. */
export const MOST_BYTES = 48;
const MOST_BINS = 4096;
/** The most places of one level, and the most cells of all levels. */
const MOST_PLACES = 2 ** 20;
const MOST_CELLS = 2 ** 24;
/** The largest g. At ε above 6 a larger one would have less variance, but the sums of its places take g³ steps. */
const MOST_BUCKETS = 257;

/** B and the least d. Both are measured (docs/discovery.md): they find the most strings in tallies of this size. */
const BINS = 8;
const FEWEST_PLACES = 2 ** 16;
/** The allowed ratio to the least variance, where that makes a tally smaller. */
const NEAR = 1.05;

/** g and d: the fewest places, at least `fewest`, among those whose variance is near the least. */
function designFor(epsilon: number, fewest: number): { readonly buckets: number; readonly places: number } {
  const designs: { readonly buckets: number; readonly places: number; readonly variance: number }[] = [];
  const most = Math.max(4, Math.min(2 * exp(epsilon) + 3, MOST_BUCKETS));
  for (let buckets = 2; buckets <= most; buckets++) {
    if (buckets !== 4 && !isPrime(buckets)) continue;
    let places = buckets * buckets;
    while (places < fewest) places *= buckets;
    const variance = meanVariance(places, collide(subsetIdeal(buckets, 1, epsilon), familyOf(places, buckets)));
    if (places <= MOST_PLACES) designs.push({ buckets, places, variance });
  }
  const least = Math.min(...designs.map(({ variance }) => variance));
  const near = designs.filter(({ variance }) => variance <= NEAR * least);
  return near.reduce((best, each) => (each.places < best.places ? each : best));
}

/**
 * Prefix hashing with the largest ε that is at most the requested one.
 *
 * @param longest L, the most bytes of a string
 * @param bins B
 * @param fewest the least number of places of a level
 * @throws {RangeError} when 32 bits can't hold it to within 10 %
 */
export function prefixHashingLaw(
  longest: number,
  epsilon: number,
  bins: number = BINS,
  fewest: number = FEWEST_PLACES,
  modulus: number = MODULUS,
): PrefixHashingLaw {
  const { buckets, places } = designFor(epsilon, fewest);
  return { mechanism: 'prefix-hashing', longest, bins, places, buckets, truth: kAryLaw(buckets, epsilon, modulus).truth };
}

const cohortsIn = ({ places, buckets }: PrefixHashingLaw): number => familyOf(places, buckets).cohorts;

/** The report of a level, a cohort and a bucket: the level, then cohort * g + bucket, each big-endian in the fewest whole bytes. */
export const encodePrefix = (law: PrefixHashingLaw, level: number, cohort: number, bucket: number): Uint8Array =>
  Uint8Array.of(...bigEndian(level, law.longest - 1), ...bigEndian(cohort * law.buckets + bucket, cohortsIn(law) * law.buckets - 1));

export const prefixHashing: PrefixChannel<PrefixHashingLaw> = /* @__PURE__ */ coded<PrefixHashingLaw>({
  name: 'prefix-hashing',
  tells: 'prefixes',
  meaning:
    'Prefix hashing: a device hashes the beginning of its text, of a length that it draws, to one of a few buckets, and sends that bucket with a known probability, else another one.',
  validate: (law) => {
    const { longest, bins, places, buckets } = law;
    assertWhole(longest, 1, MOST_BYTES, 'prefix-hashing: longest');
    assertWhole(bins, 1, MOST_BINS, 'prefix-hashing: bins');
    assertWhole(places, 2, MOST_PLACES, 'prefix-hashing: places');
    assertWhole(buckets, 2, Math.min(places, MOST_BUCKETS), 'prefix-hashing: buckets');
    const isKnown = isFamily(places, buckets) || (buckets === 4 && places > 4);
    if (!(isKnown && familyOf(places, buckets).vectors === places)) {
      throw new RangeError(
        `prefix-hashing: expected places to be a power of the buckets, which are 4 or a prime, got ${places} and ${buckets}`,
      );
    }
    kAry.validate(overBuckets(law));
    assertWhole(longest * cohortsIn(law) * buckets, 1, MOST_CELLS, 'prefix-hashing: cells of all levels');
  },
  odds: (law) => kAry.odds(overBuckets(law)),
  shape: (law) => ({ cohorts: law.longest, cells: cohortsIn(law) * law.buckets, form: 'symbol', runs: cohortsIn(law) }),
  places: ({ places }) => places,
  supporting: (law, place) =>
    Array.from({ length: cohortsIn(law) }, (_, cohort) => cohort * law.buckets + bucketOf(law.buckets, cohort, place)),
  support: (law) => collide(kAry.support(overBuckets(law)), familyOf(law.places, law.buckets)),
});
