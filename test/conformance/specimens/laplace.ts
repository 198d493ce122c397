import { type LaplaceLaw, laplaceLaw } from '@murmuration/shared';
import { randomizeLaplace } from '#client/randomizers/laplace.ts';
import { indexReport } from '../../proofs/channel.ts';
import { geometricRow } from './geometric.ts';
import type { NumberSpecimen } from './specimen.ts';

export const laplace: NumberSpecimen<LaplaceLaw> = {
  randomize: (law, point, coins, T) => randomizeLaplace(law, point / law.tails.length, coins, T),
  between: randomizeLaplace,
  steps: ({ tails }) => tails.length,
  row: ({ tails }, point, T) => geometricRow({ mechanism: 'geometric', tails }, point, T),
  encode: ({ tails }, { cells: [cell] }) => indexReport(cell as number, tails.length + 1),
  thresholds: ({ tails }) => tails.map((tail) => [2 ** 32 - tail, [0]]),
  laws: [laplaceLaw(0.01, 1), laplaceLaw(1, 2), laplaceLaw(4, 3)],
  small: [
    [laplaceLaw(1, 1, 64), 64],
    [laplaceLaw(2, 2, 64), 64],
  ],
  large: [laplaceLaw(1, 8), laplaceLaw(4, 20)],
  at: (e) => laplaceLaw(e, 5),
  lengths: [laplaceLaw(1, 1), laplaceLaw(4, 256)],
};
