/**
 * RAPPOR: Erlingsson, Pihur, Korolova 2014, "RAPPOR: Randomized Aggregatable Privacy-Preserving Ordinal Response".
 *
 * Law (§2; T = 2^32): a string's Bloom filter has ones at h of k bits, chosen by hashes that differ by cohort.
 *   Permanent response (step 2): a bit b becomes 1 with probability one/T if b = 1, zero/T if b = 0.
 *   Instantaneous response (step 3): a stored bit s is reported as 1 with probability irr.one/T or irr.zero/T.
 * One-time RAPPOR (§3.1) reports the first stage. Two strings differ in at most 2h bits (k >= 2h), each contributing the
 * worse of its two log-ratios, and one string has h of them, so (§3.1, theorem 1; §3.2, theorem 2)
 *   e^ε∞ = [one (T - zero) / (zero (T - one))]^h          e^ε₁ = [A (T² - B) / (B (T² - A))]^h
 * with A = one irr.one + (T - one) irr.zero and B = zero irr.one + (T - zero) irr.zero.
 *
 * Design: h = 1 (cohorts deal with collisions; each doubling of h doubles the variance), one = T/2 and
 * zero = T/(e^ε∞ + 1), an irr that flips a bit either way with the same probability. Then A = T²/2 and
 * B = T²/(e^ε₁ + 1) for every ε₁ <= ε∞: optimized unary encoding (Wang et al. 2017, §4.3) of the Bloom bits, whose
 * variance of a frequency is 4e^ε₁ / (n (e^ε₁ - 1)²).
 */

import { exp, expBelow } from '../arithmetic/exponential.ts';
import { power, type Ratio, ratio } from '../arithmetic/ratio.ts';
import { bitBytes, ones } from '../encoding/bits.ts';
import { bigEndian, bytesFor, fromBigEndian } from '../encoding/bytes.ts';
import { assertHeld, assertWhole, type Mechanism, MODULUS } from './law.ts';

/** Two thresholds over 2^32: P(1 | bit is 1) and P(1 | bit is 0). */
export type BitStage = { readonly one: number; readonly zero: number };

/** The integers of RAPPOR. */
export type RapporLaw = BitStage & {
  readonly mechanism: 'rappor';
  /** k, the bits of the Bloom filter. */
  readonly bits: number;
  /** h, the hashes of each string. */
  readonly hashes: number;
  /** m, a power of two. */
  readonly cohorts: number;
  /** The instantaneous stage; without it the law is one-time RAPPOR. */
  readonly irr?: BitStage;
};

/** What fits between a metric's expected number of devices and its cohorts, and no more. */
export const MAX_COHORTS = 65_536;
const BITS = 128;
/** S₂ = Σ f², of the strings that a product expects. */
export const COLLISION_MASS = 0.05;
const COLLISION_SHARE = 0.1; // collisions may add so much to the variance

/** So many cohorts that collisions, of variance S₂/(m k), add at most a tenth to the law's own variance. */
function cohortsFor(devices: number, epsilon: number): number {
  const e = exp(epsilon);
  const variance = (4 * e) / ((e - 1) * (e - 1));
  const wanted = (COLLISION_MASS * devices) / (COLLISION_SHARE * variance * BITS);
  let cohorts = 1;
  while (cohorts < wanted && cohorts < MAX_COHORTS) cohorts *= 2;
  return cohorts;
}

/**
 * One-time RAPPOR with the largest ε that is at most the one asked.
 *
 * @param devices how many are expected to answer: sets the number of cohorts
 * @throws {RangeError} when 32 bits can't hold it to within 10 %
 */
export function rapporLaw(epsilon: number, devices: number, modulus: number = MODULUS): RapporLaw {
  const bound = expBelow(epsilon);
  let zero = Math.ceil(modulus / (bound + 1));
  while (modulus - zero > bound * zero) zero++;
  assertHeld((modulus - zero) / zero, epsilon, 'RAPPOR');
  return { mechanism: 'rappor', bits: BITS, hashes: 1, cohorts: cohortsFor(devices, epsilon), one: modulus / 2, zero };
}

/**
 * RAPPOR for (ε∞, ε₁) with the largest ε that are at most those asked: p = (p* - q₁) / (1 - 2 q₁), rounded up until ε₁
 * is not exceeded.
 *
 * @param epsilon ε₁, of one report
 * @param permanent ε∞, of an epoch's whole history, at least `epsilon`
 * @throws {RangeError} when 32 bits can't hold it to within 10 %
 */
