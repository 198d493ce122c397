/**
 * The mean of numbers in [0, 1] from scores: each output has one, and the mean of a report's score is the device's number,
 * so the mean of all scores is unbiased for the mean of all numbers. With M the mean score and S the mean squared one,
 * both from the middle of the range, and f the mean of the numbers,
 *   Var(M | the numbers) = (1/n) mean of Var(score | x) <= (E S - f²) / n
 * since Var(score | x) = E(score² | x) - x², and the mean of x² is at least f². Equal numbers have equality; otherwise it
 * is the variance over people too, who were drawn from many. The rounding to a grid is in E S already.
 * S alone falls short while outputs that are rare have not come yet, so where numbers that are all f would vary more by
 * the law, that is taken: V(f) = max(S - f², Var(score | f)). Interval: all f with (M - f)² <= z² V(f) / n, as Wilson's
 * (1927), which it is for two outputs.
 */

import type { Tallies } from '../store/store.ts';
import { type Estimate, endOf, Z95 } from './estimate.ts';

/** How a law's outputs tell a number in [0, 1]. */
export interface Scores {
  /** Of each output. */
  readonly values: ArrayLike<number>;
  /** Var(score | number), the rounding to a grid included. */
  readonly varianceAt: (place: number) => number;
  /** The largest of these. */
  readonly worst: number;
}

/** The estimated mean as one row; none without reports. */
export function numberEstimates({ values, varianceAt, worst }: Scores, tallies: Tallies): Estimate[] {
  const tally = tallies.get(0);
  if (tally === undefined) return [];
  const { reports, cells } = tally;
  let [sum, squares] = [0, 0];
  cells.forEach((count, output) => {
    const score = (values[output] as number) - 0.5;
    sum += count * score;
    squares += count * score * score;
  });
  const [mean, square] = [sum / reports, squares / reports];
  const varianceFor = (f: number): number => Math.max(square - f * f, varianceAt(Math.min(1, Math.max(0, 0.5 + f)))) / reports;
  const holds = (f: number): boolean => (mean - f) * (mean - f) <= Z95 * Z95 * varianceFor(f);
  const beyond = Z95 * Math.sqrt((square + worst) / reports);
  return [
    {
      estimate: 0.5 + mean,
      standardError: Math.sqrt(varianceFor(mean)),
      low: 0.5 + endOf(mean, mean - beyond, holds),
      high: 0.5 + endOf(mean, mean + beyond, holds),
    },
  ];
}
