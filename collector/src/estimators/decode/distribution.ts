/**
 * The whole distribution: a share for every candidate, near the truth together rather than tested one by one, and what is left for strings on
 * no list. Each share is the posterior median under a prior learned from all candidates, which has the least expected absolute error (Robbins
 * 1956 for the prior). So their sum, the total variation distance, is small. It says nothing about whether one string is there.
 */

import { ATOM, count, emptyHistogram, flat, learn, STRAIGHT, type Weights } from './signals.ts';

/** A prior of few steps is smooth. More steps, or another start, changed the distance to the truth by less than 1 %. */
const [STEPS, PSEUDO_COUNTS, NULLS] = [40, 1, 0.5];
/** In standard errors. Below the first a share is 0, above the second it is the estimate. */
const [LEAST, MOST, FINE] = [-6, 7.5, 0.02];

export interface Whole {
  readonly distribution: Float64Array;
  readonly other: number;
}

/** The median of θ given z, with each atom's weight spread evenly to halfway between its neighbours; the atom at 0 is not spread. */
export function medianOf(weights: Weights, z: number): number {
  const each = weights.map((weight, a) => weight * Math.exp(z * a * ATOM - (a * ATOM) ** 2 / 2));
  const half = each.reduce((sum, x) => sum + x, 0) / 2;
  let below = 0;
  for (let a = 0; a < each.length; a++) {
    const here = each[a] as number;
    if (below + here >= half) return a === 0 ? 0 : (a - 0.5 + (half - below) / here) * ATOM;
    below += here;
  }
  return z;
}

/** From unbiased estimates and their standard errors. */
export function wholeOf(estimates: Float64Array, errors: Float64Array): Whole {
  const histogram = emptyHistogram();
  for (let v = 0; v < estimates.length; v++) count(histogram, (estimates[v] as number) / (errors[v] as number));
  const weights = learn(histogram, STRAIGHT, flat(0, NULLS), STEPS, PSEUDO_COUNTS);
  const medians = Float64Array.from({ length: Math.round((MOST - LEAST) / FINE) + 1 }, (_, row) => medianOf(weights, LEAST + row * FINE));
  let sum = 0;
  const distribution = estimates.map((estimate, v) => {
    const error = errors[v] as number;
    const z = estimate / error;
    const share = z >= MOST ? estimate : z < LEAST ? 0 : error * (medians[Math.round((z - LEAST) / FINE)] as number);
    sum += share;
    return share;
  });
  if (sum > 1) for (let v = 0; v < distribution.length; v++) distribution[v] = (distribution[v] as number) / sum;
  return { distribution, other: Math.max(0, 1 - sum) };
}
