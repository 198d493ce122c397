/**
 * The mean square of the numbers of those who reported, from their reports. It separates the law's noise from the spread of the numbers
 * (number.ts). With scores g whose mean, given a number x from the middle of the range, is x², the mean of V(x) = E[s² | x] - x² is that of
 * s² - g, whatever the numbers are.
 *
 * At the points of the law's grid such g exist when no point's row depends on those of others. Among them, the g with the least sum of
 * squares is used. Between two points a number is rounded at random, so E[g | x] is linear there while x² is not. With a step of d, a line
 * misses x² by at least d²/8 somewhere on the step, and a line that begins and ends d²/8 below x² misses it by no more. So the best g for
 * all numbers of a range has an error of d²/8. When this is more than 3 % of the noise, for example when the grid has a single step, there
 * is no result, and noise.ts bounds the noise instead.
 */

import { Matrix, solve } from 'ml-matrix';
import type { Scores } from './number.ts';
import type { Rows } from './rows.ts';

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
