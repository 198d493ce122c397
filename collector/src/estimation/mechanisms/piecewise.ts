/** The scores of the piecewise mechanism: linear in the output, by the moments of shared/src/mechanisms/piecewise.ts. */

import { MODULUS, type PiecewiseLaw, piecewiseLaw, piecewiseMoments, piecewiseWorst, steppedLaw } from '@murmuration/shared';
import type { NumberEstimation } from '../estimation.ts';
import { type Rows, rowsBy } from '../matrices.ts';
import type { Scores } from '../number.ts';
import { meanByScores } from '../parts.ts';

/** Score j'/a of output j, scaled from steps to a range of width 1. */
export function piecewiseScores({ grid, window, inside }: PiecewiseLaw): Scores {
  const p = inside / MODULUS;
  const { gain, spread } = piecewiseMoments(grid, window, p);
  const outputs = grid + window;
  const varianceAt = (place: number): number => {
    const steps = place * grid;
    const rest = steps - Math.floor(steps);
    const fromMiddle = steps - grid / 2;
    return (spread / (gain * gain) + (1 / gain - 1) * fromMiddle * fromMiddle + (rest * (1 - rest)) / gain) / (grid * grid);
  };
  return {
    values: Array.from({ length: outputs }, (_, output) => 0.5 + (output - (outputs - 1) / 2) / (gain * grid)),
    varianceAt,
    worst: piecewiseWorst(grid, window, p),
  };
}

/** P(output | point) for a window of likelier outputs around each point (shared/src/mechanisms/piecewise.ts). */
export function windowRows({ grid, window, inside }: { readonly grid: number; readonly window: number; readonly inside: number }): Rows {
  const [near, far] = [inside / (MODULUS * window), (MODULUS - inside) / (MODULUS * grid)];
  return rowsBy(grid + 1, grid + window, (input, output) => (output >= input && output < input + window ? near : far));
}

export const piecewise: NumberEstimation<PiecewiseLaw> = {
  ...meanByScores<PiecewiseLaw>(piecewiseScores, windowRows),
  named: () => [(e) => piecewiseLaw(1, 1, e), steppedLaw],
  simulated: [
    { of: 'mean', name: 'piecewise', client: 'piecewise' },
    { of: 'mean', name: 'duchi', client: 'duchi' },
  ],
};
