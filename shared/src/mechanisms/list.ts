/**
 * Chooser 1 for a list of answers: the least mean variance over answers, and among the laws within 3 % of it the
 * shortest report. Frozen: a better rule gets a new number, for the rule decides what devices send.
 */

import { exp } from '../arithmetic/exponential.ts';
import { bitBytes } from '../encoding/bits.ts';
import { bytesFor } from '../encoding/bytes.ts';
import { halfVariance } from './bits.ts';
import { type KAryLaw, kAryLaw, permanentKAryLaw } from './k-ary.ts';
import { meanVariance, type SubsetLaw, subsetIdeal, subsetLaw } from './subset.ts';
import { type UnaryLaw, unaryLaw } from './unary.ts';

const NEAR = 1.03;

/** The law of a list of `size` answers at ε: k-ary response, which is subset selection of one, or larger subsets. */
export function listLaw(size: number, epsilon: number): KAryLaw | SubsetLaw {
  const near = Math.floor(size / (exp(epsilon) + 1)); // the best real m is d / (e^ε + 1)
  const candidates = [1, near, near + 1]
    .filter((m) => m > 0 && m < size)
    .map((m) => ({
      m,
      variance: meanVariance(size, subsetIdeal(size, m, epsilon)),
      bytes: m > 1 ? bitBytes(size) : bytesFor(size - 1),
    }));
  const most = NEAR * Math.min(...candidates.map(({ variance }) => variance));
  const [best] = candidates.filter(({ variance }) => variance <= most).sort((a, b) => a.bytes - b.bytes || a.variance - b.variance);
  return best && best.m > 1 ? subsetLaw(size, best.m, epsilon) : kAryLaw(size, epsilon);
}

/**
 * The law of a permanent list at (ε₁, ε∞): k-ary response or optimized unary encoding, both of which compose exactly, by the
 * same rule at ε₁. Up to 8 answers both have reports of one byte.
 */
export function permanentListLaw(size: number, epsilon: number, permanent: number): KAryLaw | UnaryLaw {
  const most = (size > 8 ? NEAR : 1) * (halfVariance(epsilon) + 1 / size);
  const isShort = meanVariance(size, subsetIdeal(size, 1, epsilon)) <= most;
  return isShort ? permanentKAryLaw(size, epsilon, permanent) : unaryLaw(size, epsilon, permanent);
}
