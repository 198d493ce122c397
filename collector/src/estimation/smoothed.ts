/**
 * The smoothed shares of the square wave: expectation maximization with a smoothing strength chosen from the reports themselves. The right
 * strength depends on the numbers. No smoothing keeps peaks sharp, strong smoothing is far closer to even distributions, and any fixed
 * strength is far off for one or the other.
 *
 * Each count c_j is split into Bin(c_j, 1/2) and the rest (thinning). For a randomly drawn population, the two halves are independent
 * samples of it. Shares are computed from one half and judged by the likelihood that they give to the other (Neufeld, Dharamshi, Gao,
 * Witten 2024, "Data Thinning for Convolution-Closed Distributions"). The strength that is best over several thinnings, in both directions,
 * is then used on all reports. The random bits are derived from the tally itself, so the same tally always has the same shares.
 */

import type { SquareWaveLaw } from '@murmuration/shared';
import { expectationMaximization, windowSums } from './expectation-maximization.ts';
import { chancesOf } from './square-wave-scores.ts';

/** From no smoothing to that of the paper's EMS. */
const STRENGTHS = [0, 0.002, 0.01, 0.05, 0.25];

/** A single thinning leaves the choice to chance: the error is 7 % larger than with three. Five are no better than three. */
const THINNINGS = 3;

/** Rounds of expectation maximization on a half: enough to rank the strengths. */
const ROUNDS = 300;

/**
 * From this count on, Bin(c, 1/2) is approximated by scaling the distribution of this count. Its steps are far below the resolution of any
 * share.
 */
const LARGE = 2 ** 16;

/** A sequence of 32-bit words from a seed: the finalizer of MurmurHash3 on a counter. */
export function wordsFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let word = state;
    word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
    word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
    return (word ^ (word >>> 16)) >>> 0;
  };
}

/** A seed from all counts. */
function seedOf(counts: ArrayLike<number>): number {
  let seed = counts.length;
  for (let j = 0; j < counts.length; j++) seed = wordsFrom(seed ^ (counts[j] as number))();
  return seed;
}

/** The number of ones in a word. */
function ones(word: number): number {
  let rest = word;
  let count = 0;
  for (; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** A draw of Bin(count, 1/2). */
export function halfOf(count: number, word: () => number): number {
  if (count > LARGE) {
    const stretched = count / 2 + (halfOf(LARGE, word) - LARGE / 2) * Math.sqrt(count / LARGE);
    return Math.min(count, Math.max(0, Math.round(stretched)));
  }
  let heads = 0;
  for (let left = count; left > 0; left -= 32) heads += ones(left >= 32 ? word() : word() >>> (32 - left));
  return heads;
}

/** The log-likelihood of these output counts. */
function likelihoodOf(law: SquareWaveLaw, counts: Float64Array, shares: Float64Array): number {
  const { p, q } = chancesOf(law);
  const masses = windowSums(shares, law.window, 1 - law.window, counts.length);
  return counts.reduce((sum, count, j) => (count > 0 ? sum + count * Math.log(q + (p - q) * Math.max(0, masses[j] as number)) : sum), 0);
}

/** The strength whose shares from one half of the reports best predict the other half; the strongest if several are equal. */
export function smoothingOf(law: SquareWaveLaw, counts: Float64Array): number {
  const word = wordsFrom(seedOf(counts));
  const told = STRENGTHS.map(() => 0);
  for (let thinning = 0; thinning < THINNINGS; thinning++) {
    const half = counts.map((count) => halfOf(count, word));
    const rest = counts.map((count, j) => count - (half[j] as number));
    STRENGTHS.forEach((strength, i) => {
      for (const [seen, held] of [
        [half, rest],
        [rest, half],
      ] as const) {
        if (seen.some((count) => count > 0))
          told[i] = (told[i] as number) + likelihoodOf(law, held, expectationMaximization(law, seen, strength, ROUNDS));
      }
    });
  }
  return STRENGTHS[told.lastIndexOf(Math.max(...told))] as number;
}

/** The shares of the cells from the counts of the outputs. */
export const smoothedShares = (law: SquareWaveLaw, counts: Float64Array): readonly number[] =>
  Array.from(expectationMaximization(law, counts, smoothingOf(law, counts)));
