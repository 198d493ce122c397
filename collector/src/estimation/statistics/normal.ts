/** The standard normal distribution's upper tail, as accurate far out as chi-squared.ts is (Z² has one degree of freedom), and its inverse. */

import { chiSquaredTail } from './chi-squared.ts';

/** Two-sided 95 % of the normal distribution. */
export const Z95 = 1.959963984540054;

/** P(Z > z). 0 beyond 38. */
export function normalTail(z: number): number {
  const outside = chiSquaredTail(z * z, 1) / 2;
  return z >= 0 ? outside : 1 - outside;
}

/** The z that is exceeded with this probability, from -38 to 38. */
export function normalQuantile(probability: number): number {
  let [low, high] = [-38, 38];
  while (high - low > 1e-9) {
    const middle = (low + high) / 2;
    if (normalTail(middle) > probability) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
