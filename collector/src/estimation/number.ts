/**
 * The mean of numbers in [0, 1] from scores. Each output has a score, and the expected score of a report is the device's number, so the
 * mean of all scores is unbiased for the mean of all numbers. Let M be the mean score and S the mean squared score, both measured from the
 * middle of the range. With f the mean of the numbers and V(x) = Var(score | x),
 *   Var(M) = (E S - f²) / n  over people drawn from a population, one report each: scores are independent draws.
 *   Var(M | the numbers) = mean of V(x) / n  for these very people: less by the variance of their numbers.
 * S measures the sum of V(x) and x², not each of them. Where the law has scores of x², their mean Q is subtracted: S - Q has
 * the mean of V(x) as its expectation, and is limited to the least and the greatest value possible given f and S. Otherwise the
 * greatest value is used.
 *
 * S is too small while rare outputs have not occurred yet. So V(f), the law's variance if all numbers were f, is used instead when it is
 * larger and there is no Q: max(S - f², V(f)). The interval is all f with (M - f)² <= z² Var; for two outputs this is Wilson's (1927). When
 * people have sent several reports, so that n reports come from m people, their numbers add Var(x) (1/m - 1/n). Var(x) is at most S - f²,
 * and at most 1/4 - f² because of the range.
 */

import { Matrix, solve } from 'ml-matrix';
import { type Among, type Estimate, THESE } from './estimate.ts';
import type { Rows } from './matrices.ts';
import { endOf, Z95 } from './statistics/tails.ts';
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
 * treats both halves of a range alike, so the worst case is equally many numbers x and -x. If each person sent several of the reports, the
 * spread of people counts that many times.
 */
