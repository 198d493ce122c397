/**
 * The square wave mechanism (SW) on a grid: Li, Wang, Lopuhaä-Zwakenberg, Li, Škorić 2020, "Estimating Numerical Distributions under Local
 * Differential Privacy", §5.2, with numbers assigned to cells before they are randomized (§5.4).
 *
 * Law (d cells of a number's range, windows of L cells, K = d + L - 1 outputs, T = 2^32): a number is represented by the index i of its
 * cell. With probability inside/T the output is one of the L cells i .. i + L - 1, else one of the d - 1 others, drawn uniformly:
 *   P(j | i) = p for i <= j < i + L, else q;   p = inside / (T L),  q = (T - inside) / (T (d-1))
 *   e^ε = p / q = inside (d-1) / ((T - inside) L)
 * It is the channel of piecewise.ts on the d points of d - 1 steps, without its rounding, because a cell holds all numbers that fall into
 * it. L = 2 floor(b d) + 1, with the b that maximizes the bound on the mutual information between a number and its output (§5.3):
 *   b(ε) = (ε e^ε - e^ε + 1) / (2 e^ε (e^ε - 1 - ε)),  which is 1/2 as ε tends to 0, and tends to 0 as ε grows.
 */

import { exp } from '../arithmetic/exponential.ts';
import { coded } from './codec.ts';
import { assertWhole, type DistributionChannel, MODULUS } from './law.ts';
import { validateWindows, windowOdds, windowShape } from './piecewise.ts';
import { includeThreshold } from './subset.ts';

/** The integers of the square wave. */
export type SquareWaveLaw = {
  readonly mechanism: 'square-wave';
  /** d - 1: one fewer than the cells. */
  readonly grid: number;
  /** L, the number of likelier outputs. */
  readonly window: number;
  /** P(an output of the window) * 2^32. */
  readonly inside: number;
};

/** The most cells of a distribution. More cells would be narrower than any window can resolve. */
export const MOST_CELLS = 256;

/** Below this ε the differences in b(ε) are lost to rounding; b is 1/2 to within a thousandth. */
const SMALL = 2 ** -10;

/** L of the square wave over `cells` cells. */
export function waveWindow(cells: number, epsilon: number): number {
  const e = exp(epsilon);
  const half = epsilon < SMALL ? 0.5 : ((epsilon - 1) * e + 1) / (2 * e * (e - 1 - epsilon));
  return 2 * Math.floor(half * cells) + 1;
}

/**
 * The law over `cells` cells with the largest ε that is at most the requested one. The default window is the paper's.
 *
 * @throws {RangeError} when 32 bits can't hold it to within 10 %, or there are not 2 to 256 cells
 */
export function squareWaveLaw(
  cells: number,
  epsilon: number,
  modulus: number = MODULUS,
  window: number = waveWindow(cells, epsilon),
): SquareWaveLaw {
  assertWhole(cells, 2, MOST_CELLS, 'square-wave: cells');
  const grid = cells - 1;
  return { mechanism: 'square-wave', grid, window, inside: includeThreshold(grid + window, window, epsilon, modulus) };
}

export const squareWave: DistributionChannel<SquareWaveLaw> = /* @__PURE__ */ coded<SquareWaveLaw>({
  name: 'square-wave',
  tells: 'distribution',
  meaning: 'Square wave: a device sends a place near its number with a known probability, else any other place of the range.',
  validate: validateWindows,
  odds: windowOdds,
  shape: windowShape,
  cells: ({ grid }) => grid + 1,
});
