import { type LocalHashingLaw, localHashingLaw, mechanismOf } from '@murmuration/shared';
import { randomizeLocalHashing, respondHashed } from '../../../client/src/randomizers/local-hashing.ts';
import { bucketReport, bucketRow, localHashingRow } from '../../proofs/hashed.ts';
import type { Specimen } from './specimen.ts';

const cohortsOf = (law: LocalHashingLaw): number => mechanismOf(law).shape(law).cohorts;

export const localHashing: Specimen<LocalHashingLaw> = {
  randomize: randomizeLocalHashing,
  row: ({ size, buckets, truth }, input, T) => localHashingRow(size, buckets, truth, T, input),
  respond: respondHashed,
  again: (law, { cohort, cells: [cell] }, T) =>
    bucketRow(cohortsOf(law), [[cohort, cell as number]], law.buckets, (law.irr as NonNullable<LocalHashingLaw['irr']>).truth, T),
  encode: (law, { cohort, cells: [cell] }) => bucketReport(cohortsOf(law), cohort, law.buckets, cell as number),
  thresholds: (law) => [[law.truth, cohortsOf(law) > 1 ? [0] : []]],
  laws: [
    localHashingLaw(4, 0.01, undefined, 2),
    localHashingLaw(5, 1, undefined, 3),
    localHashingLaw(4, 3, undefined, 4),
    localHashingLaw(7, 1, undefined, 5),
    localHashingLaw(4, 1, 4, 3),
  ],
  small: [
    [localHashingLaw(4, 1, undefined, 2, 64), 64],
    [localHashingLaw(5, 2, undefined, 3, 64), 64],
    [localHashingLaw(3, 2, undefined, 3, 64), 64],
    [localHashingLaw(4, 1, 1.5, 3, 16), 16],
    [localHashingLaw(4, 1, 3, 2, 16), 16],
  ],
  large: [
    localHashingLaw(20, 1),
    localHashingLaw(30, 2),
    localHashingLaw(16, 4),
    localHashingLaw(40, 1, undefined, 2),
    localHashingLaw(30, 1, 4),
  ],
};
