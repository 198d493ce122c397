import { type KAryLaw, type OneBitLaw, oneBitLaw } from '@murmuration/shared';
import { respondKAry } from '#client/randomizers/k-ary.ts';
import { randomizeOneBit } from '#client/randomizers/one-bit.ts';
import { indexReport, kAryRow } from '../../proofs/channel.ts';
import type { NumberSpecimen } from './specimen.ts';

export const oneBit: NumberSpecimen<OneBitLaw> = {
  randomize: randomizeOneBit,
  steps: () => 1,
  row: ({ truth }, end, T) => kAryRow(2, truth, T, end),
  respond: (law, symbol, coins) => respondKAry({ ...law, mechanism: 'k-ary' }, symbol, coins),
  again: ({ irr }, { cells: [cell] }, T) => kAryRow(2, (irr as NonNullable<KAryLaw['irr']>).truth, T, cell as number),
  encode: (_law, { cells: [cell] }) => indexReport(cell as number, 2),
  thresholds: ({ truth }) => [[truth, [0]]],
  laws: [oneBitLaw(0.01, 0.5), oneBitLaw(1, 4), oneBitLaw(2, 2.5)],
  small: [
    [oneBitLaw(1, 3, 16), 16],
    [{ mechanism: 'one-bit', size: 2, truth: 11, irr: { truth: 13 } }, 16],
  ],
  large: [oneBitLaw(1, 4), oneBitLaw(4, 6)],
  at: (e) => oneBitLaw(e, e),
  lengths: [oneBitLaw(1, 2)],
};
