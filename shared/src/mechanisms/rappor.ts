/**
 * RAPPOR: Erlingsson, Pihur, Korolova 2014, "RAPPOR: Randomized Aggregatable Privacy-Preserving Ordinal Response".
 *
 * Law (§2; T = 2^32): a string's Bloom filter sets h of k bits, chosen by hashes that differ by cohort.
 *   Permanent response (step 2): a bit b becomes 1 with probability one/T if b = 1, zero/T if b = 0.
 *   Instantaneous response (step 3): a stored bit s is reported as 1 with probability irr.one/T or irr.zero/T.
 * One-time RAPPOR (§3.1) reports the first stage. e^ε∞ and e^ε₁ are those of bits.ts, with h bits per string (k >= 2h).
 *
 * Design: h = 1, because cohorts already resolve collisions and each doubling of h doubles the variance. one = T/2, zero = T/(e^ε∞ + 1),
 * and irr flips a bit either way with the same probability. Then A = T²/2 and B = T²/(e^ε₁ + 1) for every ε₁ <= ε∞. This is optimized unary
 * encoding (Wang et al. 2017, §4.3) of the Bloom bits; the variance of a frequency is 4e^ε₁ / (n (e^ε₁ - 1)²).
 */

import { expBelow } from '../arithmetic/exponential.ts';
import { assertStages, type BitStages, bitOdds, bitSupport, halfStages, halfVariance } from './bits.ts';
import { coded } from './codec.ts';
import { assertWhole, type Mechanism, MODULUS } from './law.ts';

/** The integers of RAPPOR. */
export type RapporLaw = BitStages & {
  readonly mechanism: 'rappor';
  /** k, the bits of the Bloom filter. */
  readonly bits: number;
  /** h, the hashes of each string. */
  readonly hashes: number;
  /** m, a power of two. */
  readonly cohorts: number;
};

/** The most cohorts of a metric. */
export const MAX_COHORTS = 65_536;
const BITS = 128;
/** A string whose estimate is this many standard errors above 0 is clear. The collector fits all clear candidates together. */
export const CLEAR = 3;
const LEAST = 900; // (CLEAR / 0.1)², where a tenth is the part that collisions may add to the variance

/**
 * The number of cohorts for which collisions add at most a tenth to the law's own variance s² = V / n, whatever strings there are.
 * Clear candidates are fitted together, so that they do not collide (collector/src/estimation/string-fit.ts). Each other string has a share
 * of at most `CLEAR` s, so Σ f² over them is at most `CLEAR` s, and their collisions have variance Σ f² / (m k). This is at most a tenth of
 * s² where m k >= 30 / s, that is, (m k)² V >= 900 n. The number is the least power of two that suffices, or the first that is at least
 * `most`.
 */
export function cohortsFor(devices: number, variance: number, cells: number, most: number): number {
  let cohorts = 1;
  while (cohorts * cohorts * cells * cells * variance < LEAST * devices && cohorts < most) cohorts *= 2;
  return cohorts;
}

/**
 * RAPPOR with the largest ε that do not exceed the requested ones.
 *
 * @param epsilon ε, of one report
 * @param devices the expected number of answering devices, which determines the number of cohorts
 * @param permanent ε∞ of an epoch's whole history, at least `epsilon`; one-time RAPPOR without it
 * @throws {RangeError} when 32 bits can't hold it to within 10 %
 */
export const rapporLaw = (epsilon: number, devices: number, permanent?: number, modulus: number = MODULUS): RapporLaw => ({
  mechanism: 'rappor',
  bits: BITS,
  hashes: 1,
  cohorts: cohortsFor(devices, halfVariance(epsilon), BITS, MAX_COHORTS),
  ...halfStages(epsilon, permanent, modulus),
});

/** RAPPOR's own parameters (§2), for schemas that set them directly. */
export interface RapporParameters {
  readonly bits: number;
  readonly hashes: number;
  readonly cohorts: number;
  readonly f: number;
  readonly p: number;
  readonly q: number;
}

