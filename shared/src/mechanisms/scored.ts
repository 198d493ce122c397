/**
 * Scored windows: the channel of the piecewise mechanism on a grid (piecewise.ts), with a freely chosen score for each output.
 *
 * Law (g steps, windows of L cells, K = g + L outputs, T = 2^32): as for the piecewise mechanism, point i of 0 .. g reports a cell of i ..
 * i + L - 1 with probability inside/T, uniformly, else one of the g others, uniformly, so that
 *   e^ε = inside g / ((T - inside) L)
 * whatever the scores are. Output j has the score s_j, a whole number from 0. Let c be the probability of a cell inside the window minus
 * that of a cell outside. Then E[s | i + 1] - E[s | i] = c (s_(i+L) - s_i), so the points lie at
 *   X_0 = 0,   X_(i+1) = X_i + s_(i+L) - s_i,   and (s_j - E[s | 0]) / (c X_g) is unbiased at each: its mean at i is X_i / X_g
 * A number between two points is rounded at random to one of them. The rounding preserves the mean of the number, and so the mean of the
 * score. Linear scores give the piecewise mechanism, with equally spaced points.
 *
 * Reason: let y = s / (c X_g) and t_i = (y_i + y_(i+L)) / 2. Within step i, E[y² | number] rises by 2 t_i per unit, so the variance of a
 * number in that step is at most V_i = E[(y - t_i)² | i]. V_i is a convex function of the scores, and the aim is to minimize the largest
 * V_i. With optimal scores the channel is within 0.2 % of the lower bound that a linear program gives over all channels
 * (test/proofs/number-bound.test.ts); with linear scores it stays 4 to 27 % above. If all V_i are equal, each point is the mean of its two
 * t. Sines sin(κ j') measured from the middle have this property, with sin κ = 2 c tan(κ L / 2).
 *
 * Prior work: Duchi, Jordan, Wainwright 2018 (§3.2.1) for ε below 0.61, which is optimal up to constants, and Wang et al. 2019 (§III-B) for
 * uniform windows with linear scores. Related work that we know only by title and have not compared: "N-output Mechanism" (arXiv
 * 2510.11116) and "Optimal Piecewise-based Mechanism" (arXiv 2112.04745). Three results are derived here rather than taken from a paper:
 * the equations above, the laws of number.ts, and the finding that uniform windows come close to the bound once their scores need not be
 * linear.
 */

import { coded } from './codec.ts';
import { assertWhole, type Channel, MODULUS } from './law.ts';
import { validateWindows, windowOdds, windowShape } from './piecewise.ts';
import { includeThreshold } from './subset.ts';

/** A grid, its windows and the scores of their outputs. */
export interface Shape {
  /** g, the steps of the grid. */
  readonly grid: number;
  /** L, the cells of a window. */
  readonly window: number;
  /** s_j of all K outputs, in order. */
  readonly scores: readonly number[];
}

/** The integers of the mechanism. */
export type ScoredLaw = Shape & {
  readonly mechanism: 'scored';
  /** P(an output inside the window) * 2^32. */
  readonly inside: number;
};

/** The largest score. It keeps all sums of scores and of their squares exact in doubles. */
const MOST = 2 ** 20;

/** The most outputs. A report is then one byte, and the collector's work on the scores grows with the square of their number. */
const OUTPUTS = 256;

/** X_0 .. X_g: the positions of the points, measured from the low end of the range. X_g is the high end and serves as the unit. */
export function scoredPoints({ grid, window, scores }: Shape): readonly number[] {
  const points = [0];
  for (let i = 0; i < grid; i++) points.push((points[i] as number) + (scores[i + window] as number) - (scores[i] as number));
  return points;
}

/**
 * The law with the largest ε that is at most the requested one.
 *
 * @throws {RangeError} when 32 bits can't hold it to within 10 %
 */
export function scoredLaw(shape: Shape, epsilon: number, modulus: number = MODULUS): ScoredLaw {
  const { grid, window } = shape;
  return { mechanism: 'scored', ...shape, inside: includeThreshold(grid + window, window, epsilon, modulus) };
}

export const scored: Channel<ScoredLaw, 'mean'> = /* @__PURE__ */ coded<ScoredLaw, 'mean'>({
  name: 'scored',
  tells: 'mean',
  meaning:
    'Scored windows: a device rounds its number at random to a point, and sends an output from the window around it with a known probability, else any other.',
  validate: (law) => {
    validateWindows(law);
    const { grid, window, scores } = law;
    assertWhole(grid + window, 2, OUTPUTS, 'scored: outputs');
    if (!(Array.isArray(scores) && scores.length === grid + window)) {
      const got = Array.isArray(scores) ? `${scores.length}` : JSON.stringify(scores);
      throw new RangeError(`scored: expected ${grid + window} scores, got ${got}`);
    }
    for (const score of scores) assertWhole(score, 0, MOST, 'scored: scores');
    scoredPoints(law).forEach((point, i, points) => {
      if (i > 0) assertWhole(point - (points[i - 1] as number), 1, MOST, `scored: step ${i - 1}`);
    });
  },
  odds: windowOdds,
  shape: windowShape,
});
