import { type PiecewiseLaw, piecewiseLaw } from '@murmuration/shared';
import { randomizePiecewise } from '#client/randomizers/piecewise.ts';
import { distribution, indexReport, range } from '../../proofs/channel.ts';
import type { Distribution } from '../../proofs/enumerate.ts';
import { rational } from '../../proofs/rational.ts';
import type { NumberSpecimen } from './specimen.ts';

/** The row of a point of the grid. */
export const piecewiseRow = ({ grid, window, inside }: Omit<PiecewiseLaw, 'mechanism'>, point: number, T: number): Distribution =>
  distribution(
    range(grid + window).map((cell) => [
      indexReport(cell, grid + window),
      cell >= point && cell < point + window ? rational(inside, T * window) : rational(T - inside, T * grid),
    ]),
  );

export const piecewise: NumberSpecimen<PiecewiseLaw> = {
  randomize: (law, point, coins, T) => randomizePiecewise(law, point / law.grid, coins, T),
  between: randomizePiecewise,
  steps: ({ grid }) => grid,
  row: piecewiseRow,
  encode: ({ grid, window }, { cells: [cell] }) => indexReport(cell as number, grid + window),
  thresholds: ({ inside }) => [[inside, [0]]],
  laws: [piecewiseLaw(1, 1, 0.01), piecewiseLaw(2, 1, 1), piecewiseLaw(3, 2, 4)],
  small: [
    [piecewiseLaw(1, 1, 2, 64), 64],
    [piecewiseLaw(2, 1, 2, 32), 32],
    [piecewiseLaw(4, 2, 2, 64), 64],
  ],
  large: [piecewiseLaw(9, 3, 4), piecewiseLaw(64, 14, 6)],
  at: (e) => piecewiseLaw(3, 2, e),
  lengths: [piecewiseLaw(1, 1, 0.5), piecewiseLaw(64, 14, 6)],
};
