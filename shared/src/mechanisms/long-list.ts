/**
 * Chooser 1 for a list that may be long (list.ts). Subset selection needs one bit per answer, 12,500 bytes for 100,000 answers, where local
 * hashing (local-hashing.ts) needs two or three bytes. Local hashing is chosen from 65 answers on, if its mean variance is within 3 % of
 * the least that unbiased linear estimates can have under any law of a list (Pan 2026, arXiv 2603.11523), which is that of the best subset.
 * Up to 64 answers, one bit per answer is at most eight bytes.
 *
 * Local hashing is not within 3 % in two cases. The best subsets may be so small that they are nearly single answers (65 to 190 answers at
 * ε = 3, 85 to 715 at ε = 4), or e^ε may be near √2, between 2 buckets and 3. Projective geometry (projective.ts) and buckets of other
 * prime powers help little there. Of 195 lists of 65 to 38,000 answers at ε from 0.25 to 8 that have no short k-ary response, this rule
 * makes 148 short, all prime powers would make 150, and projective geometry 152 (test/proofs/long-list.test.ts).
 *
 * Chooser 1 is one rule, and `listLaw` is the part of it without local hashing. An app bundles this part if it names `longList()`. In
 * development a schema refuses a list without it where the two rules differ. The rule is frozen, as list.ts says. Permanent lists always
 * use `permanentListLaw`: a report of local hashing names a cohort, and an epoch's constant cohort would link its reports.
 */

import { type KAryLaw, kAryLaw } from './k-ary.ts';
import { listLaw } from './list.ts';
import { bucketsBelow, fewestBuckets, type LocalHashingLaw, NEAR } from './local-hashing.ts';
import { meanVariance, type SubsetLaw, subsetIdeal } from './subset.ts';

/** The longest list whose reports may always have one bit per answer. */
export const MOST_SHORT = 64;

/** The law of a list of `size` answers at ε: that of `listLaw`, or local hashing if subsets would make long reports. */
export function longListLaw(size: number, epsilon: number): KAryLaw | SubsetLaw | LocalHashingLaw {
  const law = listLaw(size, epsilon);
  if (law.mechanism === 'k-ary' || size <= MOST_SHORT) return law;
  const most = NEAR * meanVariance(size, subsetIdeal(size, law.subset, epsilon));
  const buckets = fewestBuckets(bucketsBelow(size, epsilon), most);
  return buckets ? { ...kAryLaw(buckets, epsilon), mechanism: 'local-hashing', size, buckets } : law;
}
