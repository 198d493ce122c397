/**
 * Tests the fit of laws whose answers form a design: sets of outputs (or of cohorts and buckets), any two of which have the same share in
 * common. The design has V answers, and the list uses d of them. The list's answers span the tallies' expectations, so the remaining
 * information is in the V - d absent answers, which nobody has. Each of their supports S_v has mean n q and variance n q (1-q), exactly and
 * whatever the answers are.
 *
 * Likewise, Z = Σ_v (S_v - n q)² / (n q (1-q)) has mean V - d. It is a sum of squares whose weights are the eigenvalues of the covariance
 * of S_v. With s the size of a set, λ the size of the intersection of two, and every output of probability at most p/s, none of the
 * eigenvalues exceeds L = p (1 - λ/s) / (q (1-q)), since over all V answers the sets' Gram matrix is s - λ plus a constant. Among all such
 * sums with the same mean, L times chi-squared with (V - d)/L degrees has the largest moment generating function (which is Schur-convex in
 * the weights: Marshall, Olkin, Arnold 2011, §3.C), so its tail is used.
 *
 * When n is far below the number K of outputs, Z counts coincidences. Its third cumulant is then (1 + D²/(2nK)) times that of chi-squared,
 * with D = V - d. L is multiplied by the square of that factor, which makes the third cumulants equal.
 */

import type { Support } from '@murmuration/shared';
import type { Tallies } from '../tally.ts';
import { reportsIn } from '../tally.ts';
import { outside } from './bounds.ts';
import type { Squares } from './fit.ts';
import { type FitTest, tailOf, together } from './fit.ts';

/** A design: its number of answers, its number of outputs, and the share of an answer's set that it has in common with another answer. */
export interface Design {
  readonly answers: number;
  readonly outputs: number;
  readonly common: number;
}

/**
 * One report's contribution to the support of an absent answer, relative to its contribution to every answer: its mean and variance, the
 * largest eigenvalue divided by the variance, and the contribution of all reports to every answer's support.
 */
export interface Absent {
  readonly mean: number;
  readonly variance: number;
  readonly stretch: number;
  readonly every: number;
}

/** The supports of a list's answers, followed by those of the absent answers. */
export interface Supported {
  readonly size: number;
  readonly design: Design;
  readonly tallies: Tallies;
  readonly supports: Float64Array;
  readonly reports: number;
  readonly perDevice: number;
}

/** For designs in which each output supports equally many answers. */
export function absentOf({ p, q }: Support, { common }: Design): Absent {
  const variance = q * (1 - q);
  return { mean: q, variance, stretch: (p * (1 - common)) / variance, every: 0 };
}

/** The joint test of all absent answers. */
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

/** Tests each answer's support: between n q and n p, and n q for absent answers. */
function supportsPValue({ p, q }: Support, { size, supports, reports, perDevice }: Supported): number {
  let most = 0;
  supports.forEach((support, answer) => {
    most = Math.max(most, (reports / perDevice) * outside(support / reports, { p: answer < size ? p : q, q }));
  });
  return Math.min(1, 2 * supports.length * Math.exp(-most));
}

/** The parts specific to a law on a design. */
interface OnDesign<L> {
  readonly design: (law: L) => Design;
  readonly support: (law: L) => Support;
  /** The supports of a list's answers (tally.ts). */
  readonly supports: (law: L, tallies: Tallies) => Float64Array;
  /** The test of the absent answers, usually `absentSquares`. */
  readonly squares: (law: L, supported: Supported) => Squares;
  /** An additional test. */
  readonly more?: (law: L, tallies: Tallies, perDevice: number) => number | undefined;
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
    // With no degrees of freedom, every tally fits.
    return {
      fit: together([found.degrees > 0 ? tailOf(found) : undefined, more?.(law, tallies, perDevice)]),
      answers: supportsPValue(support(law), supported),
    };
  };
