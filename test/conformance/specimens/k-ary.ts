import { type KAryLaw, kAryLaw, permanentKAryLaw } from '@murmuration/shared';
import { randomizeKAry, respondKAry } from '#client/randomizers/k-ary.ts';
import { indexReport, kAryRow } from '../../proofs/channel.ts';
import type { Specimen } from './specimen.ts';

export const kAry: Specimen<KAryLaw> = {
  randomize: randomizeKAry,
  row: ({ size, truth }, input, T) => kAryRow(size, truth, T, input),
  respond: respondKAry,
  again: ({ size, irr }, { cells: [cell] }, T) => kAryRow(size, (irr as NonNullable<KAryLaw['irr']>).truth, T, cell as number),
  encode: ({ size }, { cells: [cell] }) => indexReport(cell as number, size),
  thresholds: ({ truth }) => [[truth, []]],
  laws: [kAryLaw(2, 0.01), kAryLaw(5, 1), permanentKAryLaw(4, 1, 4)],
  small: [
    [kAryLaw(3, 2, 64), 64],
    [kAryLaw(2, 1.5, 32), 32],
    [kAryLaw(6, 2, 32), 32],
    [permanentKAryLaw(3, 1, 1.5, 16), 16],
    [permanentKAryLaw(4, 1, 2, 16), 16],
  ],
  large: [kAryLaw(16, 4), permanentKAryLaw(4, 1, 4)],
  at: (e) => kAryLaw(5, e),
  lengths: [kAryLaw(2, 1), kAryLaw(256, 1), kAryLaw(257, 4), permanentKAryLaw(5, 1, 4), kAryLaw(70_000, 4)],
};
