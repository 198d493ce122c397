/** The scores of the piecewise mechanism: linear in the output, by the moments of shared/src/mechanisms/piecewise.ts. */

import { MODULUS, type PiecewiseLaw, piecewiseMoments, piecewiseWorst } from '@murmuration/shared';
import type { Scores } from './number.ts';

/** Score j'/a of output j, from steps to the range of width 1. */
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
