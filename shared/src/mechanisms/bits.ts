/**
 * Independently randomized bits: the part that unary encoding (Wang et al. 2017, §4.2) and RAPPOR (Erlingsson, Pihur, Korolova 2014, §2)
 * share. T = 2^32.
 *
 * A bit that is 1 is reported as 1 with probability one/T, a bit that is 0 with zero/T. Each answer sets h bits, so two answers differ in
 * at most 2h bits, h of which belong to either answer. Each differing bit contributes the worse of its two log-ratios, so
 *   e^ε = [one (T - zero) / (zero (T - one))]^h                               (RAPPOR §3.1, theorem 1; Wang et al. (5))
 * A permanent metric stores these bits, and each report sends every one of them through a second stage:
 *   A = one irr.one + (T - one) irr.zero,  B = zero irr.one + (T - zero) irr.zero
 *   e^ε₁ = [A (T² - B) / (B (T² - A))]^h                                      (RAPPOR §3.2, theorem 2)
 */

import { exp, expBelow } from '../arithmetic/exponential.ts';
import { power, type Ratio, ratio } from '../arithmetic/ratio.ts';
import { assertHeld, assertWhole, MODULUS, type Odds, type Support } from './law.ts';

/** Two thresholds over 2^32: P(1 | bit is 1) and P(1 | bit is 0). */
export type BitStage = { readonly one: number; readonly zero: number };

/** The first stage and, for a permanent metric, the second. */
export type BitStages = BitStage & { readonly irr?: BitStage };

/** The variance of optimized encoding for a bit that is 0, times the number of reports: 4e^ε / (e^ε - 1)² (Wang et al. (9)). */
export function halfVariance(epsilon: number): number {
  const e = exp(epsilon);
  return (4 * e) / ((e - 1) * (e - 1));
}

/**
 * The thresholds of one or two stages. The first stage has `one` = 1/2 and the least `zero` with (modulus - zero) / zero at most e^ε∞. The
 * second stage flips a bit either way with the same probability, the least for which e^ε₁ is at most the requested one: p = (p* - q) / (1 -
 * 2q) with q = zero/modulus and p* = 1 / (e^ε₁ + 1).
 *
 * @param epsilon ε of one report
 * @param permanent ε∞, where there are two stages
 * @throws {RangeError} when 32 bits can't hold it to within 10 %
 */
export function halfStages(epsilon: number, permanent: number | undefined, modulus: number): BitStages {
  const bound = expBelow(permanent ?? epsilon);
  let zero = Math.ceil(modulus / (bound + 1));
  while (modulus - zero > bound * zero) zero++;
  assertHeld((modulus - zero) / zero, permanent ?? epsilon, 'bits');
  const stage = { one: modulus / 2, zero };
  if (permanent === undefined) return stage;
  const most = expBelow(epsilon);
  const q = zero / modulus;
  let flip = Math.max(0, Math.ceil(modulus * ((1 / (most + 1) - q) / (1 - 2 * q))));
  const odds = (): number => (zero * flip + (modulus - zero) * (modulus - flip)) / (zero * (modulus - flip) + (modulus - zero) * flip);
  while (odds() > most) flip++;
  assertHeld(odds(), epsilon, 'bits');
  return { ...stage, irr: { one: modulus - flip, zero: flip } };
}

/** Throws a RangeError unless the first stage leaves no bit certain and both stages report a 1 more often for a 1 than for a 0. */
export function assertStages(name: string, { one, zero, irr }: BitStages): void {
  assertWhole(zero, 1, MODULUS - 2, `${name}: zero (f must be above 0)`);
  assertWhole(one, zero + 1, MODULUS - 1, `${name}: one (f must be below 1)`);
  if (irr !== undefined) {
    assertWhole(irr.zero, 0, MODULUS - 1, `${name}: irr.zero (p)`);
    assertWhole(irr.one, irr.zero + 1, MODULUS, `${name}: irr.one (q must be above p)`);
  }
}

const oddsOf = (a: bigint, b: bigint, T: bigint, hashes: number): Ratio => power(ratio(a * (T - b), b * (T - a)), hashes);

/** e^ε of a report and, with two stages, of the stored bits. Each answer has `hashes` bits. */
export function bitOdds({ one, zero, irr }: BitStages, hashes: number): Odds {
  const [T, a, b] = [BigInt(MODULUS), BigInt(one), BigInt(zero)];
  const first = oddsOf(a, b, T, hashes);
  if (irr === undefined) return { report: first };
  const [c, g] = [BigInt(irr.one), BigInt(irr.zero)];
  return { report: oddsOf(a * c + (T - a) * g, b * c + (T - b) * g, T * T, hashes), permanent: first };
}

/** P(1 | bit is 1) and P(1 | bit is 0), for a report or for the stored bits. */
export function bitSupport({ one, zero, irr }: BitStages, stage?: 'permanent'): Support {
  const through = (t: number): number =>
    irr === undefined || stage === 'permanent' ? t / MODULUS : (t * irr.one + (MODULUS - t) * irr.zero) / MODULUS ** 2;
  return { p: through(one), q: through(zero) };
}
