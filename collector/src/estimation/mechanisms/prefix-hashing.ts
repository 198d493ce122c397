/** Strings that are found by their prefixes; discovery/ finds them. The estimates here are those of given candidates. */

import { familyOf, kAry, mechanismOf, overBuckets, type PrefixHashingLaw, prefixHashingLaw } from '@murmuration/shared';
import type { ShareEstimation } from '../estimation.ts';
import { sharesOf } from '../prefixes.ts';
import { rangeVariance } from '../pure.ts';
import type { Tallies } from '../tally.ts';
import { boundsOfSupport, chancesPValue, leverageOfSupport } from '../watch/bounds.ts';
import { byPValue } from '../watch/fit.ts';

/** Tests that levels and their cohorts are equally frequent, as devices draw them uniformly. */
function evenDraws({ longest, places, buckets }: PrefixHashingLaw, tallies: Tallies, perDevice: number): number | undefined {
  const { cohorts } = familyOf(places, buckets);
  const counts = new Float64Array(longest * cohorts);
  for (const [level, { cells }] of tallies) {
    for (let cell = 0; cell < cells.length; cell++) {
      const count = cells[cell] as number;
      if (count === 0) continue; // as nearly all are
      const at = level * cohorts + Math.floor(cell / buckets);
      counts[at] = (counts[at] as number) + count;
    }
  }
  return chancesPValue(counts, new Float64Array(counts.length).fill(1 / counts.length), perDevice);
}

const supportOf = (law: PrefixHashingLaw) => mechanismOf(law).support(law);

export const prefixHashing: ShareEstimation<PrefixHashingLaw> = {
  named: ({ longest, bins, places }) => [(e) => prefixHashingLaw(longest, e), (e) => prefixHashingLaw(longest, e, bins, places)],
  estimates: (law, { tallies, people, candidates }) => [...sharesOf(law, tallies, candidates, people)],
  noiseAt: (law, reports, share) => {
    const { constant, slope } = rangeVariance(supportOf(law), supportOf(law), reports, 1);
    return constant + slope * share;
  },
  bounds: (law) => {
    const { p, q } = kAry.support(overBuckets(law));
    const { cohorts } = familyOf(law.places, law.buckets);
    return boundsOfSupport({ p: p / cohorts, q: q / cohorts });
  },
  fit: byPValue(evenDraws),
  leverage: (law) => leverageOfSupport(supportOf(law)),
  simulated: [],
};
