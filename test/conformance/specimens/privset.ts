import { type PrivSetLaw, privSetLaw, setLaw } from '@murmuration/shared';
import { randomizePrivSet } from '#client/randomizers/privset.ts';
import { bitsReport, indexReport, kAryRow, subsetRow } from '../../proofs/channel.ts';
import type { Specimen } from './specimen.ts';

/** Sets of one answer, and one dummy. Larger sets are tested in test/proofs. */
export const privset: Specimen<PrivSetLaw> = {
  randomize: (law, input, coins) => randomizePrivSet(law, [input], coins),
  row: ({ size, subset, hit }, input, T) => (subset > 1 ? subsetRow(size + 1, subset, hit, T, input) : kAryRow(size + 1, hit, T, input)),
  encode: ({ size, subset }, { cells }) => (subset > 1 ? bitsReport(cells, size + 1) : indexReport(cells[0] as number, size + 1)),
  thresholds: ({ hit }) => [[hit, []]],
  inPart: true,
  laws: [privSetLaw(4, 1, 1, 0.01), privSetLaw(4, 1, 2, 1)],
  small: [
    [privSetLaw(2, 1, 1, 2, 64), 64],
    [privSetLaw(4, 1, 2, 1, 16), 16],
  ],
  large: [setLaw(15, 1, 4), setLaw(19, 1, 1)],
  at: (e) => setLaw(5, 2, e),
  lengths: [setLaw(5, 2, 4), setLaw(100, 5, 1)],
};
