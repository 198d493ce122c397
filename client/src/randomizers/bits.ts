/** Sends independent bits through one stage, as in unary encoding and RAPPOR; the law is in shared/src/mechanisms/bits.ts. */

import {
  type BitStage,
  bitBytes,
  type CountMeanSketchLaw,
  type DBitFlipLaw,
  hasBit,
  type RapporLaw,
  setBit,
  type UnaryLaw,
} from '@murmuration/shared';
import type { Coins } from '../random/coins.ts';
import type { Respond } from './randomizer.ts';

/** Makes a report: the bytes of its cohort, then bits. Each bit is 1 with probability one/T if `isOne`, else with probability zero/T. */
export function bitReport(
  { one, zero }: BitStage,
  cohort: Uint8Array,
  bits: number,
  isOne: (bit: number) => boolean,
  coins: Coins,
): Uint8Array {
  const report = new Uint8Array(cohort.length + bitBytes(bits));
  report.set(cohort);
  for (let bit = 0; bit < bits; bit++) {
    if (coins.flip(isOne(bit) ? one : zero)) setBit(report, bit, cohort.length);
  }
  return report;
}

export const respondBits: Respond<RapporLaw | UnaryLaw | DBitFlipLaw | CountMeanSketchLaw> = (law, symbol, coins) => {
  const bits = 'bits' in law ? law.bits : law.size;
  const offset = symbol.length - bitBytes(bits);
  return bitReport(law.irr as BitStage, symbol.subarray(0, offset), bits, (bit) => hasBit(symbol, bit, offset), coins);
};
