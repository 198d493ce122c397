/** RAPPOR on the device; the law is in shared/src/mechanisms/rappor.ts. */

import {
  type BitStage,
  bloomBits,
  cohortBytes,
  hasBit,
  hashString,
  type RapporLaw,
  rapporCohort,
  rapporReport,
  setBit,
} from '@murmuration/shared';
import type { Coins } from '../random/coins.ts';
import type { Randomize, Respond } from './randomizer.ts';

/** Each of k bits through a stage: 1 with probability one/T where `isOne`, else zero/T. */
function respondBits(law: RapporLaw, cohort: number, stage: BitStage, isOne: (bit: number) => boolean, coins: Coins): Uint8Array {
  const report = rapporReport(law, cohort);
  const offset = cohortBytes(law);
  for (let bit = 0; bit < law.bits; bit++) {
    if (coins.flip(isOne(bit) ? stage.one : stage.zero)) setBit(report, bit, offset);
  }
  return report;
}

export const randomizeRappor: Randomize<RapporLaw, string> = (law, value, coins) => {
  const cohort = coins.uniform(law.cohorts);
  const filter = bloomBits(hashString(value), cohort, law.hashes, law.bits);
  return respondBits(law, cohort, law, (bit) => filter.includes(bit), coins);
};

export const respondRappor: Respond<RapporLaw> = (law, symbol, coins) => {
  const { irr } = law as Required<RapporLaw>;
  return respondBits(law, rapporCohort(law, symbol), irr, (bit) => hasBit(symbol, bit, cohortBytes(law)), coins);
};
