/**
 * The fit of laws whose answers stand on a design: sets of outputs (or of cohorts and buckets) of which any two have the same
 * share in common. The design has V answers, the list d of them. The tallies' expectations are spanned by the list's,
 * so what lies outside is what the tally says of the V - d answers that nobody has: of their supports S_v each has mean n q and
 * variance n q (1-q), exactly and whatever the answers are.
 *
 * Z = Σ_v (S_v - n q)² / (n q (1-q)) has mean V - d likewise, and it is a sum of squares whose weights are the eigenvalues of
 * the covariance of S_v. With s the size of a set, λ of what two have in common, and every output at most p/s likely,
 * none of them is above L = p (1 - λ/s) / (q (1-q)), since over all V answers the sets' Gram matrix is s - λ but for a constant.
 * Of all such sums with the same mean, L times chi squared of (V - d)/L degrees has the largest moment generating function
 * (which is Schur-convex in the weights: Marshall, Olkin, Arnold 2011, §3.C), so its tail is the one that is taken.
 *
 * Where n is far below the number K of outputs, Z counts coincidences, whose third cumulant is (1 + D²/(2nK)) times that of chi
 * squared, D = V - d: L is multiplied by the square of that, with which the third cumulants are equal.
 */

import type { Support } from '@murmuration/shared';
import { reportsIn } from '../estimators/supports.ts';
import type { Tallies } from '../store/store.ts';
import { outside } from './bounds.ts';
import type { Squares } from './classes.ts';
import { type FitTest, together } from './fit.ts';

/** A design: how many answers it has, how many outputs, and the share of its set that an answer has in common with another. */
export interface Design {
  readonly answers: number;
  readonly outputs: number;
  readonly common: number;
}

/**
 * What one report adds to the support of an absent answer, less what it adds to every answer's: the mean and the variance, the
 * largest eigenvalue over the variance, and what all reports add to every answer's support.
 */
export interface Absent {
  readonly mean: number;
  readonly variance: number;
  readonly stretch: number;
  readonly every: number;
}

/** What a tally of a list says of its answers, the absent ones after those of the list. */
export interface Supported {
  readonly size: number;
  readonly design: Design;
  readonly tallies: Tallies;
  readonly supports: Float64Array;
  readonly reports: number;
  readonly perDevice: number;
}

/** Where each output supports as many answers of the design. */
export function absentOf({ p, q }: Support, { common }: Design): Absent {
  const variance = q * (1 - q);
  return { mean: q, variance, stretch: (p * (1 - common)) / variance, every: 0 };
}

/** What all answers that the list lacks say together. */
export function absentSquares(
  { mean, variance, stretch, every }: Absent,
  { size, design, supports, reports, perDevice }: Supported,
): Squares {
  const degrees = design.answers - size;
  const expected = reports * mean + every;
  let squares = 0;
  for (let answer = size; answer < design.answers; answer++) squares += ((supports[answer] as number) - expected) ** 2;
  const sparse = 1 + (degrees * degrees * perDevice) / (2 * reports * design.outputs);
  return { statistic: squares / (reports * perDevice * variance), degrees, stretch: Math.max(1, stretch) * sparse * sparse };
}

/** Each answer's support between n q and n p; at n q where the list lacks the answer. */
function supportsPValue({ p, q }: Support, { size, supports, reports, perDevice }: Supported): number {
  let most = 0;
  supports.forEach((support, answer) => {
    most = Math.max(most, (reports / perDevice) * outside(support / reports, { p: answer < size ? p : q, q }));
  });
  return Math.min(1, 2 * supports.length * Math.exp(-most));
}

/** What a law on a design has of its own. */
interface OnDesign<L> {
  readonly design: (law: L) => Design;
  readonly support: (law: L) => Support;
  /** The supports of a list's answers (supports.ts). */
  readonly supports: (law: L, tallies: Tallies) => Float64Array;
  /** What the answers say that nobody has: mostly `absentSquares`. */
  readonly squares: (law: L, supported: Supported) => Squares;
  /** A test besides. */
  readonly more?: (law: L, tallies: Tallies, perDevice: number) => Squares | undefined;
}

/** The fit of a law on a design, from the supports of all its answers. */
export const onDesign =
  <L extends { readonly size: number }>({ design, support, supports, squares, more }: OnDesign<L>): FitTest<L> =>
  (law, tallies, perDevice) => {
    const own = design(law);
    const supported: Supported = {
      size: law.size,
      design: own,
      tallies,
      supports: supports({ ...law, size: own.answers }, tallies),
      reports: reportsIn(tallies),
      perDevice,
    };
    const found = squares(law, supported);
    // Of no degrees every tally fits.
    return {
      fit: together([found.degrees > 0 ? found : undefined, more?.(law, tallies, perDevice)]),
      answers: supportsPValue(support(law), supported),
    };
  };
