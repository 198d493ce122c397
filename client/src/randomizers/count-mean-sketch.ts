/** The count mean sketch (CMS) on the device; the law is in shared/src/mechanisms/count-mean-sketch.ts. */

import { bigEndian, bucketOf, type CountMeanSketchLaw, familyOf } from '@murmuration/shared';
import { bitReport } from './bits.ts';
import type { Randomize } from './randomizer.ts';

export const randomizeCountMeanSketch: Randomize<CountMeanSketchLaw, number> = (law, index, coins) => {
  const { cohorts } = familyOf(law.size, law.bits);
  const cohort = coins.uniform(cohorts);
  const bucket = bucketOf(law.bits, cohort, index);
  return bitReport(law, bigEndian(cohort, cohorts - 1), law.bits, (bit) => bit === bucket, coins);
};
