/**
 * Noise for every cell of a histogram, from one mechanism for numbers. If one unit of privacy changes the cells by at most Δ together (L1
 * for geometric and Laplace noise, L2 for Gaussian), the whole histogram spends what the mechanism spends once: the densities multiply, and
 * the exponents add up to the distance in that norm.
 */

import type { NoiseMechanism, ReleaseMechanism } from './index.ts';
import { assertBeta, assertWhole } from './spending.ts';

/** The mechanism for a histogram of so many cells. `accuracy` is about the cell with the largest error. */
export function cells(noise: NoiseMechanism, count: number): ReleaseMechanism<readonly number[], readonly number[]> {
  assertWhole(count, 'cells: the number of cells');
  const { name, sensitivity, rho, epsilon } = noise;
  return {
    name: `${name} cells`,
    sensitivity,
    rho,
    ...(epsilon && { epsilon }),
    release: (values, random) => {
      assertWhole(values.length, 'cells: the number of values', count, count);
      return values.map((value) => noise.release(value, random));
    },
    // All cells are within λ with probability (1 - p)^count, since their noise is independent.
    accuracy: (beta) => {
      assertBeta(beta);
      return noise.accuracy(-Math.expm1(Math.log1p(-beta) / count));
    },
  };
}
