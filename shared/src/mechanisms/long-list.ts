/**
 * Chooser 1 for a list that may be long (list.ts): where subset selection takes a bit for each answer, 12,500 bytes for 100,000 of
 * them, local hashing (local-hashing.ts) takes two or three. It is taken from 65 answers on, wherever its mean variance is within
 * 3 % of the least that the unbiased linear estimates of any law of a list have (Pan 2026, arXiv 2603.11523), which is that of the
 * best subset. Up to 64 answers a bit for each is eight bytes at most.
 *
 * It is not within 3 % where the best subsets are so small that they are nearly single answers (of 65 to 190 answers at ε = 3, of
 * 85 to 715 at 4), and near e^ε = √2, between 2 buckets and 3. Projective geometry (projective.ts) and buckets of other powers of
 * primes are little better there: of 195 lists of 65 to 38,000 answers at ε from 0.25 to 8 that have no short k-ary response, 148 are
 * short by this, 150 with all powers of primes, 152 by projective geometry (test/proofs/long-list.test.ts).
 *
 * Chooser 1 is one rule, and `listLaw` is its part without this. An app bundles this part where it names `longList()`; a schema in
 * development refuses a list without it where the two differ. Frozen, as list.ts says. Permanent lists stay with `permanentListLaw`: a
 * report of local hashing names a cohort, and that of an epoch would stay and link its reports.
 */

import { type KAryLaw, kAryLaw } from './k-ary.ts';
import { listLaw } from './list.ts';
import { bucketsBelow, fewestBuckets, type LocalHashingLaw, NEAR } from './local-hashing.ts';
import { meanVariance, type SubsetLaw, subsetIdeal } from './subset.ts';

/** The longest list whose reports may be a bit for each answer whatever else there is. */
export const MOST_SHORT = 64;

/** The law of a list of `size` answers at ε, as `listLaw`, or local hashing where subsets would make a long report. */
export function longListLaw(size: number, epsilon: number): KAryLaw | SubsetLaw | LocalHashingLaw {
  const law = listLaw(size, epsilon);
  if (law.mechanism === 'k-ary' || size <= MOST_SHORT) return law;
  const most = NEAR * meanVariance(size, subsetIdeal(size, law.subset, epsilon));
  const buckets = fewestBuckets(bucketsBelow(size, epsilon), most);
  return buckets ? { ...kAryLaw(buckets, epsilon), mechanism: 'local-hashing', size, buckets } : law;
}
