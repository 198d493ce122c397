/**
 * Chooser 1 for a list of answers: the law with the shortest report among those within 3 % of the least mean variance over answers. This
 * file chooses between k-ary response and one bit per answer; long-list.ts replaces the bits with reports of two or three bytes. The rule
 * is frozen because it decides what devices send: a better rule gets a new number.
 */

import { exp } from '../arithmetic/exponential.ts';
import { halfVariance } from './bits.ts';
import { type KAryLaw, kAryLaw, permanentKAryLaw } from './k-ary.ts';
import { meanVariance, type SubsetLaw, subsetIdeal, subsetLaw } from './subset.ts';
import { type UnaryLaw, unaryLaw } from './unary.ts';

/** The allowed ratio to the least variance. Up to 8 answers every report is one byte, so no law has a shorter one. */
const near = (size: number): number => (size > 8 ? 1.03 : 1);

/** The number of answers that a report of the list's law names (1 for k-ary response), and the law's mean variance. */
export function listSubset(size: number, epsilon: number): readonly [subset: number, variance: number] {
  const variance = (m: number): number => meanVariance(size, subsetIdeal(size, m, epsilon));
  const below = Math.floor(size / (exp(epsilon) + 1)); // the best real m is d / (e^ε + 1); variance(0) is NaN and never wins
  const best = variance(below) <= variance(below + 1) ? below : below + 1;
  const subset = variance(1) <= near(size) * variance(best) ? 1 : best;
  return [subset, variance(subset)];
}

/** The law of a list of `size` answers at ε: k-ary response, which is subset selection with m = 1, or larger subsets. */
export function listLaw(size: number, epsilon: number): KAryLaw | SubsetLaw {
  const [subset] = listSubset(size, epsilon);
  return subset === 1 ? kAryLaw(size, epsilon) : subsetLaw(size, subset, epsilon);
}

/**
 * The law of a permanent list at (ε₁, ε∞): k-ary response or optimized unary encoding, chosen by the same rule at ε₁. Both compose exactly.
 */
export function permanentListLaw(size: number, epsilon: number, permanent: number): KAryLaw | UnaryLaw {
  const most = near(size) * (halfVariance(epsilon) + 1 / size);
  const isShort = meanVariance(size, subsetIdeal(size, 1, epsilon)) <= most;
  return isShort ? permanentKAryLaw(size, epsilon, permanent) : unaryLaw(size, epsilon, permanent);
}
