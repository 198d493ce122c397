/**
 * Noise for every cell of a histogram, from one mechanism for numbers. If one unit of privacy changes the cells by at most Δ together (in
 * the L1 norm), the whole histogram spends what the mechanism spends once: the densities multiply, and the exponents add up to that distance.
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
    epsilon,
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
