/**
 * The whole distribution: a share for every candidate, near the truth together rather than tested one by one, and what is left for strings on
 * no list. Each share is the posterior mean under a prior learned from all candidates, which has the least squared error (Robbins 1956). It
 * says nothing about whether one string is there.
 */

import { count, emptyHistogram, flat, learn, meanAt, posteriorOf } from './signals.ts';

const [STEPS, PSEUDO_COUNTS] = [150, 1];

export interface Whole {
  readonly distribution: Float64Array;
  readonly other: number;
}

/** From unbiased estimates and their standard errors. */
export function wholeOf(estimates: Float64Array, errors: Float64Array): Whole {
  const histogram = emptyHistogram();
  for (let v = 0; v < estimates.length; v++) count(histogram, (estimates[v] as number) / (errors[v] as number));
  const posterior = posteriorOf(learn(histogram, flat(0), STEPS, PSEUDO_COUNTS));
  const distribution = estimates.map((estimate, v) => (errors[v] as number) * meanAt(posterior, estimate / (errors[v] as number)));
  let sum = 0;
  for (let v = 0; v < distribution.length; v++) sum += distribution[v] as number;
  if (sum > 1) for (let v = 0; v < distribution.length; v++) distribution[v] = (distribution[v] as number) / sum;
  return { distribution, other: Math.max(0, 1 - sum) };
}
