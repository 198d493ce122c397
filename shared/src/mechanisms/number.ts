/**
 * Chooser 1 for a number's mean: of all piecewise laws on grids of up to 64 steps the least worst-case variance, the
 * grid's rounding included; or of all hybrid ones, where that is less by more than 3 %: for ε from about 0.77 to
 * 1.62 and from 2.18 to 2.98. Frozen, as for lists. A report is one byte.
 * For counts up to 64 the grid of the counts themselves, on which nothing is rounded, is a candidate more. The two-sided
 * geometric mechanism is none, for it never has the least: for small ε Duchi's has half its variance, and for large ε
 * its noise spreads over steps that a window does not have.
 */

import { type HybridLaw, hybridLaw, hybridWorst } from './hybrid.ts';
import { type PiecewiseLaw, piecewiseAt, piecewiseIdeal, piecewiseLaw, piecewiseWorst } from './piecewise.ts';

const MOST_STEPS = 64;

/** A law of more parts is taken where it has less than this of the variance. */
const MUCH = 0.97;

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

const bestPiecewise = (epsilon: number, fewest = 1): Best =>
  bestGrid((grid, window) => piecewiseWorst(grid, window, piecewiseIdeal(grid, window, epsilon)), fewest);

const bestHybrid = (epsilon: number): Best => bestGrid((grid, window) => hybridWorst(grid, window, epsilon), 1);

/** The law of a mean at ε: piecewise, or hybrid where that is better by more than 3 %. */
export function meanLaw(epsilon: number): PiecewiseLaw | HybridLaw {
  const [one, both] = [bestPiecewise(epsilon), bestHybrid(epsilon)];
  return both.worst < MUCH * one.worst ? hybridLaw(both.grid, both.window, epsilon) : piecewiseLaw(one.grid, one.window, epsilon);
}

/** The piecewise law of least worst-case variance on grids of 2 steps and more, for those who name it: on one it is Duchi's. */
export function steppedLaw(epsilon: number): PiecewiseLaw {
  const { grid, window } = bestPiecewise(epsilon, 2);
  return piecewiseLaw(grid, window, epsilon);
}

/** The hybrid law of least worst-case variance. */
export function hybridMeanLaw(epsilon: number): HybridLaw {
  const { grid, window } = bestHybrid(epsilon);
  return hybridLaw(grid, window, epsilon);
}

/** The law of a count of 0 .. max at ε. */
export function countLaw(max: number, epsilon: number): PiecewiseLaw {
  let best = bestPiecewise(epsilon);
  for (let window = 1; window <= max && max <= MOST_STEPS && Number.isInteger(max); window++) {
    const worst = piecewiseAt(max, window, piecewiseIdeal(max, window, epsilon), max / 2) / (max * max);
    if (worst < best.worst) best = { grid: max, window, worst };
  }
  return piecewiseLaw(best.grid, best.window, epsilon);
}
