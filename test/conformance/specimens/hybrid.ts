import { type HybridLaw, hybridLaw, hybridMeanLaw, MODULUS } from '@murmuration/shared';
import { randomizeHybrid } from '#client/randomizers/hybrid.ts';
import { distribution, indexReport, range } from '../../proofs/channel.ts';
import type { Distribution } from '../../proofs/enumerate.ts';
import { add, multiply, rational } from '../../proofs/rational.ts';
import type { NumberSpecimen } from './specimen.ts';

/** The row of a point of the grid, over both parts. */
export function hybridRow({ grid, window, inside, mix, truth }: HybridLaw, point: number, T: number): Distribution {
  const outputs = grid + window + 2;
  const near = (cell: number) => (cell >= point && cell < point + window ? rational(inside, T * window) : rational(T - inside, T * grid));
  const high = add(multiply(rational(point, grid), rational(truth, T)), multiply(rational(grid - point, grid), rational(T - truth, T)));
  const low = rational(high.denominator - high.numerator, high.denominator);
  return distribution([
    ...range(grid + window).map((cell) => [indexReport(cell, outputs), multiply(rational(mix, T), near(cell))] as const),
    [indexReport(outputs - 2, outputs), multiply(rational(T - mix, T), low)] as const,
    [indexReport(outputs - 1, outputs), multiply(rational(T - mix, T), high)] as const,
  ]);
}

/** Thresholds over words below 8. */
const few = (grid: number, window: number): HybridLaw => ({ mechanism: 'hybrid', grid, window, inside: 7, mix: 3, truth: 6 });

export const hybrid: NumberSpecimen<HybridLaw> = {
  randomize: (law, point, coins, T) => randomizeHybrid(law, point / law.grid, coins, T),
  between: randomizeHybrid,
  steps: ({ grid }) => grid,
  row: hybridRow,
  encode: ({ grid, window }, { cells: [cell] }) => indexReport(cell as number, grid + window + 2),
  thresholds: ({ grid, window, inside, mix, truth }) => [
    [mix, [0]],
    [inside, [0, 0]],
    [truth, [0, MODULUS - 1, 0, ...(window > 1 ? [0] : []), ...(grid > 1 ? [0, 0] : [])]],
  ],
  laws: [hybridLaw(1, 1, 0.01), hybridLaw(2, 1, 1), hybridLaw(3, 2, 4)],
  small: [
    [few(1, 1), 8],
    [few(2, 1), 8],
    [few(4, 2), 8],
  ],
  large: [hybridLaw(9, 3, 4), hybridLaw(62, 44, 1)],
  at: (e) => hybridMeanLaw(e),
  lengths: [hybridLaw(1, 1, 1), hybridLaw(62, 44, 1)],
};
