import { type SquareWaveLaw, squareWaveLaw } from '@murmuration/shared';
import { randomizeSquareWave } from '#client/randomizers/square-wave.ts';
import { indexReport } from '../../proofs/channel.ts';
import { piecewiseRow } from './piecewise.ts';
import type { Specimen } from './specimen.ts';

export const squareWave: Specimen<SquareWaveLaw> = {
  randomize: randomizeSquareWave,
  row: piecewiseRow,
  encode: ({ grid, window }, { cells: [cell] }) => indexReport(cell as number, grid + window),
  thresholds: ({ inside }) => [[inside, []]],
  laws: [squareWaveLaw(2, 0.01), squareWaveLaw(3, 1), squareWaveLaw(5, 4)],
  small: [
    [squareWaveLaw(2, 1, 64), 64],
    [squareWaveLaw(5, 2, 64), 64],
    [squareWaveLaw(9, 4, 64), 64],
  ],
  large: [squareWaveLaw(8, 2), squareWaveLaw(24, 4)],
  at: (e) => squareWaveLaw(8, e),
  lengths: [squareWaveLaw(2, 1), squareWaveLaw(64, 1), squareWaveLaw(256, 0.5)],
};
