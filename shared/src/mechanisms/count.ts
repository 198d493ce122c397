/**
 * Chooser 1 for a count of 0 .. max: as for a mean (number.ts), with variances compared at the counts alone up to 256, and with laws
 * of their own besides, whose reports are one byte too. Frozen.
 *
 * Stairs: count k has a window of L outputs of which its neighbours share h_(k-1) and h_k, h at the range's ends, elsewhere more or
 * as many; x_k = 2 k - max. An output of two counts scores the mean of both x, one of k alone x_k + (h_(k-1) - h_k) / (L - h_(k-1) - h_k),
 * so that the scores of a window add up to L x_k: all counts are points, equally spaced. Without h it is k-ary response.
 */

import { exp } from '../arithmetic/exponential.ts';
import { bestScored, meanShapes, shapeOf } from './number.ts';
import type { ScoredLaw, Shape } from './scored.ts';

/** The most outputs of one byte. */
const OUTPUTS = 256;

/** The widest windows of stairs. */
const WIDEST = 7;

/** Stairs, `shared` outputs between two counts and `first` at the ends. */
function stairs(max: number, window: number, shared: number, first: number): Shape {
  const between = (k: number): number => (k < 0 || k >= max ? 0 : k === 0 || k === max - 1 ? first : shared);
  const scores: number[] = [];
  const add = (cells: number, score: number): void => {
    for (let i = 0; i < cells; i++) scores.push(score);
  };
  for (let k = 0; k <= max; k++) {
    const own = window - between(k - 1) - between(k);
    add(own, 2 * k - max + (between(k - 1) - between(k)) / own);
    add(between(k), 2 * k + 1 - max);
  }
  return shapeOf(scores.length - window, window, scores.slice((scores.length + 1) >> 1));
}

/** All stairs of a count that have a byte. */
function stairsOf(max: number): readonly Shape[] {
  const shapes: Shape[] = [];
  for (let window = 1; window <= WIDEST; window++) {
    for (let shared = 0; 2 * shared < window; shared++) {
      for (let first = 0; first <= shared; first++) {
        if (max * (window - shared) + window <= OUTPUTS - 2 * shared) shapes.push(stairs(max, window, shared, first));
      }
    }
  }
  return shapes;
}

/** The law of a count of 0 .. max at ε. */
export function countLaw(max: number, epsilon: number): ScoredLaw {
  const e = exp(epsilon);
  const isShort = Number.isInteger(max) && max > 0 && max <= OUTPUTS;
  const shapes = meanShapes(epsilon, e);
  return isShort ? bestScored([...shapes, ...stairsOf(max)], epsilon, e, max) : bestScored(shapes, epsilon, e, OUTPUTS);
}
