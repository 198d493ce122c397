import { type SubsetLaw, subsetLaw } from '@murmuration/shared';
import { randomizeSubset } from '#client/randomizers/subset.ts';
import { bitsReport, subsetRow } from '../../proofs/channel.ts';
import type { Specimen } from './specimen.ts';

export const subset: Specimen<SubsetLaw> = {
  randomize: randomizeSubset,
  row: ({ size, subset, include }, input, T) => subsetRow(size, subset, include, T, input),
  encode: ({ size }, { cells }) => bitsReport(cells, size),
  thresholds: ({ include }) => [[include, []]],
  laws: [subsetLaw(3, 2, 0.01), subsetLaw(5, 2, 1)],
  small: [
    [subsetLaw(4, 2, 1.5, 64), 64],
    [subsetLaw(5, 3, 2, 32), 32],
    [subsetLaw(3, 2, 1, 64), 64],
    [{ mechanism: 'subset', size: 6, subset: 2, include: 11 }, 16],
    [{ mechanism: 'subset', size: 6, subset: 5, include: 7 }, 8],
  ],
  large: [subsetLaw(16, 4, 1), subsetLaw(20, 5, 1)],
  at: (e) => subsetLaw(16, 4, e),
  lengths: [subsetLaw(3, 2, 1), subsetLaw(10, 3, 1), subsetLaw(32, 9, 1), subsetLaw(33, 9, 1), subsetLaw(1024, 275, 1)],
};