export function worstOf({ varianceAt, worst }: Scores, among: Among, perPerson = 1): number {
  if (among === 'reports') return worst;
  return Math.max(...Array.from({ length: PLACES + 1 }, (_, i) => varianceAt(i / PLACES) + perPerson * (i / PLACES - 0.5) ** 2));
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

/*
 * Bounds on a law's average noise over numbers with a known mean f and a known mean squared score S, both measured from the middle of the
 * range. With V(x) = Var(score | x), the law says S = mean of x² + V(x). So for any weight γ
 *   mean of V(x) = γ S + mean of h(x) <= γ S + h^(f),   h(x) = (1 - γ) V(x) - γ x²
 * where h^ is the least concave function that is nowhere below h: the mean of h(x) lies below its graph (Jensen). The result is the least
 * of these bounds over γ in [0, 1]; by duality, no better bound follows from f and S. γ = 1 gives S - f², the case in which all numbers are
 * equal. Where V is a + b x², b >= 0, γ = b / (1 + b) makes h constant and the bound equal to the mean. Where V is constant, γ = 0 does.
 */

/**
 * γ takes the squares of the multiples of 1 over this. Off the best γ by δ, the bound is too large by δ (1 + b) times the variance of the
 * numbers. That matters where the noise is small, at a large ε, and there the best γ is small.
 */
const WEIGHTS = 32;

/** V is evaluated at this many evenly spaced points. The rounding of a finer grid adds less than 1e-6 between them. */
const PLACES = 512;

type Point = readonly [x: number, h: number];

/** The corners of the least concave function above points whose x ascend (Andrew 1979). */
function hullAbove(points: readonly Point[]): readonly Point[] {
  const hull: Point[] = [];
  for (const point of points) {
    while (hull.length > 1) {
      const [[x0, h0], [x1, h1]] = [hull.at(-2), hull.at(-1)] as [Point, Point];
      if ((h1 - h0) * (point[0] - x0) > (point[1] - h0) * (x1 - x0)) break;
      hull.pop();
    }
    hull.push(point);
  }
  return hull;
}

/** The height of a hull at x. */
function heightAt(hull: readonly Point[], x: number): number {
  let [left, right] = [0, hull.length - 1];
  while (right - left > 1) {
    const middle = (left + right) >> 1;
    if ((hull[middle] as Point)[0] < x) left = middle;
    else right = middle;
  }
  const [[x0, h0], [x1, h1]] = [hull[left], hull[right]] as [Point, Point];
  return h0 + ((h1 - h0) * (x - x0)) / (x1 - x0);
}

/** Samples of V, with x measured from the middle of the range. */
const sampledOf = (varianceAt: (place: number) => number): readonly Point[] =>
  Array.from({ length: PLACES + 1 }, (_, i): Point => [i / PLACES - 0.5, varianceAt(i / PLACES)]);

const inRange = (f: number): number => Math.min(0.5, Math.max(-0.5, f));

/** The least possible mean of V(x), as a function of the numbers' mean: the greatest convex function that is nowhere above V. */
function leastNoise(varianceAt: (place: number) => number): (f: number) => number {
  const hull = hullAbove(sampledOf(varianceAt).map(([x, v]): Point => [x, -v]));
  return (f) => -heightAt(hull, inRange(f));
}

/** h^ for each γ. */
type Bounds = readonly { readonly weight: number; readonly hull: readonly Point[] }[];

function boundsOf(varianceAt: (place: number) => number): Bounds {
  const sampled = sampledOf(varianceAt);
  return Array.from({ length: WEIGHTS + 1 }, (_, i) => {
    const weight = (i / WEIGHTS) ** 2;
    return { weight, hull: hullAbove(sampled.map(([x, v]): Point => [x, (1 - weight) * v - weight * x * x])) };
  });
}

/** Cached by a law's V, because a range of days asks for the same bounds again and again. */
const known = new WeakMap<(place: number) => number, Bounds>();

/** The greatest possible mean of V(x), as a function of the numbers' mean. Numbers are in [-1/2, 1/2], 0 being the middle of the range. */
export function mostNoise(varianceAt: (place: number) => number, square: number): (f: number) => number {
  const bounds = known.get(varianceAt) ?? boundsOf(varianceAt);
  known.set(varianceAt, bounds);
  return (f) => Math.min(...bounds.map(({ weight, hull }) => weight * square + heightAt(hull, inRange(f))));
}

/*
 * The mean square of the numbers of those who reported, from their reports. It separates the law's noise from the spread of the numbers
 * (number.ts). With scores g whose mean, given a number x from the middle of the range, is x², the mean of V(x) = E[s² | x] - x² is that of
 * s² - g, whatever the numbers are.
 *
 * At the points of the law's grid such g exist when no point's row depends on those of others. Among them, the g with the least sum of
 * squares is used. Between two points a number is rounded at random, so E[g | x] is linear there while x² is not. With a step of d, a line
 * misses x² by at least d²/8 somewhere on the step, and a line that begins and ends d²/8 below x² misses it by no more. So the best g for
 * all numbers of a range has an error of d²/8. When this is more than 3 % of the noise, for example when the grid has a single step, there
 * is no result, and number.ts bounds the noise instead.
 */

/** The most that d²/8 may be, relative to the least noise at a point. An interval's width is off by half of that. */
const MISSED = 0.03;

/** The residual that solving may leave at a point, relative to d²/8. */
const LEFT = 0.1;

/** Regularization relative to the mean square of a row: separates rows that are nearly dependent. */
const RIDGE = 1e-10;

/** g by output, for the law with these rows; undefined when E[g | x] would be too far from x². */
export function squaresOf(channel: Rows, { values, varianceAt }: Scores): Float64Array | undefined {
  const rows = new Matrix(channel.map((row) => [...row]));
  const scores = Matrix.columnVector(Array.from(values, (value) => value - 0.5));
  const points = rows.mmul(scores).to1DArray();
  const steps = points.slice(1).map((point, i) => point - (points[i] as number));
  const missed = Math.max(...steps) ** 2 / 8;
  const least = Math.min(...points.map((point) => varianceAt(Math.min(1, Math.max(0, 0.5 + point)))));
  if (!(missed < MISSED * least)) return undefined;
  const targets = Matrix.columnVector(points.map((point) => point * point - missed));
  const gram = rows.mmul(rows.transpose());
  const ridge = Matrix.eye(gram.rows).mul((RIDGE * gram.trace()) / gram.rows);
  const found = rows.transpose().mmul(solve(gram.add(ridge), targets));
  const left = rows.mmul(found).sub(targets).to1DArray();
  return Math.max(...left.map(Math.abs)) < LEFT * missed ? Float64Array.from(found.to1DArray()) : undefined;
}
