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
import type { ReleaseMechanism } from './index.ts';
import type { Random } from './random.ts';
import { assertBeta, assertWhole, pure, times, toDouble } from './spending.ts';

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
