/**
 * Chooser 1 for a number's mean: of all piecewise laws on grids of up to 64 steps the least worst-case variance, the
 * grid's rounding included. Frozen, as for lists. A report is one byte.
 */

import { type PiecewiseLaw, piecewiseIdeal, piecewiseLaw, piecewiseWorst } from './piecewise.ts';

const MOST_STEPS = 64;

/** The law of a mean at ε. */
export function meanLaw(epsilon: number): PiecewiseLaw {
  let [grid, window, least] = [1, 1, Number.POSITIVE_INFINITY];
  for (let steps = 1; steps <= MOST_STEPS; steps++) {
    for (let cells = 1; cells <= steps; cells++) {
      const worst = piecewiseWorst(steps, cells, piecewiseIdeal(steps, cells, epsilon));
      if (worst < least) [grid, window, least] = [steps, cells, worst];
    }
  }
  return piecewiseLaw(grid, window, epsilon);
}
