/**
 * Chooser 1 for a number's mean: of the scored laws that are tried, the one with the least worst-case variance at ε. Frozen,
 * as for lists. A report is one byte.
 *
 * Tried are four small laws, whose best scores are nearly straight lines in D = (e^ε + 1)/(e^ε - 1), which is Duchi's score; and on 64
 * steps sines from the middle, with the windows and the bends around the best at large ε. Theirs is the continuum's sine law:
 * as w, a window's share of the range, and 1/ε tend to 0, the variance is the same everywhere when y'² w²/12 + q y² is, q the
 * probability of an output far away. At ε from 0.5 to 6 the least is at most 4 % above the lower bound over all channels
 * (test/proofs/number-bound.test.ts); it was 4 to 27 % with the piecewise and hybrid laws of before.
 */

import { exp } from '../arithmetic/exponential.ts';
import { type ScoredLaw, type Shape, scoredLaw, scoredPoints } from './scored.ts';

/** The scores reach from 0 to this for the last output. */
const UNIT = 2 ** 16;

/** Variances within a thousandth are as good, and the earlier shape is the plainer one. */
const SAME = 0.999;

/** Places at which variances are compared, where all numbers of the range can be given. */
const PLACES = 256;

type Small = readonly [grid: number, window: number, ...lines: number[]];

/**
 * Each small law: g, L, and from the middle output up the constant and the slope in D of ten times a score. Printed by
 * test/proofs/number-shapes.py: the scores of a convex program at several ε, lines through them, and a search of the integers nearby. Over the
 * range of ε in which its law is chosen, none is more than 0.3 % above the best scores for its grid and window.
 */
export const SMALL: readonly Small[] = [
  [2, 2, -5, 10, 5, 10],
  [3, 3, -5, 10, 1, 10, 9, 10],
  [4, 3, -6, 12, 3, 9, 15, 3],
  [10, 6, 1, 0, 2, 1, -19, 24, -15, 22, -7, 16, 2, 9, 9, 4, 13, 2],
];

/** The steps of the sines' grid. */
const GRID = 64;

/** A shape from scores in any unit. None goes beyond those of the ends. */
export function shapeOf(window: number, scores: readonly number[]): Shape {
  const [first, last] = [scores[0] as number, scores[scores.length - 1] as number];
  const whole = scores.map((score) => Math.min(UNIT, Math.max(0, Math.floor((UNIT * (score - first)) / (last - first) + 0.5))));
  return { grid: scores.length - window, window, scores: whole };
}

/** A shape whose scores are a function of how many half cells an output is from the middle. */
const around = (grid: number, window: number, scoreAt: (from: number) => number): Shape =>
  shapeOf(
    window,
    Array.from({ length: grid + window }, (_, output) => {
      const from = 2 * output + 1 - grid - window;
      return Math.sign(from) * scoreAt(Math.abs(from));
    }),
  );

/** The shape of a small law, e being e^ε. */
export const smallShape = ([grid, window, ...lines]: Small, e: number): Shape =>
  around(grid, window, (from) => {
    const line = 2 * ((from - 1) >> 1);
    return from && (lines[line] as number) + (lines[line + 1] as number) * ((e + 1) / (e - 1));
  });

/** The shapes that are tried for a mean, e being e^ε. */
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
 * The largest variance of one report's score at the places k / parts of the lower half, in the range's width squared; infinite for what
 * is no law. Scores are taken from the middle, half the last one: with S their squares' sum over all cells plus (e - 1) times that over a
 * window, E[s²] = S / (e L + g), and S rises by (e - 1) (s_i + s_(i+L)) for each unit of step i.
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

/** The law of the shape with the least worst-case variance; a later one is taken where it has less than SAME of the one before. */
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
