/**
 * Chooser 1 for a number's mean: the scored law with the least worst-case variance at ε among those tried. The rule is frozen, as for lists
 * (list.ts). A report is one byte.
 *
 * Two kinds of law are tried. The first are four small laws, whose best scores are nearly linear in D = (e^ε + 1)/(e^ε - 1), which is
 * Duchi's score. The second are sines from the middle on 64 steps, with windows and bends around those that are best at large ε. They
 * follow the sine law of the continuum: let w be a window's share of the range and q the probability of an output far away. As w and 1/ε
 * tend to 0, the variance is the same everywhere if y'² w²/12 + q y² is. For ε from 0.5 to 6 the least worst-case variance is at most 4 %
 * above the lower bound over all channels (test/proofs/number-bound.test.ts); the piecewise and hybrid laws are 4 to 27 % above it.
 */

import { exp } from '../arithmetic/exponential.ts';
import { type ScoredLaw, type Shape, scoredLaw, scoredPoints } from './scored.ts';

/** The score of the last output; the first has 0. */
const UNIT = 2 ** 16;

/** Variances within a thousandth count as equal; the earlier, simpler shape is kept then. */
const SAME = 0.999;

/** The number of places at which variances are compared if any number of the range can occur. */
const PLACES = 256;

type Small = readonly [grid: number, window: number, ...lines: number[]];

/**
 * Each small law: g, L, and from the middle output up the constant and the slope in D of ten times a score. The table is printed by
 * test/proofs/number-shapes.py. It solves a convex program for the scores at several ε, fits lines through them, and searches the integers
 * nearby. Over the range of ε in which a law is chosen, its variance is at most 0.3 % above that of the best scores for its grid and
 * window.
 */
export const SMALL: readonly Small[] = [
  [2, 2, -5, 10, 5, 10],
  [3, 3, -5, 10, 1, 10, 9, 10],
  [4, 3, -6, 12, 3, 9, 15, 3],
  [10, 6, 1, 0, 2, 1, -19, 24, -15, 22, -7, 16, 2, 9, 9, 4, 13, 2],
];

/** The number of steps of the sines' grid. */
const GRID = 64;

/** A shape from scores in any unit. Scores are clamped to those of the two ends. */
export function shapeOf(window: number, scores: readonly number[]): Shape {
  const [first, last] = [scores[0] as number, scores[scores.length - 1] as number];
  const whole = scores.map((score) => Math.min(UNIT, Math.max(0, Math.floor((UNIT * (score - first)) / (last - first) + 0.5))));
  return { grid: scores.length - window, window, scores: whole };
}

/** A shape whose scores are a function of an output's distance from the middle, in half cells. */
const around = (grid: number, window: number, scoreAt: (from: number) => number): Shape =>
  shapeOf(
    window,
    Array.from({ length: grid + window }, (_, output) => {
      const from = 2 * output + 1 - grid - window;
      return Math.sign(from) * scoreAt(Math.abs(from));
    }),
  );

/** The shape of a small law, with e = e^ε. */
export const smallShape = ([grid, window, ...lines]: Small, e: number): Shape =>
  around(grid, window, (from) => {
    const line = 2 * ((from - 1) >> 1);
    return from && (lines[line] as number) + (lines[line + 1] as number) * ((e + 1) / (e - 1));
  });

/** The shapes that are tried for a mean, with e = e^ε. */
export function meanShapes(epsilon: number, e: number): readonly Shape[] {
  const shapes = SMALL.map((small) => smallShape(small, e));
  const near = Math.floor((1.35 * GRID) / exp(epsilon / 3) + 0.5);
  for (let window = Math.max(1, near - 1); window <= near + 1; window++) {
    for (let bend = 1.5; bend < 2.4; bend += 0.125) {
      shapes.push(
        around(GRID, window, (from) => {
          const square = (bend * from * from) / (epsilon * (GRID + window) * (GRID + window));
          return from * (1 - square + 0.3 * square * square); // a sine, to three terms
        }),
      );
    }
  }
  return shapes;
}

/**
 * The largest variance of one report's score at the places k / parts of the lower half, in units of the range's width squared; infinite if
 * the shape is not a valid law. Scores are measured from the middle, half the last one. Let S be the sum of their squares over all cells
 * plus (e - 1) times that over a window. Then E[s²] = S / (e L + g), and S rises by (e - 1) (s_i + s_(i+L)) per unit of step i.
 */
function worstOf({ grid, window, scores }: Shape, e: number, parts: number): number {
  const from = (output: number): number => (scores[output] as number) - UNIT / 2;
  const points = scoredPoints({ grid, window, scores });
  const end = points[grid] as number;
  const unit = (e * window + grid) / ((e - 1) * end) / ((e - 1) * end);
  let [square, worst, k] = [0, 0, 0];
  for (let i = 0; i < grid + window; i++) square += from(i) * from(i) * (i < window ? e : 1);
  for (let i = 0; i < grid; i++) {
    const step = from(i + window) - from(i);
    if (!(step > 0)) return Number.POSITIVE_INFINITY;
    const rise = (e - 1) * (from(i + window) + from(i));
    const start = points[i] as number;
    for (; 2 * k <= parts && (k * end) / parts <= start + step; k++) {
      const place = k / parts;
      worst = Math.max(worst, unit * (square + rise * (place * end - start)) - (place - 0.5) * (place - 0.5));
    }
    square += rise * step;
  }
  return worst;
}

/**
 * The law of the shape with the least worst-case variance. A later shape replaces an earlier one only if its variance is below SAME times
 * the earlier one's.
 */
export function bestScored(shapes: readonly Shape[], epsilon: number, e: number, parts: number): ScoredLaw {
  let [best] = shapes as readonly [Shape, ...Shape[]];
  let least = Number.POSITIVE_INFINITY;
  for (const shape of shapes) {
    const worst = worstOf(shape, e, parts);
    if (worst < SAME * least) [best, least] = [shape, worst];
  }
  return scoredLaw(best, epsilon);
}

/** The law of a mean at ε. */
export function meanLaw(epsilon: number): ScoredLaw {
  const e = exp(epsilon);
  return bestScored(meanShapes(epsilon, e), epsilon, e, PLACES);
}
