/**
 * The exponential mechanism (McSherry and Talwar 2007) in its best form, permute-and-flip: McKenna and Sheldon 2020, "Permute-and-Flip: A
 * New Mechanism for Differentially Private Selection". It answers "which is the best?", such as "which version is used most?".
 *
 * Law: candidates are visited in a uniform random order. Candidate r is taken with probability p_r = e^(-ε (q* - q_r) / (kΔ)), where q* is
 * the best score; otherwise the next one is asked. The best has p = 1, so one is always taken. Let each candidate come at a uniform
 * time. Then
 *   P(r) = p_r ∫₀¹ Π_{s≠r} (1 - p_s t) dt
 * It is the noisy maximum with exponential noise of rate ε/(kΔ) (Ding et al. 2021). Given the others' noise, r wins if its noise is
 * above a threshold, and P(noise > x) = min(1, e^(-εx/(kΔ))). One unit of privacy moves the threshold by at most 2Δ, so k = 2 gives ε. If
 * one unit moves no two scores in opposite directions (`monotone`), the threshold moves by at most Δ, and k = 1 gives ε. Counts are such.
 *
 * Utility: a candidate that is g below the best is taken with a probability of at most e^(-εg/(kΔ)), its own coin. So among K candidates
 *   P(q* - q_r > g) <= (K-1) e^(-ε(g+1)/(kΔ)),   for scores that are whole numbers
 * and E(q* - q_r) is at most that of the exponential mechanism for any scores (their theorem 2), whose bound is (kΔ/ε) ln K.
 */

import type { Ratio } from '@murmuration/shared';
import { assertBeta, assertWhole, pure, type ReleaseMechanism, times, toDouble } from './mechanism.ts';
import type { Random } from './random.ts';

/** The largest score, without spreading many scores into arguments. */
const largest = (scores: ArrayLike<number>): number => {
  let best = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < scores.length; i++) best = Math.max(best, scores[i] as number);
  return best;
};

/** Draws an index. `rate` is ε/(kΔ). */
function drawBest(scores: ArrayLike<number>, { numerator, denominator }: Ratio, random: Random): number {
  const best = largest(scores);
  const order = Uint32Array.from({ length: scores.length }, (_, i) => i);
  for (let left = order.length; left > 1; left--) {
    const at = random.uniform(left);
    const candidate = order[at] as number;
    if (random.decay(numerator * BigInt(best - (scores[candidate] as number)), denominator)) return candidate;
    order[at] = order[left - 1] as number;
  }
  // All others were refused, so this one is the best.
  return order[0] as number;
}

/** The parameters of a selection. */
export interface Selection {
  readonly epsilon: Ratio;
  /** The most by which one unit of privacy changes any one score. */
  readonly sensitivity: number;
  readonly candidates: number;
  /** Set if one unit of privacy never raises one score and lowers another. Counts of what devices have are such. */
  readonly monotone?: boolean;
}

/**
 * Selection of the best of so many candidates by whole-number scores; releases an index. `accuracy` says how far its score may be below
 * the best.
 *
 * @throws {RangeError} unless sensitivity and candidates are whole numbers from 1
 */
export function permuteAndFlip(of: Selection): ReleaseMechanism<ArrayLike<number>, number> {
  const { epsilon, sensitivity, candidates, monotone = false } = of;
  assertWhole(sensitivity, 'permute-and-flip: sensitivity');
  assertWhole(candidates, 'permute-and-flip: candidates', 1, 2 ** 32 - 1);
  const rate = times(epsilon, 1, (monotone ? 1 : 2) * sensitivity);
  return {
    name: 'permute-and-flip',
    ...pure(epsilon),
    sensitivity,
    release: (scores, random) => {
      assertWhole(scores.length, 'permute-and-flip: the number of scores', candidates, candidates);
      for (let i = 0; i < scores.length; i++) assertWhole(scores[i], 'permute-and-flip: a score', -(2 ** 52), 2 ** 52);
      return drawBest(scores, rate, random);
    },
    accuracy: (beta) => {
      assertBeta(beta);
      return Math.max(0, Math.ceil(Math.log((candidates - 1) / beta) / toDouble(rate)) - 1);
    },
  };
}

/*
 * A quantile of values that lie in cells, such as the median: the exponential mechanism with the rank's error as score. McSherry and Talwar
 * 2007, in the form of Smith 2011, "Privacy-preserving Statistical Estimation with Optimal Convergence Rates", §3, by permute-and-flip.
 *
 * For the quantile a/b of n values, cell c has the score
 *   -max(0, b #{values < c} - a n, a n - b #{values <= c})
 * which is 0 for the cell that holds the quantile. It is the rank's error, b times. One value more or less changes each term by at most
 * max(a, b - a). If n is public and one value is replaced by another, each term changes by at most b. The utility is that of
 * permute-and-flip.ts with this score.
 */

/** The parameters of a quantile. */
export interface QuantileOptions {
  readonly epsilon: Ratio;
  /** How many cells there are, in ascending order of their values. */
  readonly cells: number;
  /** Such as 1/2 for the median. */
  readonly quantile: Ratio;
  /** The most values that one unit of privacy adds or removes, or replaces. */
  readonly sensitivity: number;
  /** Set if the number of values is public, so that one unit of privacy replaces values. */
  readonly replaced?: boolean;
}

/** The score of each cell from the counts of values in the cells. */
export function rankScores(counts: readonly number[], a: number, b: number): readonly number[] {
  const target = a * counts.reduce((sum, count) => sum + count, 0);
  let below = 0;
  return counts.map((count) => {
    const start = below;
    below += count;
    return -Math.max(0, b * start - target, target - b * below);
  });
}

/**
 * Releases the index of a cell from the counts of the cells. `accuracy` is the error of its rank, in values.
 *
 * @throws {RangeError} unless the quantile lies strictly between 0 and 1 and is a fraction of small numbers
 */
export function quantile(of: QuantileOptions): ReleaseMechanism<readonly number[], number> {
  const { epsilon, cells, sensitivity, replaced = false } = of;
  const [a, b] = [Number(of.quantile.numerator), Number(of.quantile.denominator)];
  assertWhole(b, "quantile: the quantile's denominator", 2, 10_000);
  assertWhole(a, "quantile: the quantile's numerator", 1, b - 1);
  assertWhole(sensitivity, 'quantile: sensitivity', 1, 2 ** 32);
  const select = permuteAndFlip({ epsilon, sensitivity: sensitivity * (replaced ? b : Math.max(a, b - a)), candidates: cells });
  return {
    ...select,
    name: 'quantile',
    sensitivity,
    release: (counts, random) => {
      for (const count of counts) assertWhole(count, 'quantile: a count', 0, 2 ** 38);
      return select.release(rankScores(counts, a, b), random);
    },
    accuracy: (beta) => select.accuracy(beta) / b,
  };
}
