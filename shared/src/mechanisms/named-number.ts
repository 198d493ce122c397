/**
 * Laws for a number whose mechanism the schema names. The search covers all grids of up to 64 steps with windows no wider than the grid,
 * and picks the least worst-case variance, including that of rounding to the grid. A report is one byte.
 */

import { type HybridLaw, hybridLaw, hybridWorst } from './hybrid.ts';
import { type PiecewiseLaw, piecewiseIdeal, piecewiseLaw, piecewiseWorst } from './piecewise.ts';

const MOST_STEPS = 64;

interface Best {
  readonly grid: number;
  readonly window: number;
  readonly worst: number;
}

/** The grid and the window of least worst-case variance. */
function bestGrid(worstOf: (grid: number, window: number) => number, fewest: number): Best {
  let best: Best = { grid: fewest, window: 1, worst: Number.POSITIVE_INFINITY };
  for (let grid = fewest; grid <= MOST_STEPS; grid++) {
    for (let window = 1; window <= grid; window++) {
      const worst = worstOf(grid, window);
      if (worst < best.worst) best = { grid, window, worst };
    }
  }
  return best;
}

/**
 * The piecewise law of least worst-case variance, for schemas that name it. Grids have at least 2 steps: one step gives Duchi's mechanism.
 */
export function steppedLaw(epsilon: number): PiecewiseLaw {
  const { grid, window } = bestGrid((steps, cells) => piecewiseWorst(steps, cells, piecewiseIdeal(steps, cells, epsilon)), 2);
  return piecewiseLaw(grid, window, epsilon);
}

/** The hybrid law of least worst-case variance. */
export function hybridMeanLaw(epsilon: number): HybridLaw {
  const { grid, window } = bestGrid((steps, cells) => hybridWorst(steps, cells, epsilon), 1);
  return hybridLaw(grid, window, epsilon);
}
