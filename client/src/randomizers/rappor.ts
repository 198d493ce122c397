/** RAPPOR on the device; the law is in shared/src/mechanisms/rappor.ts. */

import { bigEndian, bloomBits, hashString, type RapporLaw } from '@murmuration/shared';
import { bitReport } from './bits.ts';
import type { Randomize } from './randomizer.ts';

export const randomizeRappor: Randomize<RapporLaw, string> = (law, value, coins) => {
  const { bits, hashes, cohorts } = law;
  const cohort = coins.uniform(cohorts);
  const filter = bloomBits(hashString(value), cohort, hashes, bits);
  return bitReport(law, bigEndian(cohort, cohorts - 1), bits, (bit) => filter.includes(bit), coins);
};
