/**
 * The Laplace mechanism for a number's mean, without floating-point noise: Dwork, McSherry, Nissim, Smith 2006, "Calibrating Noise to
 * Sensitivity in Private Data Analysis", §3, on a grid. The number is rounded at random to a point of 0 .. g. It is rounded up with a
 * probability equal to the fractional part of its position in steps, so the point's mean is the number. The point is then a count of steps.
 * geometric.ts adds two-sided geometric noise (discrete Laplace) to it and clamps the sum, so the end cells carry the tails.
 *   e^ε = that of geometric.ts with N = g, for every number, because rounding only mixes rows
 * Let V(i) be the variance of the scores of geometric.ts at point i, in units of the range's width squared, and r = y - floor(y). Then
 *   Var(y) = (1-r) V(i) + r V(i+1) + r (1-r) / g²
 */

import { coded } from './codec.ts';
import { type GeometricLaw, geometricLaw, tailOdds, tailShape, validateTails } from './geometric.ts';
import { type Channel, MODULUS } from './law.ts';

/** The integers of the Laplace mechanism on a grid: one tail for each of its g steps. */
export type LaplaceLaw = Omit<GeometricLaw, 'mechanism'> & { readonly mechanism: 'laplace' };

/** The default number of steps. The rounding's variance, at most 1 / (4 * 64²), is negligible beside the noise at every ε up to 16. */
const STEPS = 64;

/**
 * The law on a grid of `steps` steps whose ε is at most the requested one.
 *
 * @throws {RangeError} when 32 bits can't hold it to within 10 %, or there are more than 256 steps
 */
export function laplaceLaw(epsilon: number, steps: number = STEPS, modulus: number = MODULUS): LaplaceLaw {
  return { ...geometricLaw(steps, epsilon, modulus), mechanism: 'laplace' };
}

export const laplace: Channel<LaplaceLaw, 'mean'> = /* @__PURE__ */ coded<LaplaceLaw, 'mean'>({
  name: 'laplace',
  tells: 'mean',
  meaning: 'Laplace mechanism: a device rounds its number to a grid, adds a random number of steps, and sends the place, clamped.',
  validate: validateTails,
  odds: tailOdds,
  shape: tailShape,
});
