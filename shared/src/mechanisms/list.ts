/**
 * Chooser 1 for a list of answers: the least mean variance over answers, and among the laws within 3 % of it the
 * shortest report; here of k-ary response and a bit for each answer, of which long-list.ts makes two or three bytes. Frozen: a
 * better rule gets a new number, for the rule decides what devices send.
 */

import { exp } from '../arithmetic/exponential.ts';
import { halfVariance } from './bits.ts';
import { type KAryLaw, kAryLaw, permanentKAryLaw } from './k-ary.ts';
import { meanVariance, type SubsetLaw, subsetIdeal, subsetLaw } from './subset.ts';
import { type UnaryLaw, unaryLaw } from './unary.ts';

/** How far above the least a variance may be; up to 8 answers all reports have one byte, and none is shorter. */
const near = (size: number): number => (size > 8 ? 1.03 : 1);

/** How many answers a report of the law of a list names, 1 for k-ary response; and the law's mean variance. */
export function listSubset(size: number, epsilon: number): readonly [subset: number, variance: number] {
  const variance = (m: number): number => meanVariance(size, subsetIdeal(size, m, epsilon));
  const below = Math.floor(size / (exp(epsilon) + 1)); // the best real m is d / (e^ε + 1); of none it is no number
  const best = variance(below) <= variance(below + 1) ? below : below + 1;
  const subset = variance(1) <= near(size) * variance(best) ? 1 : best;
  return [subset, variance(subset)];
}

/** The law of a list of `size` answers at ε: k-ary response, which is subset selection of one, or larger subsets. */
export function listLaw(size: number, epsilon: number): KAryLaw | SubsetLaw {
  const [subset] = listSubset(size, epsilon);
  return subset === 1 ? kAryLaw(size, epsilon) : subsetLaw(size, subset, epsilon);
}

/**
 * The law of a permanent list at (ε₁, ε∞): k-ary response or optimized unary encoding, both of which compose exactly, by the
 * same rule at ε₁.
 */
export function permanentListLaw(size: number, epsilon: number, permanent: number): KAryLaw | UnaryLaw {
  const most = near(size) * (halfVariance(epsilon) + 1 / size);
  const isShort = meanVariance(size, subsetIdeal(size, 1, epsilon)) <= most;
  return isShort ? permanentKAryLaw(size, epsilon, permanent) : unaryLaw(size, epsilon, permanent);
}
