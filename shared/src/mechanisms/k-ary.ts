/**
 * k-ary randomized response (GRR, kRR): Kairouz, Bonawitz, Ramage 2016, "Discrete Distribution Estimation under Local Privacy", §2.2. With
 * two answers it is Warner's 1965 response; there ε = ln 3 is the coin flip of 3/4 and 1/4.
 *
 * Law (d answers, T = 2^32): the answer itself with probability truth/T, else one of the other d - 1, drawn uniformly.
 *   e^ε = truth (d - 1) / (T - truth)
 * Permanent: the resulting symbol is stored, and each report is a second k-ary response to it. The composition is again k-ary: with λ =
 * P(same) - P(one given other), λ = λ₁ λ₂, and P(same) = (1 + (d - 1) λ) / d. Variance of an estimated frequency f from n reports (p, q as
 * in `support`): (f p(1-p) + (1-f) q(1-q)) / (n (p-q)²).
 */

import { expBelow } from '../arithmetic/exponential.ts';
import { ratio } from '../arithmetic/ratio.ts';
import { bigEndian } from '../encoding/bytes.ts';
import { coded } from './codec.ts';
import { assertHeld, assertWhole, type Mechanism, MODULUS } from './law.ts';
import { includeThreshold } from './subset.ts';

/** The integers of a k-ary response. */
export type KAryLaw = {
  readonly mechanism: 'k-ary';
  /** d, the number of answers. */
  readonly size: number;
  /** P(the answer itself) * 2^32. */
  readonly truth: number;
  /** The instantaneous stage of a permanent metric. */
  readonly irr?: { readonly truth: number };
};

/** Makes the law of a response from ε of one report. For a permanent metric it already knows ε∞ and the law has both stages. */
export type KeptResponse = (size: number, epsilon: number) => KAryLaw;

/**
 * The law with the largest ε that is at most the requested one.
 *
 * @param size d, at least 2
 * @throws {RangeError} when 32 bits can't hold it to within 10 %
 */
export function kAryLaw(size: number, epsilon: number, modulus: number = MODULUS): KAryLaw {
  return { mechanism: 'k-ary', size, truth: includeThreshold(size, 1, epsilon, modulus) };
}

/** P(same symbol) and P(a given other symbol) after both stages, times T². */
function composed(d: number, a: number, b: number, modulus: number): readonly [same: number, other: number] {
  const [a1, b1] = [modulus - a, modulus - b];
  return [a * b + (a1 * b1) / (d - 1), (a * b1 + a1 * b + (a1 * b1 * (d - 2)) / (d - 1)) / (d - 1)];
}

/**
 * The permanent law for (ε∞, ε₁) with the largest ε that do not exceed the requested ones.
 *
 * @param epsilon ε₁, of one report
 * @param permanent ε∞, of an epoch's whole history, at least `epsilon`
 * @throws {RangeError} when 32 bits can't hold it to within 10 %
 */
export function permanentKAryLaw(size: number, epsilon: number, permanent: number, modulus: number = MODULUS): KAryLaw {
  const law = kAryLaw(size, permanent, modulus);
  const bound = expBelow(epsilon);
  const a = law.truth / modulus;
  const other = (1 - a) / (size - 1);
  let truth = Math.min(modulus, Math.floor(modulus * ((bound / (bound + (size - 1)) - other) / (a - other))));
  const odds = (): number => {
    const [same, rest] = composed(size, law.truth, truth, modulus);
    return same / rest;
  };
  while (odds() > bound) truth--;
  assertHeld(odds(), epsilon, `${size} answers`);
  return { ...law, irr: { truth } };
}

/** The report of an answer's index, big-endian in the fewest whole bytes. */
export const encodeKAry = ({ size }: Pick<KAryLaw, 'size'>, index: number): Uint8Array => bigEndian(index, size - 1);

export const kAry: Mechanism<KAryLaw> = /* @__PURE__ */ coded<KAryLaw>({
  name: 'k-ary',
  tells: 'shares',
  meaning: 'k-ary randomized response: a device sends its own answer with a known probability, else another one, drawn at random.',
  validate: ({ size, truth, irr }) => {
    assertWhole(size, 2, 2 ** 24, 'k-ary: size');
    assertWhole(truth, Math.ceil(MODULUS / size), MODULUS - 1, 'k-ary: truth');
    if (irr !== undefined) assertWhole(irr.truth, Math.ceil(MODULUS / size), MODULUS, 'k-ary: irr.truth');
  },
  odds: ({ size, truth, irr }) => {
    const [T, d1, a] = [BigInt(MODULUS), BigInt(size - 1), BigInt(truth)];
    const first = ratio(a * d1, T - a);
    if (irr === undefined) return { report: first };
    // P(same) = s / (T² d1) and P(other) = (T² d1 - s) / (T² d1²).
    const s = a * BigInt(irr.truth) * d1 + (T - a) * (T - BigInt(irr.truth));
    return { report: ratio(s * d1, T * T * d1 - s), permanent: first };
  },
  shape: ({ size }) => ({ cohorts: 1, cells: size, form: 'symbol' }),
  support: ({ size, truth, irr }, stage) => {
    const again = stage === 'permanent' ? MODULUS : (irr?.truth ?? MODULUS);
    const [same, other] = composed(size, truth, again, MODULUS);
    return { p: same / MODULUS ** 2, q: other / MODULUS ** 2 };
  },
});
