import { type DBitFlipLaw, dBitFlipLaw, ringOf } from '@murmuration/shared';
import { respondBits } from '#client/randomizers/bits.ts';
import { randomizeDBitFlip } from '#client/randomizers/d-bit-flip.ts';
import { bitsReport, bitsRow, distribution, range } from '../../proofs/channel.ts';
import type { Distribution } from '../../proofs/enumerate.ts';
import { multiply, rational } from '../../proofs/rational.ts';
import type { Specimen, Stages } from './specimen.ts';

/** The row of a set of one-bits after a place, if there are several places. */
const placed = (law: DBitFlipLaw, { one, zero }: Stages, T: number, place: number, set: readonly number[]): Distribution =>
  bitsRow(law.bits, rational(one, T), rational(zero, T), set, ringOf(law) > 1 ? place : undefined);

/** The row of a value in a bucket: each place of the ring, and the bits from there on. */
function row(law: DBitFlipLaw, bucket: number, T: number): Distribution {
  const places = ringOf(law);
  return distribution(
    range(places).flatMap((place) => {
      const set = range(law.bits).filter((bit) => (place + bit) % law.size === bucket);
      return [...placed(law, law, T, place, set)].map(([report, p]) => [report, multiply(p, rational(1, places))] as const);
    }),
  );
}

export const dBitFlip: Specimen<DBitFlipLaw> = {
  randomize: randomizeDBitFlip,
  row,
  respond: respondBits,
  again: (law, { cohort, cells }, T) => placed(law, law.irr as Stages, T, cohort, cells),
  isAbout: ({ size, bits }, place, bucket) => range(bits).some((bit) => (place + bit) % size === bucket),
  encode: (law, { cohort, cells }) => bitsReport(cells, law.bits, ringOf(law) > 1 ? cohort : undefined),
  thresholds: ({ one, zero }) => [
    [one, [0]],
    [zero, [1]], // place 1, in which bucket 0 comes last
  ],
  laws: [dBitFlipLaw(3, 1, 0.01), dBitFlipLaw(4, 2, 1), dBitFlipLaw(3, 2, 1, 4), dBitFlipLaw(3, 1, 1, 2)],
  small: [
    [dBitFlipLaw(3, 2, 2, undefined, 32), 32],
    [dBitFlipLaw(2, 1, 1, 3, 16), 16],
    [dBitFlipLaw(3, 2, 2, 6, 16), 16],
  ],
  large: [dBitFlipLaw(20, 4, 2), dBitFlipLaw(20, 12, 1, 4)],
  at: (e) => dBitFlipLaw(8, 2, e),
  lengths: [dBitFlipLaw(300, 9, 1), dBitFlipLaw(8, 8, 1, 2)],
};
