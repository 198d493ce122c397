/**
 * Several answers of a list (PrivSet): Wang et al. 2018, "PrivSet: Set-Valued Data Analyses with Locale Differential Privacy" (INFOCOM),
 * §IV. The set is padded to L with dummies (Qin et al. 2016, LDPMiner, §4.2).
 *
 * Law (d answers, at most L of them, N = d + L, subsets of m <= d, T = 2^32): a set of l < L answers is padded with the first L - l
 * dummies. A larger one is sampled down to L, uniformly. With probability hit/T the report is a uniform subset of m of the N that meets
 * these L; else a uniform subset that misses them. The share of subsets that miss them does not depend on the set:
 *   w = C(d, m) / C(N, m) = Π_{j<L} (N - m - j) / (N - j)
 *   e^ε = hit w / ((T - hit) (1 - w))
 * Sampling down mixes rows, so it adds nothing to ε. An answer a of N is in the report with probability
 *   p = (hit/T) (m/N) / (1 - w)  if it is in the padded set, and otherwise
 *   q = (hit/T) (m/N - w m/d) / (1 - w) + (1 - hit/T) m/d
 * so this is a pure protocol. While no set is over its limit, f = (C/n - q) / (p - q) is unbiased with the variance (f p(1-p) + (1-f)
 * q(1-q)) / (n (p-q)²). Each device with l > L answers counts L/l for each of them instead of 1. Frequencies do not add up to 1. With the
 * dummies they add up to L; the frequency of dummy j is the share of sets with fewer than L - j answers.
 *
 * Subsets of one are padding and sampling (Wang, Li, Jha 2018, "Locally Differentially Private Frequent Itemset Mining", §4.1) followed by
 * a k-ary response of e^ε' = 1 + L (e^ε - 1). e^ε as above is its amplification (ibid., theorem 2), a theorem for that oracle alone. On
 * long lists larger subsets, which meet the whole set, have far smaller errors than sampling one element and then using any other oracle.
 * For small ε the variance is 1 / (ε² x (1-x)^(2L-1)) with m/N = x, at best about 2eL/ε², instead of 4L²/ε².
 */

import { exp, expBelow } from '../arithmetic/exponential.ts';
import { ratio } from '../arithmetic/ratio.ts';
import { coded } from './codec.ts';
import { assertHeld, assertWhole, type Mechanism, MODULUS, type Support } from './law.ts';

/** The integers of a padded set. */
export type PrivSetLaw = {
  readonly mechanism: 'privset';
  /** d, the number of answers. */
  readonly size: number;
  /** L, the most answers that a set has. The same number of dummies follow the answers. */
  readonly atMost: number;
  /** m, the number of answers and dummies in a report. */
  readonly subset: number;
  /** P(the report meets the padded set) * 2^32. */
  readonly hit: number;
};

/** The most answers of a set: e^ε is a ratio of products with this many factors. */
const MAX_SET = 64;

/** The numbers of subsets of m that miss a padded set, that meet it, and of all subsets, up to a common factor. */
function ways(size: number, atMost: number, m: number): readonly [miss: bigint, hit: bigint, all: bigint] {
  let [miss, all] = [1n, 1n];
  for (let j = 0; j < atMost; j++) {
    miss *= BigInt(size + atMost - m - j);
    all *= BigInt(size + atMost - j);
  }
  return [miss, all - miss, all];
}

const DIGITS = 2 ** 40;

/**
 * The law over subsets of m with the largest ε that is at most the requested one.
 *
 * @throws {RangeError} when 32 bits can't hold it to within 10 %
 */
