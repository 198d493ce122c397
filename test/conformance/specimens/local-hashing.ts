import { familyOf, type LocalHashingLaw, localHashingLaw } from '@murmuration/shared';
import { randomizeLocalHashing, respondLocalHashing } from '#client/randomizers/local-hashing.ts';
import { indexReport } from '../../proofs/channel.ts';
import { bucketRow, localHashingRow } from '../../proofs/hashed.ts';
import type { Specimen } from './specimen.ts';

const cohortsOf = ({ size, buckets }: LocalHashingLaw): number => familyOf(size, buckets).cohorts;

export const localHashing: Specimen<LocalHashingLaw> = {
  randomize: randomizeLocalHashing,
  row: ({ size, buckets, truth }, input, T) => localHashingRow(size, buckets, truth, T, input),
  respond: respondLocalHashing,
  again: (law, { cells: [cell] }, T) => {
    const stored = [Math.floor((cell as number) / law.buckets), (cell as number) % law.buckets] as const;
    return bucketRow(cohortsOf(law), [stored], law.buckets, (law.irr as NonNullable<LocalHashingLaw['irr']>).truth, T);
  },
  encode: (law, { cells: [cell] }) => indexReport(cell as number, cohortsOf(law) * law.buckets),
  thresholds: (law) => [[law.truth, cohortsOf(law) > 1 ? [0] : []]],
  laws: [
    localHashingLaw(4, 0.01, undefined, 2),
    localHashingLaw(5, 1, undefined, 3),
    localHashingLaw(4, 3, undefined, 4),
    localHashingLaw(7, 1, undefined, 5),
    localHashingLaw(6, 1, undefined, 4),
    localHashingLaw(4, 1, 4, 3),
  ],
  small: [
    [localHashingLaw(4, 1, undefined, 2, 64), 64],
    [localHashingLaw(5, 2, undefined, 3, 64), 64],
    [localHashingLaw(5, 1, undefined, 4, 64), 64],
    [localHashingLaw(3, 2, undefined, 3, 64), 64],
    [localHashingLaw(4, 1, 1.5, 3, 16), 16],
    [localHashingLaw(4, 1, 3, 2, 16), 16],
  ],
  large: [
    localHashingLaw(20, 1),
    localHashingLaw(30, 2),
    localHashingLaw(16, 4),
    localHashingLaw(40, 1, undefined, 2),
    localHashingLaw(40, 1, undefined, 4),
    localHashingLaw(30, 1, 4),
  ],
  at: (e) => localHashingLaw(20, e),
  lengths: [localHashingLaw(2, 1), localHashingLaw(40, 1), localHashingLaw(1024, 1, 4), localHashingLaw(100_000, 5.7)],
};
