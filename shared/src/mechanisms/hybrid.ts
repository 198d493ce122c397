/**
 * The hybrid mechanism on a grid: Wang et al. 2019, "Collecting and Analyzing Multidimensional Data with Local Differential Privacy",
 * §III-C. With probability mix/T a device answers through the piecewise mechanism on a grid, else through Duchi's, which is the piecewise
 * mechanism on one step. Each part has the whole ε, and the choice between them does not depend on the number.
 *
 * Law (piecewise.ts for g, L, K = g + L, a and s; T = 2^32): the number is rounded at random to a point i of 0 .. g, as there. Outputs 0 ..
 * K - 1 are the piecewise mechanism's. Outputs K and K + 1 are the low and the high end of the range. Duchi's part picks the high end with
 * probability i/g, else the low end, and sends the picked end with probability truth/T, else the other.
 *   e^ε = max(inside g / ((T - inside) L), truth / (T - truth))
 * Both scores are unbiased, so each report's score is too. With x measured from the middle of the range of width 1, r = y - floor(y), b = 2
 * truth/T - 1 and m = mix/T, Duchi's score has variance 1/(4b²) - x², and
 *   Var(x) = m (s/a² + r (1-r)/a) / g² + (1-m) / (4b²) + (m/a - 1) x²
 * since the variance of one falls with x² where that of the other grows. With m = a the x² term vanishes (equation (8) of the paper: 1 -
 * e^(-ε/2)).
 */

import { exp } from '../arithmetic/exponential.ts';
import { ratio } from '../arithmetic/ratio.ts';
import { coded } from './codec.ts';
import { assertWhole, type Channel, MODULUS } from './law.ts';
import { piecewiseIdeal, piecewiseLaw, piecewiseMoments, validateWindows, windowOdds } from './piecewise.ts';

/** The integers of the hybrid mechanism. */
export type HybridLaw = {
  readonly mechanism: 'hybrid';
  /** g, the steps of the grid of the piecewise part. */
  readonly grid: number;
  /** L, the cells of a window. */
  readonly window: number;
  /** P(an output inside the window) * 2^32, of the piecewise part. */
  readonly inside: number;
  /** P(the piecewise part) * 2^32. */
  readonly mix: number;
  /** P(the end itself) * 2^32, of Duchi's part. */
  readonly truth: number;
};

/** The largest variance of one report's score over all numbers, at m = a. The chooser compares laws by it. */
export function hybridWorst(grid: number, window: number, epsilon: number): number {
  const { gain, spread } = piecewiseMoments(grid, window, piecewiseIdeal(grid, window, epsilon));
  const e = exp(epsilon);
  const end = (e + 1) / (2 * (e - 1)); // 1 / (2b)
  return (spread / gain + 0.25) / (grid * grid) + (1 - gain) * end * end;
}

/**
 * The law on a grid whose ε is at most the requested one.
 *
 * @throws {RangeError} when 32 bits can't hold it to within 10 %
 */
export function hybridLaw(grid: number, window: number, epsilon: number, modulus: number = MODULUS): HybridLaw {
  const { inside } = piecewiseLaw(grid, window, epsilon, modulus);
  const { inside: truth } = piecewiseLaw(1, 1, epsilon, modulus);
  const { gain } = piecewiseMoments(grid, window, inside / modulus);
  return { mechanism: 'hybrid', grid, window, inside, mix: Math.floor(modulus * gain), truth };
}

export const hybrid: Channel<HybridLaw, 'mean'> = /* @__PURE__ */ coded<HybridLaw, 'mean'>({
  name: 'hybrid',
  tells: 'mean',
  meaning: 'Hybrid mechanism: a device sends, at random, one of the two ends of the range or a place near its number.',
  validate: (law) => {
    validateWindows(law);
    assertWhole(law.mix, 1, MODULUS - 1, 'hybrid: mix');
    assertWhole(law.truth, MODULUS / 2 + 1, MODULUS - 1, 'hybrid: truth');
  },
  odds: (law) => {
    const part = windowOdds(law).report;
    const ends = ratio(BigInt(law.truth), BigInt(MODULUS - law.truth));
    return { report: part.numerator * ends.denominator < ends.numerator * part.denominator ? ends : part };
  },
  shape: ({ grid, window }) => ({ cohorts: 1, cells: grid + window + 2, form: 'symbol' }),
});
