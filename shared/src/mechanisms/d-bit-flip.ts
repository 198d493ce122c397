/**
 * dBitFlip: Ding, Kulkarni, Yekhanin 2017, "Collecting Telemetry Data Privately", §3.2: a report has bits for only d of k buckets.
 *
 * Law (k buckets, d of them, T = 2^32): a device draws an offset on the ring of buckets uniformly, whatever the value, and gets the d buckets
 * from there on. (The paper draws any d of k. Either way each bucket is drawn with probability d/k, and an estimate of a bucket depends on
 * nothing else. With the ring, one number names the drawn buckets.) The report has a bit for each of the d buckets. The bit is 1 with
 * probability one/T if the value lies in that bucket, else with probability zero/T. Two values differ in at most two of these bits, or in
 * one bit if d = 1:
 *   e^ε = one (T - zero) / (zero (T - one)),   d > 1          e^ε = max(one / zero, (T - zero) / (T - one)),   d = 1
 * The paper's bits are symmetric, one = T - zero. Then zero = T / (e^(ε/2) + 1), and with d = 1, where one bit has all of ε, zero = T /
 * (e^ε + 1). With d = k this is symmetric unary encoding.
 *
 * Permanent: the paper (§4.2) stores a response for every bucket that a value ever falls in. That hides one value, but not changes: a
 * change of bucket shows as a change of bits. Here only the first value of an epoch is stored, with the d buckets drawn for it, and every
 * report sends its bits through a second stage. A whole history of values therefore reveals no more than the stored bits do, e^ε∞ as above,
 * as for every permanent metric. The rest is as in bits.ts.
 *
 * If D of n reports are about a bucket, and C of these have a 1, then f = (C/D - q) / (p - q) is unbiased given D, because the drawn
 * buckets do not depend on values. Its variance is the coins' (f p(1-p) + (1-f) q(1-q)) / (D (p-q)²) plus the sample's f (1-f) (1/D - 1/n).
 * On average D = n d/k: errors are √(k/d) times those of k bits, at d/k of the bytes.
 */

import { ratio } from '../arithmetic/ratio.ts';
import { assertStages, type BitStages, bitOdds, bitSupport, halfStages } from './bits.ts';
import { coded } from './codec.ts';
import { assertWhole, type Mechanism, MODULUS } from './law.ts';

/** The integers of dBitFlip. */
export type DBitFlipLaw = BitStages & {
  readonly mechanism: 'd-bit-flip';
  /** k, the number of buckets. */
  readonly size: number;
  /** d, the number of buckets that a report has a bit for. */
  readonly bits: number;
};

/** The number of offsets on the ring that a device may draw; 1 if it has a bit for every bucket. */
export const ringOf = ({ size, bits }: Pick<DBitFlipLaw, 'size' | 'bits'>): number => (bits < size ? size : 1);

/**
 * The law with the largest ε that do not exceed the requested ones.
 *
 * @param epsilon ε of one report
 * @param permanent ε∞ of an epoch's whole history, at least `epsilon`, where there are two stages
 * @throws {RangeError} when 32 bits can't hold it to within 10 %, or `bits` is not from 1 to `size`
 */
export function dBitFlipLaw(size: number, bits: number, epsilon: number, permanent?: number, modulus: number = MODULUS): DBitFlipLaw {
  assertWhole(bits, 1, Math.min(size, 2 ** 16), 'bits');
  const shared = bits > 1 ? 2 : 1; // the number of bits that share ε
  const stages = halfStages(epsilon / shared, permanent && permanent / shared, modulus);
  return { mechanism: 'd-bit-flip', size, bits, ...stages, one: modulus - stages.zero };
}

/** e^ε of one bit whose probabilities have the denominator T or T². */
const oneBit = (a: bigint, b: bigint, T: bigint) => (a * (T - a) > b * (T - b) ? ratio(T - b, T - a) : ratio(a, b));

const oneBitOdds = ({ one, zero, irr }: BitStages): ReturnType<Mechanism<DBitFlipLaw>['odds']> => {
  const [T, a, b] = [BigInt(MODULUS), BigInt(one), BigInt(zero)];
  const first = oneBit(a, b, T);
  if (irr === undefined) return { report: first };
  const through = (t: bigint): bigint => t * BigInt(irr.one) + (T - t) * BigInt(irr.zero);
  return { report: oneBit(through(a), through(b), T * T), permanent: first };
};

/** P(1 | the value lies in the bucket) and P(1 | it does not), for a bit that the report contains. */
export const drawnSupport: Mechanism<DBitFlipLaw>['support'] = bitSupport;

export const dBitFlip: Mechanism<DBitFlipLaw> = /* @__PURE__ */ coded<DBitFlipLaw>({
  name: 'd-bit-flip',
  tells: 'shares',
  meaning: 'dBitFlip: a device draws some of the buckets, and sends a bit for each of these, flipped at random.',
  validate: (law) => {
    assertWhole(law.size, 2, 2 ** 16, 'd-bit-flip: size');
    assertWhole(law.bits, 1, law.size, 'd-bit-flip: bits');
    assertStages('d-bit-flip', law);
  },
  odds: (law) => (law.bits > 1 ? bitOdds(law, 1) : oneBitOdds(law)),
  shape: (law) => ({ cohorts: ringOf(law), cells: law.bits, form: 'bits' }),
  supporting: ({ size, bits }, offset, bucket) => {
    const bit = (bucket - offset + size) % size;
    return bit < bits ? [bit] : [];
  },
  /** That a report is about a bucket and has a 1. */
  support: (law, stage) => {
    const { p, q } = drawnSupport(law, stage);
    const drawn = law.bits / law.size;
    return { p: drawn * p, q: drawn * q };
  },
});
