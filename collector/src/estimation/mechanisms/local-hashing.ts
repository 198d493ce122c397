/** The shares of a list's answers from local hashing (OLH, BLH). A report supports the answers that its cohort maps to its bucket. */

import { familyOf, kAry, type LocalHashingLaw, localHashingLaw, mechanismOf, overBuckets } from '@murmuration/shared';
import { cohortSupports } from '../cohorts.ts';
import type { AnswerEstimation } from '../estimation.ts';
import { hashedPairs } from '../pairs.ts';
import { pureList } from '../pure.ts';
import type { Tallies } from '../tally.ts';
import { boundsOfSupport, chancesPValue } from '../watch/bounds.ts';
import { absentOf, absentSquares, onDesign } from '../watch/designs.ts';

const supports = ({ size, buckets }: LocalHashingLaw, tallies: Tallies): Float64Array =>
  cohortSupports(size, buckets, (cohort) => tallies.get(0)?.cells.subarray(cohort * buckets, (cohort + 1) * buckets));

/** Tests that the cohorts are equally frequent, as devices draw them uniformly. */
function evenCohorts({ size, buckets }: LocalHashingLaw, tallies: Tallies, perDevice: number): number | undefined {
  const { cohorts } = familyOf(size, buckets);
  const counts = Array<number>(cohorts).fill(0);
  tallies.get(0)?.cells.forEach((count, cell) => {
    const cohort = Math.floor(cell / buckets);
    counts[cohort] = (counts[cohort] as number) + count;
  });
  return chancesPValue(counts, Array<number>(cohorts).fill(1 / cohorts), perDevice);
}

const supportOf = (law: LocalHashingLaw) => mechanismOf(law).support(law);

export const localHashing: AnswerEstimation<LocalHashingLaw> = {
  ...pureList(supports),
  named: ({ size, buckets }, { permanent }) => [
    (e) => localHashingLaw(size, e, permanent),
    (e) => localHashingLaw(size, e, permanent, buckets),
  ],
  pairs: hashedPairs,
  isSumFixed: ({ size, buckets }) => familyOf(size, buckets).vectors === size,
  bounds: (law) => {
    const { p, q } = kAry.support(overBuckets(law));
    const { cohorts } = familyOf(law.size, law.buckets);
    return boundsOfSupport({ p: p / cohorts, q: q / cohorts });
  },
  fit: onDesign({
    design: ({ size, buckets }) => {
      const { vectors, cohorts, collisions } = familyOf(size, buckets);
      return { answers: vectors, outputs: cohorts * buckets, common: collisions };
    },
    support: supportOf,
    supports,
    squares: (law, supported) => absentSquares(absentOf(supportOf(law), supported.design), supported),
    more: evenCohorts,
  }),
  simulated: [
    {
      of: 'list',
      name: 'local-hashing',
      law: (answers, epsilon, permanent) => localHashingLaw(answers, epsilon, permanent),
      client: 'localHashing',
      isPermanent: true,
    },
    {
      of: 'list',
      name: 'binary-local-hashing',
      law: (answers, epsilon, permanent) => localHashingLaw(answers, epsilon, permanent, 2),
      client: 'localHashing',
      isPermanent: true,
    },
  ],
};
