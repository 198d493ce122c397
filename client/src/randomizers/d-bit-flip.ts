/** dBitFlip on the device; the law is in shared/src/mechanisms/d-bit-flip.ts. */

import { bigEndian, type DBitFlipLaw, ringOf } from '@murmuration/shared';
import { bitReport } from './bits.ts';
import type { Randomize } from './randomizer.ts';

export const randomizeDBitFlip: Randomize<DBitFlipLaw, number> = (law, index, coins) => {
  const { size, bits } = law;
  const offsets = ringOf(law);
  const offset = coins.uniform(offsets);
  return bitReport(law, bigEndian(offset, offsets - 1), bits, (bit) => (offset + bit) % size === index, coins);
};
