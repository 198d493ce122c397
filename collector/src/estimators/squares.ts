/**
 * The mean square of the numbers of those who reported, from their reports, which parts the law's noise from how far people differ
 * (number.ts). With scores g whose mean, given a number x from the middle of the range, is x², the mean of V(x) = E[s² | x] - x² is
 * that of s² - g, whatever the numbers are.
 *
 * At the points of the law's grid such g exist wherever no point's row follows from those of others, and of these the
 * least are taken, in the sum of their squares. Between two points a number is rounded at random, so E[g | x] is a line there, and x² is
 * none: with a step of d a line misses it by at least d²/8 somewhere on the step, and one that begins and ends d²/8 below x² by no more.
 * So there are such g for a range's numbers up to an error of d²/8, and none with less. Where this is more than 3 % of
 * the noise, as where the grid is one step, nothing is said, and noise.ts bounds the noise instead.
 */

import { Matrix, solve } from 'ml-matrix';
import type { Scores } from './number.ts';
import type { Rows } from './rows.ts';

/** What d²/8 may be of the least noise at a point: an interval's width is off by half of that. */
const MISSED = 0.03;

/** What part of d²/8 the solving may leave at a point. */
const LEFT = 0.1;

/** Of the mean square of a row: keeps rows apart that nearly follow from others. */
const RIDGE = 1e-10;

/** g by output, of the law with these rows; undefined where E[g | x] would be too far from x². */
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