export function privSetLaw(size: number, atMost: number, m: number, epsilon: number, modulus: number = MODULUS): PrivSetLaw {
  const what = `sets of at most ${atMost} of ${size} answers`;
  assertHeld(expBelow(epsilon), epsilon, what); // bigints cannot be infinite
  const [miss, meet] = ways(size, atMost, m);
  const bound = BigInt(Math.floor(expBelow(epsilon) * DIGITS)); // in units of 2^-40
  const hit = Number((bound * BigInt(modulus) * meet) / (BigInt(DIGITS) * miss + bound * meet));
  const [likely, rare] = [BigInt(hit) * miss, BigInt(modulus - hit) * meet];
  assertHeld(rare > 0n ? Number((likely * BigInt(DIGITS)) / rare) / DIGITS : 0, epsilon, what);
  return { mechanism: 'privset', size, atMost, subset: m, hit };
}

/** The mean variance over answers, times the number of reports, if all sets are full: q(1-q)/(p-q)² + L(1-p-q)/(d(p-q)). */
export const fullSetVariance = (size: number, atMost: number, { p, q }: Support): number =>
  (q * (1 - q)) / ((p - q) * (p - q)) + (atMost * (1 - p - q)) / (size * (p - q));

/**
 * Chooser 1 for sets: the subset size with the least mean variance if all sets are full. Subsets of one are chosen if they are within 3 %
 * of it, because their report is the shortest.
 *
 * @throws {RangeError} when 32 bits can't hold it to within 10 %, or a set has more answers than there are, or than 64
 */
export function setLaw(size: number, atMost: number, epsilon: number): PrivSetLaw {
  assertWhole(atMost, 1, Math.min(size, MAX_SET), 'atMost');
  const e = exp(epsilon);
  const all = size + atMost;
  let [w, single, best, least] = [1, 0, 1, Number.POSITIVE_INFINITY];
  for (let m = 1; m <= size; m++) {
    w = (w * (size - m + 1)) / (all - m + 1);
    const z = e * (1 - w) + w;
    const q = (e * (m / all - (w * m) / size) + (w * m) / size) / z;
    const variance = fullSetVariance(size, atMost, { p: (e * (m / all)) / z, q });
    if (m === 1) single = variance;
    if (variance < least) [best, least] = [m, variance];
  }
  return privSetLaw(size, atMost, single <= 1.03 * least ? 1 : best, epsilon);
}

/** a / b of bigints, to double precision. */
const quotient = (a: bigint, b: bigint): number => Number((a << 128n) / b) / 2 ** 128;

export const privSet: Mechanism<PrivSetLaw> = /* @__PURE__ */ coded<PrivSetLaw>({
  name: 'privset',
  tells: 'shares',
  meaning:
    'PrivSet: a device fills its set of answers up with blanks, and sends a random set, which meets its own with a known, higher probability.',
  validate: ({ size, atMost, subset: m, hit }) => {
    assertWhole(size, 2, 2 ** 24, 'privset: size');
    assertWhole(atMost, 1, Math.min(size, MAX_SET), 'privset: atMost');
    assertWhole(m, 1, size, 'privset: subset');
    const [, meet, all] = ways(size, atMost, m);
    // A report that meets the set no more often than a random subset carries no information, or inverted information.
    assertWhole(hit, Number((BigInt(MODULUS) * meet) / all) + 1, MODULUS - 1, 'privset: hit');
  },
  odds: ({ size, atMost, subset: m, hit }) => {
    const [miss, meet] = ways(size, atMost, m);
    return { report: ratio(BigInt(hit) * miss, BigInt(MODULUS - hit) * meet) };
  },
  shape: ({ size, atMost, subset: m }) =>
    m > 1 ? { cohorts: 1, cells: size + atMost, form: 'bits', ones: m } : { cohorts: 1, cells: size + atMost, form: 'symbol' },
  support: ({ size, atMost, subset: m, hit }) => {
    const [miss, meet, all] = ways(size, atMost, m);
    const [T, d, N, k, t] = [BigInt(MODULUS), BigInt(size), BigInt(size + atMost), BigInt(m), BigInt(hit)];
    return {
      p: quotient(t * k * all, T * N * meet),
      q: quotient(k * (t * (d * all - N * miss) + (T - t) * N * meet), T * N * d * meet),
    };
  },
});
