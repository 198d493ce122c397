/**
 * The multi-analyst mechanism: each analyst's answers carry the same secret offset besides fresh noise, Laplace noise whose mean is not
 * zero. It makes it costlier for analysts to average their answers. It does not stop them, so the budget is charged as if all colluded.
 *
 * Law: the number plus M + Z, with Z two-sided geometric, a = e^(-ε/Δ), drawn for each answer, and M uniform in -w .. w, drawn once for
 * each analyst. M does not depend on the data, so an answer is ε-differentially private for any M, known or not. n colluders spend nε.
 *
 * (α, β)-accuracy: for a given M = μ, P(|μ + Z| > α) = (a^(α+1-μ) + a^(α+1+μ))/(1+a) if |μ| <= α. It is the largest at μ = ±w, and
 * `accuracy` gives the least α for that. Var(M + Z) = w(w+1)/3 + 2a/(1-a)².
 *
 * Divergence between the answers of two analysts whose offsets differ by d >= 0, with r = ε/Δ: by both sides of d and what lies between,
 *   KL = r (d - 2a (1-a^d)/(1-a²)),   max-divergence = r d
 * In the limit of small r it is r d + e^(-rd) - 1, that of two Laplace distributions. This is how well an analyst's answers can be told
 * from another's. It says nothing about the devices.
 *
 * Colluders: the mean of n analysts' answers to one question has the variance (w(w+1)/3 + 2a/(1-a)²)/n, its mean is the truth. So it is
 * within α with probability 1 - β from about
 *   n = (z/α)² (w(w+1)/3 + 2a/(1-a)²)
 * colluders on, z the normal quantile of β/2. Without offsets the first term is missing. A difference of two answers of one analyst holds
 * no offset at all.
 */

import type { Ratio } from '@murmuration/shared';
import { normalQuantile } from '../../collector/src/estimation/statistics/tails.ts';
import { geometric } from '../../collector/src/release/mechanisms/geometric.ts';
import type { ReleaseMechanism } from '../../collector/src/release/mechanisms/mechanism.ts';
import { assertBeta, assertWhole, pure, toDouble } from '../../collector/src/release/mechanisms/mechanism.ts';
import type { Random } from '../../collector/src/release/mechanisms/random.ts';

/** A number for one analyst. */
interface ForAnalyst {
  readonly value: number;
  /** The analyst's, from `offset`. Keep it secret and use it for all answers. */
  readonly offset: number;
}

/** The multi-analyst mechanism. */
export interface MultiAnalyst extends ReleaseMechanism<ForAnalyst, number> {
  /** Draws the secret offset of a new analyst. */
  readonly offset: (random: Random) => number;
  /** Error of an answer about the truth, over offset and noise. */
  readonly variance: number;
  /** KL and maximal divergence between the answers of analysts whose offsets differ by so much, in nats. */
  readonly divergence: (distance: number) => { readonly kullbackLeibler: number; readonly maximal: number };
  /** How many analysts must average their answers to be within `bound` with probability 1 - beta, with and without offsets. */
  readonly colluders: (bound: number, beta: number) => { readonly withOffsets: number; readonly without: number };
}

/**
 * @throws {RangeError} unless sensitivity is a whole number from 1 and width one from 0
 */
export function multiAnalyst(of: { readonly epsilon: Ratio; readonly sensitivity: number; readonly width: number }): MultiAnalyst {
  const { epsilon, sensitivity, width } = of;
  assertWhole(width, 'multi-analyst: the offsets’ width', 0, 2 ** 40);
  const noise = geometric({ epsilon, sensitivity });
  const rate = toDouble(epsilon) / sensitivity;
  const a = Math.exp(-rate);
  const variance = (width * (width + 1)) / 3 + noise.variance;
  return {
    name: 'multi-analyst',
    ...pure(epsilon),
    sensitivity,
    variance,
    offset: (random) => random.uniform(2 * width + 1) - width,
    release: ({ value, offset }, random) => {
      assertWhole(offset, 'multi-analyst: an offset', -width, width);
      return noise.release(value, random) + offset;
    },
    accuracy: (beta) => {
      assertBeta(beta);
      const tail = (bound: number): number => (a ** (bound + 1 - width) + a ** (bound + 1 + width)) / (1 + a);
      // Between these two, by leaving out or doubling the smaller term.
      let bound = width + Math.max(0, Math.floor(-Math.log(beta * (1 + a)) / rate) - 1);
      while (tail(bound) > beta) bound++;
      return bound;
    },
    divergence: (distance) => {
      assertWhole(distance, 'multi-analyst: a distance', 0, 2 * width);
      const lost = (2 * a * Math.expm1(-rate * distance)) / Math.expm1(-2 * rate);
      return { kullbackLeibler: rate * (distance - lost), maximal: rate * distance };
    },
    colluders: (bound, beta) => {
      assertBeta(beta);
      if (!(bound > 0)) throw new RangeError(`multi-analyst: expected an error bound above 0, got ${bound}`);
      const least = (of: number): number => Math.max(1, Math.ceil((normalQuantile(beta / 2) / bound) ** 2 * of));
      return { withOffsets: least(variance), without: least(noise.variance) };
    },
  };
}
