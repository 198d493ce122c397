/**
 * The mean of numbers in [0, 1] from scores: each output has one, and the mean of a report's score is the device's number,
 * so the mean of all scores is unbiased for the mean of all numbers. With M the mean score and S the mean squared one,
 * both from the middle of the range, f the mean of the numbers and V(x) = Var(score | x),
 *   Var(M) = (E S - f²) / n  over people who were drawn from a population, one report each: scores are independent draws.
 *   Var(M | the numbers) = mean of V(x) / n  about these very people: less by the variance of their numbers.
 * S tells the sum of V(x) and x², not each. Where the law has scores of x² (squares.ts), their mean Q is taken from it: S - Q has the
 * mean of V(x) as its mean, and is kept between the least and the most that this can be, given f and S (noise.ts). Where it has
 * none, the most is taken.
 *
 * S alone falls short while outputs that are rare have not come yet, so where numbers that are all f would vary more by
 * the law, that is taken unless Q says what is so: max(S - f², V(f)). Interval: all f with (M - f)² <= z² Var, as Wilson's (1927), which it is for
 * two outputs. Where a person has sent several reports there are m people in n reports, whose numbers vary by
 * Var(x) (1/m - 1/n) more, Var(x) at most S - f² and what the range allows, 1/4 - f².
 */

import type { Tallies } from '../store/store.ts';
import { type Estimate, endOf, Z95 } from './estimate.ts';
import { leastNoise, mostNoise, PLACES } from './noise.ts';
import { type Among, THESE } from './people.ts';

/** How a law's outputs tell a number in [0, 1]. */
export interface Scores {
  /** Of each output. */
  readonly values: ArrayLike<number>;
  /** Var(score | number), the rounding to a grid included. */
  readonly varianceAt: (place: number) => number;
  /** The largest of these. */
  readonly worst: number;
}

/**
 * The largest variance of one report's score: given the number, or over people who were drawn from a population. There it is
 * V(x) + x² - f², and a law treats both halves of a range alike, so that numbers x and -x, as many of each, are the worst.
 */
export function worstOf({ varianceAt, worst }: Scores, among: Among): number {
  if (among === 'reports') return worst;
  return Math.max(...Array.from({ length: PLACES + 1 }, (_, i) => varianceAt(i / PLACES) + (i / PLACES - 0.5) ** 2));
}

/**
 * The estimated mean as one row; none without reports.
 *
 * @param squares scores of x², where those who reported are asked about and the law has them
 */
export function numberEstimates(
  { values, varianceAt, worst }: Scores,
  tallies: Tallies,
  people: number = THESE,
  squares?: ArrayLike<number>,
): Estimate[] {
  const tally = tallies.get(0);
  if (tally === undefined) return [];
  const { reports, cells } = tally;
  let [sum, ofScores, ofNumbers] = [0, 0, 0];
  cells.forEach((count, output) => {
    const score = (values[output] as number) - 0.5;
    sum += count * score;
    ofScores += count * score * score;
    if (squares) ofNumbers += count * (squares[output] as number);
  });
  const [mean, square] = [sum / reports, ofScores / reports];
  const isDrawn = people < THESE;
  const most = isDrawn ? (f: number): number => square - f * f : mostNoise(varianceAt, square);
  const least = isDrawn || !squares ? (f: number): number => varianceAt(0.5 + f) : leastNoise(varianceAt);
  const told = squares && !isDrawn ? square - ofNumbers / reports : Number.POSITIVE_INFINITY;
  const moreAt = (f: number): number => (isDrawn ? Math.max(0, Math.min(square, 0.25) - f * f) * (1 / people - 1 / reports) : 0);
  const varianceFor = (f: number): number => {
    const inRange = Math.min(0.5, Math.max(-0.5, f));
    return Math.max(Math.min(told, most(f)), least(inRange)) / reports + moreAt(inRange);
  };
  const holds = (f: number): boolean => (mean - f) * (mean - f) <= Z95 * Z95 * varianceFor(f);
  const beyond = Z95 * Math.sqrt((square + worst) / reports + moreAt(0));
  return [
    {
      estimate: 0.5 + mean,
      standardError: Math.sqrt(varianceFor(mean)),
      low: 0.5 + endOf(mean, mean - beyond, holds),
      high: 0.5 + endOf(mean, mean + beyond, holds),
    },
  ];
}
