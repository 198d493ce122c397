/**
 * Chooser 1 for a number's mean: of all piecewise laws on grids of up to 64 steps the least worst-case variance, the
 * grid's rounding included. Frozen, as for lists. A report is one byte.
 * For counts up to 64 the grid of the counts themselves, on which nothing is rounded, is a candidate more. The two-sided
 * geometric mechanism is none, for it never has the least: for small ε Duchi's has half its variance, and for large ε
 * its noise spreads over steps that a window does not have.
 */

import { type PiecewiseLaw, piecewiseAt, piecewiseIdeal, piecewiseLaw, piecewiseWorst } from './piecewise.ts';

const MOST_STEPS = 64;

interface Best {
  readonly grid: number;
  readonly window: number;
  readonly worst: number;
}

function bestGrid(epsilon: number): Best {
  let best: Best = { grid: 1, window: 1, worst: Number.POSITIVE_INFINITY };
  for (let steps = 1; steps <= MOST_STEPS; steps++) {
    for (let cells = 1; cells <= steps; cells++) {
      const worst = piecewiseWorst(steps, cells, piecewiseIdeal(steps, cells, epsilon));
      if (worst < best.worst) best = { grid: steps, window: cells, worst };
    }
  }
  return best;
}

/** The law of a mean at ε. */
export function meanLaw(epsilon: number): PiecewiseLaw {
  const { grid, window } = bestGrid(epsilon);
  return piecewiseLaw(grid, window, epsilon);
}

/** The law of a count of 0 .. max at ε. */
export function countLaw(max: number, epsilon: number): PiecewiseLaw {
  let best = bestGrid(epsilon);
  for (let window = 1; window <= max && max <= MOST_STEPS; window++) {
    const worst = piecewiseAt(max, window, piecewiseIdeal(max, window, epsilon), max / 2) / (max * max);
    if (worst < best.worst) best = { grid: max, window, worst };
  }
  return piecewiseLaw(best.grid, best.window, epsilon);
}
