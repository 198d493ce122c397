/** The logarithm of the normal distribution's upper tail, also where the tail itself is too small for a double. */

import { chiSquaredTail } from './chi-squared.ts';

/** From here on the continued fraction is exact to double precision. */
const FAR = 5;
const TERMS = 40;

/** ln P(Z > z). Far out by Laplace's continued fraction for Mills' ratio: φ(z) / (z + 1/(z + 2/(z + 3/(z + ...)))). */
export function logUpperTail(z: number): number {
  if (z < FAR) {
    const beyond = chiSquaredTail(z * z, 1) / 2;
    return Math.log(z < 0 ? 1 - beyond : beyond);
  }
  let rest = z;
  for (let term = TERMS; term > 0; term--) rest = z + term / rest;
  return (-z * z) / 2 - Math.log(rest * Math.sqrt(2 * Math.PI));
}