/** The law of RAPPOR's own f, p, q: one = 1 - f/2, zero = f/2, irr = (q, p); one-time RAPPOR when p = 0 and q = 1. */
export function rapporFromParameters({ bits, hashes, cohorts, f, p, q }: RapporParameters): RapporLaw {
  const threshold = (probability: number): number => Math.floor(MODULUS * probability + 0.5);
  const noise = threshold(f / 2);
  const law: RapporLaw = { mechanism: 'rappor', bits, hashes, cohorts, one: MODULUS - noise, zero: noise };
  return p === 0 && q === 1 ? law : { ...law, irr: { one: threshold(q), zero: threshold(p) } };
}

/** Throws a RangeError unless the number of cohorts is a power of two that a law of strings may have. */
export function assertCohorts(name: string, cohorts: number): void {
  assertWhole(cohorts, 1, MAX_COHORTS, `${name}: cohorts`);
  if ((cohorts & (cohorts - 1)) !== 0) throw new RangeError(`${name}: expected cohorts to be a power of two, got ${cohorts}`);
}

/** Throws a RangeError unless the integers form a valid RAPPOR law. */
export function validateRappor(law: RapporLaw): void {
  const { bits, hashes, cohorts } = law;
  assertWhole(hashes, 1, 16, 'rappor: hashes');
  assertWhole(bits, 2 * hashes, 2 ** 16, 'rappor: bits (at least two for each hash)');
  assertCohorts('rappor', cohorts);
  assertStages('rappor', law);
}

/**
 * Checks an expert's integers against the ε that the metric declares, and returns them.
 *
 * @throws {RangeError} when they spend more, or when p, q and a permanent metric do not go together
 */
export function expertRapporLaw(law: RapporLaw, epsilon: number, permanent?: number): RapporLaw {
  validateRappor(law);
  const { one, zero, irr, hashes } = law;
  if ((irr === undefined) !== (permanent === undefined)) {
    throw new RangeError('rappor: expected p = 0 and q = 1 unless the metric is permanent, and other values if it is');
  }
  // Both probabilities of each bit, times T or T²: computing 1 - p in doubles would lose the digits of a p near 1. One bit is compared with
  // e^(ε/h), because a power would multiply the rounding errors beyond the margin of `expBelow`.
  type Chance = readonly [ofOne: number, ofZero: number];
  const check = ([a1, a0]: Chance, [b1, b0]: Chance, asked: number, name: string): void => {
    const odds = (a1 * b0) / (b1 * a0);
    if (odds > expBelow(asked / hashes))
      throw new RangeError(`${name}: expected more than ${hashes * Math.log(odds)}, which these parameters spend, got ${asked}`);
  };
  const a: Chance = [one, MODULUS - one];
  const b: Chance = [zero, MODULUS - zero];
  check(a, b, permanent ?? epsilon, permanent === undefined ? 'epsilon' : 'permanent.epsilon');
  if (irr !== undefined) {
    const through = ([ofOne, ofZero]: Chance): Chance => [
      ofOne * irr.one + ofZero * irr.zero,
      ofOne * (MODULUS - irr.one) + ofZero * (MODULUS - irr.zero),
    ];
    check(through(a), through(b), epsilon, 'epsilon');
  }
  return law;
}

export const rappor: Mechanism<RapporLaw> = /* @__PURE__ */ coded<RapporLaw>({
  name: 'rappor',
  tells: 'shares',
  meaning: 'RAPPOR: a device hashes its answer to one of many bits, flips bits at random, and sends what comes out.',
  validate: validateRappor,
  odds: (law) => bitOdds(law, law.hashes),
  shape: ({ cohorts, bits }) => ({ cohorts, cells: bits, form: 'bits' }),
  support: bitSupport,
});
