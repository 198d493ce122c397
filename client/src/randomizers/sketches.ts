/** Count mean sketches on the device; the laws are in shared/src/mechanisms/count-mean-sketch.ts and hadamard-count-mean-sketch.ts. */

import {
  bigEndian,
  bucketIn,
  bucketOf,
  type CountMeanSketchLaw,
  familyOf,
  fieldOf,
  type HadamardCountMeanSketchLaw,
  signOf,
} from '@murmuration/shared';
import { bitReport } from './bits.ts';
import type { Randomize } from './randomizer.ts';

export const randomizeCountMeanSketch: Randomize<CountMeanSketchLaw, number> = (law, index, coins) => {
  const { cohorts } = familyOf(law.size, law.bits);
  const cohort = coins.uniform(cohorts);
  const bucket = bucketOf(law.bits, cohort, index);
  return bitReport(law, bigEndian(cohort, cohorts - 1), law.bits, (bit) => bit === bucket, coins);
};

export const randomizeHadamardCountMeanSketch: Randomize<HadamardCountMeanSketchLaw, number> = ({ size, buckets, truth }, index, coins) => {
  const { cohorts } = familyOf(size, buckets);
  const cohort = coins.uniform(cohorts);
  const j = coins.uniform(buckets);
  const sign = signOf(bucketIn(fieldOf(buckets), cohort, index), j);
  const said = 2 * j + (coins.flip(truth) ? sign : 1 - sign);
  return Uint8Array.of(...bigEndian(cohort, cohorts - 1), ...bigEndian(said, 2 * buckets - 1));
};