export function permanentRapporLaw(epsilon: number, permanent: number, devices: number, modulus: number = MODULUS): RapporLaw {
  const first = rapporLaw(permanent, devices, modulus);
  const bound = expBelow(epsilon);
  const { zero } = first;
  const q = zero / modulus;
  let flip = Math.max(0, Math.ceil(modulus * ((1 / (bound + 1) - q) / (1 - 2 * q))));
  const odds = (): number => (zero * flip + (modulus - zero) * (modulus - flip)) / (zero * (modulus - flip) + (modulus - zero) * flip);
  while (odds() > bound) flip++;
  assertHeld(odds(), epsilon, 'RAPPOR, permanent');
  return { ...first, cohorts: cohortsFor(devices, epsilon), irr: { one: modulus - flip, zero: flip } };
}

/** RAPPOR's own parameters (§2), for those who bring them. */
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

/** Throws a RangeError unless the integers are a RAPPOR law. */
export function validateRappor({ bits, hashes, cohorts, one, zero, irr }: RapporLaw): void {
  assertWhole(hashes, 1, 16, 'rappor: hashes');
  assertWhole(bits, 2 * hashes, 2 ** 16, 'rappor: bits (at least two for each hash)');
  assertWhole(cohorts, 1, MAX_COHORTS, 'rappor: cohorts');
  if ((cohorts & (cohorts - 1)) !== 0) throw new RangeError(`rappor: expected cohorts to be a power of two, got ${cohorts}`);
  assertWhole(zero, 1, MODULUS - 2, 'rappor: zero (f must be above 0)');
  assertWhole(one, zero + 1, MODULUS - 1, 'rappor: one (f must be below 1)');
  if (irr !== undefined) {
    assertWhole(irr.zero, 0, MODULUS - 1, 'rappor: irr.zero (p)');
    assertWhole(irr.one, irr.zero + 1, MODULUS, 'rappor: irr.one (q must be above p)');
  }
}

/**
 * An expert's integers, checked against the ε that the metric declares.
 *
 * @throws {RangeError} when they spend more, or when p, q and a permanent metric do not go together
 */
export function expertRapporLaw(law: RapporLaw, epsilon: number, permanent?: number): RapporLaw {
  validateRappor(law);
  const { one, zero, irr, hashes } = law;
  if ((irr === undefined) !== (permanent === undefined)) {
    throw new RangeError('rappor: expected p = 0 and q = 1 unless the metric is permanent, and other values if it is');
  }
  // Both probabilities of each bit, times T or T²: 1 - p in doubles loses the digits of a p near 1. And one bit against
  // e^(ε/h), because a power would multiply the roundings that `expBelow` has room for.
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

/** How many bytes the cohort takes at the front of a report. */
export const cohortBytes = ({ cohorts }: RapporLaw): number => bytesFor(cohorts - 1);

/** An empty report of a cohort: its bits are zero, and begin at `cohortBytes(law)`. */
export function rapporReport(law: RapporLaw, cohort: number): Uint8Array {
  const bytes = new Uint8Array(cohortBytes(law) + bitBytes(law.bits));
  bytes.set(bigEndian(cohort, law.cohorts - 1));
  return bytes;
}

/** The cohort of a report or of a stored symbol. */
export const rapporCohort = (law: RapporLaw, bytes: Uint8Array): number => fromBigEndian(bytes.subarray(0, cohortBytes(law)));

/** e^ε of bits that are 1 with probability a/T or b/T: each of h bits gives both of its log-ratios. */
const bitOdds = (a: bigint, b: bigint, T: bigint, hashes: number): Ratio => power(ratio(a * (T - b), b * (T - a)), hashes);

export const rappor: Mechanism<RapporLaw> = {
  validate: validateRappor,
  odds: ({ one, zero, irr, hashes }) => {
    const [T, a, b] = [BigInt(MODULUS), BigInt(one), BigInt(zero)];
    const first = bitOdds(a, b, T, hashes);
    if (irr === undefined) return { report: first };
    const [c, g] = [BigInt(irr.one), BigInt(irr.zero)];
    return { report: bitOdds(a * c + (T - a) * g, b * c + (T - b) * g, T * T, hashes), permanent: first };
  },
  shape: ({ cohorts, bits }) => ({ cohorts, cells: bits }),
  reportBytes: (law) => cohortBytes(law) + bitBytes(law.bits),
  decode: (law, bytes) => {
    const offset = cohortBytes(law);
    const length = offset + bitBytes(law.bits);
    if (bytes.length !== length) throw new RangeError(`expected ${length} bytes, got ${bytes.length}`);
    const cohort = rapporCohort(law, bytes);
    if (cohort >= law.cohorts) throw new RangeError(`expected a cohort below ${law.cohorts}, got ${cohort}`);
    return { cohort, cells: ones(bytes, law.bits, offset) };
  },
  support: ({ one, zero, irr }, stage) => {
    const through = (t: number): number =>
      irr === undefined || stage === 'permanent' ? t / MODULUS : (t * irr.one + (MODULUS - t) * irr.zero) / MODULUS ** 2;
    return { p: through(one), q: through(zero) };
  },
};
