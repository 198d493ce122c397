/**
 * The mean of numbers in [0, 1] from scores. Each output has a score, and the expected score of a report is the device's number, so the
 * mean of all scores is unbiased for the mean of all numbers. Let M be the mean score and S the mean squared score, both measured from the
 * middle of the range. With f the mean of the numbers and V(x) = Var(score | x),
 *   Var(M) = (E S - f²) / n  over people drawn from a population, one report each: scores are independent draws.
 *   Var(M | the numbers) = mean of V(x) / n  for these very people: less by the variance of their numbers.
 * S measures the sum of V(x) and x², not each of them. Where the law has scores of x² (squares.ts), their mean Q is subtracted: S - Q has
 * the mean of V(x) as its expectation, and is limited to the least and the greatest value possible given f and S (noise.ts). Otherwise the
 * greatest value is used.
 *
 * S is too small while rare outputs have not occurred yet. So V(f), the law's variance if all numbers were f, is used instead when it is
 * larger and there is no Q: max(S - f², V(f)). The interval is all f with (M - f)² <= z² Var; for two outputs this is Wilson's (1927). When
 * people have sent several reports, so that n reports come from m people, their numbers add Var(x) (1/m - 1/n). Var(x) is at most S - f²,
 * and at most 1/4 - f² because of the range.
 */

import type { Estimate } from './estimate.ts';
import { leastNoise, mostNoise, PLACES } from './noise.ts';
import { type Among, THESE } from './people.ts';
import { endOf } from './statistics/bisection.ts';
import { Z95 } from './statistics/normal.ts';
import type { Tallies } from './tally.ts';

/** The scores of a law's outputs for a number in [0, 1]. */
export interface Scores {
  /** The score of each output. */
  readonly values: ArrayLike<number>;
  /** Var(score | number), including the rounding to a grid. */
  readonly varianceAt: (place: number) => number;
  /** The largest of these variances. */
  readonly worst: number;
}

/**
 * The largest variance of one report's score: given the number, or over people drawn from a population. The latter is V(x) + x² - f². A law
 * treats both halves of a range alike, so the worst case is equally many numbers x and -x.
 */
export function worstOf({ varianceAt, worst }: Scores, among: Among): number {
  if (among === 'reports') return worst;
  return Math.max(...Array.from({ length: PLACES + 1 }, (_, i) => varianceAt(i / PLACES) + (i / PLACES - 0.5) ** 2));
}

/**
 * The estimated mean as one row; empty without reports.
 *
 * @param squares scores of x², when only those who reported are asked about and the law has such scores
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
