/**
 * Unary encoding (OUE optimized, SUE symmetric): Wang, Blocki, Li, Jha 2017, "Locally Differentially Private Protocols for Frequency
 * Estimation", §4.2 (symmetric, basic one-time RAPPOR) and §4.3 (optimized). An answer is encoded as d bits of which only its own is 1.
 * Each bit is randomized independently (bits.ts). Two answers differ in two bits, so (T = 2^32)
 *   e^ε = one (T - zero) / (zero (T - one))
 * Symmetric: one = T - zero, so each bit has half of ε: zero = T / (e^(ε/2) + 1). Optimized: one = T/2, so all of ε is spent on the many
 * zeros: zero = T / (e^ε + 1). With p = one/T and q = zero/T its variance
 *   (f p(1-p) + (1-f) q(1-q)) / (n (p-q)²)  is  4e^ε / (n (e^ε - 1)²) + f/n,  whatever d is (equation 9 for f = 0).
 * Permanent: the stored bits go through a second stage that flips either way with the same probability. Then A stays T²/2 and B = T²/(e^ε₁
 * + 1), which is optimized unary encoding at ε₁, whatever ε∞ is. Symmetric encoding likewise stays symmetric.
 */

import { assertStages, type BitStages, bitOdds, bitSupport, halfStages } from './bits.ts';
import { coded } from './codec.ts';
import { assertWhole, type Mechanism, MODULUS } from './law.ts';

/** The integers of unary encoding. */
export type UnaryLaw = BitStages & {
  readonly mechanism: 'unary';
  /** d, the number of answers. Each has one bit. */
  readonly size: number;
};

/**
 * Optimized unary encoding with the largest ε that do not exceed the requested ones.
 *
 * @param epsilon ε of one report
 * @param permanent ε∞ of an epoch's whole history, at least `epsilon`, where there are two stages
 * @throws {RangeError} when 32 bits can't hold it to within 10 %
 */
export const unaryLaw = (size: number, epsilon: number, permanent?: number, modulus: number = MODULUS): UnaryLaw => ({
  mechanism: 'unary',
  size,
  ...halfStages(epsilon, permanent, modulus),
});

/**
 * Symmetric unary encoding with the same parameters. Its zeros are those of optimized encoding at half of each ε, and its ones mirror them.
 *
 * @throws {RangeError} when 32 bits can't hold it to within 10 %
 */
export function symmetricUnaryLaw(size: number, epsilon: number, permanent?: number, modulus: number = MODULUS): UnaryLaw {
  const law = unaryLaw(size, epsilon / 2, permanent && permanent / 2, modulus);
  return { ...law, one: modulus - law.zero };
}

export const unary: Mechanism<UnaryLaw> = /* @__PURE__ */ coded<UnaryLaw>({
  name: 'unary',
  tells: 'shares',
  meaning: 'Unary encoding: a device sends a bit for each answer, each of them flipped at random.',
  validate: (law) => {
    assertWhole(law.size, 2, 2 ** 24, 'unary: size');
    assertStages('unary', law);
  },
  odds: (law) => bitOdds(law, 1),
  shape: ({ size }) => ({ cohorts: 1, cells: size, form: 'bits' }),
  support: bitSupport,
});
