/**
 * The piecewise mechanism on a grid: Wang et al. 2019, "Collecting and Analyzing Multidimensional Data with Local Differential Privacy",
 * §III-B, with cells for its intervals. On one step with windows of one cell it is Duchi, Jordan, Wainwright 2018, "Minimax Optimal
 * Procedures for Locally Private Estimation", §3.2.1, which is 1BitMean of Ding, Kulkarni, Yekhanin 2017; with windows of one cell it is
 * k-ary response over the points of the grid.
 *
 * Law (g steps, windows of L cells, K = g + L outputs, T = 2^32): a number in [0, 1] is y = g x steps from the range's low end. It is
 * rounded at random to a point i of 0 .. g: up with probability y - floor(y), so the point's mean is y. With probability inside/T the
 * output is one of the cells i .. i + L - 1, else one of the g others, uniformly:
 *   e^ε = inside g / ((T - inside) L)
 * for every number, because rounding only mixes rows. The window of point i is centred on i. With p = inside/T, and with output j and point
 * i measured from the middle (j' = j - (K-1)/2, i' = i - g/2):
 *   E[j' | i] = a i',  a = p - (1-p) L/g          E[j'² | i] = a i'² + s
 *   s = (p (L³ - L)/L + (1-p) (K³ - K - L³ + L)/g) / 12
 * The score j'/a is unbiased for every number. Its variance in steps², with r = y - floor(y), is
 *   Var(y) = s/a² + (1/a - 1) y'² + r (1-r)/a
 * where the last term comes from the grid. The variance is largest in the last step, at y' = m/a with m = (g-1)/2.
 */

import { exp } from '../arithmetic/exponential.ts';
import { ratio } from '../arithmetic/ratio.ts';
import { coded } from './codec.ts';
import { assertWhole, type Channel, MODULUS, type Odds, type TallyShape } from './law.ts';
import { includeThreshold } from './subset.ts';

/** The integers of the piecewise mechanism. */
export type PiecewiseLaw = {
  readonly mechanism: 'piecewise';
  /** g, the steps of the grid. */
  readonly grid: number;
  /** L, the cells of a window. */
  readonly window: number;
  /** P(an output inside the window) * 2^32. */
  readonly inside: number;
};

/**
 * The law with the largest ε that is at most the requested one. A window of L among g + L cells has the threshold of a subset of L
 * (subset.ts).
 *
 * @throws {RangeError} when 32 bits can't hold it to within 10 %
 */
export function piecewiseLaw(grid: number, window: number, epsilon: number, modulus: number = MODULUS): PiecewiseLaw {
  return { mechanism: 'piecewise', grid, window, inside: includeThreshold(grid + window, window, epsilon, modulus) };
}

/** The mechanism's a (`gain`) and s (`spread`), from p. */
export function piecewiseMoments(grid: number, window: number, p: number): { readonly gain: number; readonly spread: number } {
  const cells = grid + window;
  const others = (cells * cells * cells - cells - window * window * window + window) / grid;
  return {
    gain: p - ((1 - p) * window) / grid,
    spread: (p * (window * window - 1) + (1 - p) * others) / 12,
  };
}

/** The largest variance of one report's score over all numbers of the range, whose width is 1. */
export function piecewiseWorst(grid: number, window: number, p: number): number {
  const { gain, spread } = piecewiseMoments(grid, window, p);
  const middle = (grid - 1) / 2;
  const at = Math.min(middle + 0.5, middle / gain);
  const square = middle * middle + 0.25 + 2 * middle * (at - middle); // E[i'²] at that place: linear between two points
  return (spread / (gain * gain) + square / gain - at * at) / (grid * grid);
}

/** p from a real ε, before rounding to integers. The chooser compares laws by it. */
export function piecewiseIdeal(grid: number, window: number, epsilon: number): number {
  const e = exp(epsilon);
  return (e * window) / (e * window + grid);
}

/** A window of likelier cells around each point of a grid, as used by the piecewise mechanism and the square wave. */
interface WindowLaw {
  readonly mechanism: string;
  readonly grid: number;
  readonly window: number;
  readonly inside: number;
}

/** Throws a RangeError unless the integers describe a valid window. */
export function validateWindows({ mechanism, grid, window, inside }: WindowLaw): void {
  assertWhole(grid, 1, 2 ** 16, `${mechanism}: grid`);
  assertWhole(window, 1, 2 ** 16, `${mechanism}: window`);
  // A window no likelier than the same number of other cells carries no information, or inverted information.
  assertWhole(inside, Math.floor((MODULUS * window) / (grid + window)) + 1, MODULUS - 1, `${mechanism}: inside`);
}

/** e^ε of a law of windows. */
export const windowOdds = ({ grid, window, inside }: WindowLaw): Odds => ({
  report: ratio(BigInt(inside) * BigInt(grid), (BigInt(MODULUS) - BigInt(inside)) * BigInt(window)),
});

/** One cell for each output. */
export const windowShape = ({ grid, window }: WindowLaw): TallyShape => ({ cohorts: 1, cells: grid + window, form: 'symbol' });

export const piecewise: Channel<PiecewiseLaw, 'mean'> = /* @__PURE__ */ coded<PiecewiseLaw, 'mean'>({
  name: 'piecewise',
  tells: 'mean',
  meaning: 'Piecewise mechanism: a device rounds its number at random, and sends a place near it with a known probability, else any other.',
  validate: validateWindows,
  odds: windowOdds,
  shape: windowShape,
});
