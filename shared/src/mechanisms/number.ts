/**
 * Chooser 1 for a number's mean: of the scored laws that are tried, the one with the least worst-case variance at ε. Frozen,
 * as for lists. A report is one byte.
 *
 * Tried are four small laws, whose best scores are nearly straight lines in D = (e^ε + 1)/(e^ε - 1), which is Duchi's score; and on 64
 * steps sines from the middle, with the windows and the bends around the best at large ε. Theirs is the continuum's sine law:
 * as w, a window's share of the range, and 1/ε tend to 0, the variance is the same everywhere when y'² w²/12 + q y² is, q the
 * probability of an output far away. From ε = 0 to 6 the least is at most 3.7 % above the lower bound over all channels
 * (test/proofs/number-bound.test.ts); it was 4 to 27 % with the piecewise and hybrid laws of before.
 */

import { exp } from '../arithmetic/exponential.ts';
import { outputScores, type ScoredLaw, type Shape, scoredLaw, scoredPoints } from './scored.ts';

/** Scores are rounded to this part of the last one. */
const UNIT = 2 ** 16;

/** Places at which variances are compared, where all numbers of the range can be given. */
const PLACES = 256;

/** Of each small law: g, L, and of its scores ten times the constant and the slope in D. Found by test/proofs/number-shapes.py. */
const SMALL: readonly (readonly [grid: number, window: number, constants: readonly number[], slopes: readonly number[]])[] = [
  [2, 2, [-5, 5], [10, 10]],
  [3, 3, [-13, -5, 8], [13, 12, 9]],
  [4, 3, [-11, -2, 7], [15, 12, 8]],
  [10, 6, [3, 4, -21, -10, -7, -3, 7, 10], [-2, -1, 26, 18, 16, 13, 6, 5]],
];

/** The steps of the sines' grid. */
const GRID = 64;

/** A shape from the scores of the upper half, in any unit. */
export function shapeOf(grid: number, window: number, upper: readonly number[]): Shape {
  const last = upper[upper.length - 1] as number;
  return { grid, window, scores: upper.map((score) => Math.floor((UNIT * score) / last + 0.5)) };
}

/** The shapes that are tried for a mean, e being e^ε. */
export function meanShapes(epsilon: number, e: number): readonly Shape[] {
  const duchi = (e + 1) / (e - 1);
  const shapes = SMALL.map(([grid, window, constants, slopes]) =>
    shapeOf(
      grid,
      window,
      constants.map((constant, i) => constant + (slopes[i] as number) * duchi),
    ),
  );
  const near = Math.floor((1.35 * GRID) / exp(epsilon / 3) + 0.5);
  for (let window = Math.max(1, near - 1); window <= near + 1; window++) {
    const outputs = GRID + window;
    for (let bend = 15; bend < 24; bend++) {
      const upper = Array.from({ length: outputs >> 1 }, (_, i) => {
        const from = 2 * i + 1 + (outputs & 1); // half cells from the middle
        const square = (bend * from * from) / (10 * epsilon * outputs * outputs);
        return from * (1 - square + 0.3 * square * square); // the sine of from, to two terms
      });
      shapes.push(shapeOf(GRID, window, upper));
    }
  }
  return shapes;
}

/**
 * The largest variance of one report's score at the places k / parts, in the range's width squared; infinite for what is no law.
 * With S the squared scores' sum over all cells plus (e - 1) times that over a window, E[s²] = S / (e L + g).
 */
export function worstOf(shape: Shape, e: number, parts: number): number {
  const { grid, window, scores } = shape;
  const all = outputScores(shape);
  const points = scoredPoints(shape);
  if (points.some((point, i) => i > 0 && point <= (points[i - 1] as number)) || scores.some((score) => score < 0))
    return Number.POSITIVE_INFINITY;
  const squareOf = (i: number): number => (all[i] as number) * (all[i] as number);
  let low = 0;
  for (let i = 0; i < grid + window; i++) low += squareOf(i) * (i < window ? e : 1);
  const rise = (i: number): number => (e - 1) * (squareOf(i + window) - squareOf(i));
  const width = (e - 1) * (points[grid] as number);
  let [point, worst] = [0, 0];
  for (let k = 0; 2 * k <= parts; k++) {
    const at = (k * (points[grid] as number)) / parts;
    for (; (points[point + 1] as number) <= at; point++) low += rise(point);
    const start = points[point] as number;
    const square = low + (rise(point) * (at - start)) / ((points[point + 1] as number) - start);
    worst = Math.max(worst, (square * (e * window + grid)) / (width * width) - (k / parts - 0.5) * (k / parts - 0.5));
  }
  return worst;
}

/** The law of the shape with the least worst-case variance, the first of those. */
export function bestScored(shapes: readonly Shape[], epsilon: number, e: number, parts: number): ScoredLaw {
  let [best] = shapes as readonly [Shape, ...Shape[]];
  let least = Number.POSITIVE_INFINITY;
  for (const shape of shapes) {
    const worst = worstOf(shape, e, parts);
    if (worst < least) [best, least] = [shape, worst];
  }
  return scoredLaw(best, epsilon);
}

/** The law of a mean at ε. */
export function meanLaw(epsilon: number): ScoredLaw {
  const e = exp(epsilon);
  return bestScored(meanShapes(epsilon, e), epsilon, e, PLACES);
}
