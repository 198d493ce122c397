/** dBitFlip on the device; the law is in shared/src/mechanisms/d-bit-flip.ts. */

import { bigEndian, type DBitFlipLaw, ringOf } from '@murmuration/shared';
import { bitReport } from './bits.ts';
import type { Randomize } from './randomizer.ts';

export const randomizeDBitFlip: Randomize<DBitFlipLaw, number> = (law, index, coins) => {
  const { size, bits } = law;
  const places = ringOf(law);
  const place = coins.uniform(places);
  return bitReport(law, bigEndian(place, places - 1), bits, (bit) => (place + bit) % size === index, coins);
};
