/** The Hadamard count mean sketch (HCMS) on the device; the law is in shared/src/mechanisms/hadamard-count-mean-sketch.ts. */

import { bigEndian, bucketIn, familyOf, fieldOf, type HadamardCountMeanSketchLaw, signOf } from '@murmuration/shared';
import type { Randomize } from './randomizer.ts';

export const randomizeHadamardCountMeanSketch: Randomize<HadamardCountMeanSketchLaw, number> = ({ size, buckets, truth }, index, coins) => {
  const { cohorts } = familyOf(size, buckets);
  const cohort = coins.uniform(cohorts);
  const j = coins.uniform(buckets);
  const sign = signOf(bucketIn(fieldOf(buckets), cohort, index), j);
  const said = 2 * j + (coins.flip(truth) ? sign : 1 - sign);
  return Uint8Array.of(...bigEndian(cohort, cohorts - 1), ...bigEndian(said, 2 * buckets - 1));
};
