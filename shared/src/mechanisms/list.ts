/**
 * Chooser 1 for a list of answers: the least mean variance over answers, and among the laws within 3 % of it the
 * shortest report. Frozen: a better rule gets a new number, for the rule decides what devices send.
 */

import { exp } from '../arithmetic/exponential.ts';
import { bitBytes } from '../encoding/bits.ts';
import { bytesFor } from '../encoding/bytes.ts';
import { type KAryLaw, kAryIdeal, kAryLaw, meanVariance } from './k-ary.ts';
import { type SubsetLaw, subsetIdeal, subsetLaw } from './subset.ts';

const NEAR = 1.03;

/** The law of a list of `size` answers at ε: k-ary response or subset selection. */
export function listLaw(size: number, epsilon: number): KAryLaw | SubsetLaw {
  const near = Math.floor(size / (exp(epsilon) + 1)); // the best real m is d / (e^ε + 1)
  const sets = [near, near + 1]
    .filter((m) => m >= 2 && m < size)
    .map((m) => ({
      variance: meanVariance(size, subsetIdeal(size, m, epsilon)),
      bytes: bitBytes(size),
      law: (): KAryLaw | SubsetLaw => subsetLaw(size, m, epsilon),
    }));
  const symbol = {
    variance: meanVariance(size, kAryIdeal(size, epsilon)),
    bytes: bytesFor(size - 1),
    law: (): KAryLaw | SubsetLaw => kAryLaw(size, epsilon),
  };
  const byVariance = [symbol, ...sets].sort((a, b) => a.variance - b.variance);
  const least = byVariance[0] ?? symbol;
  const [best = least] = byVariance
    .filter(({ variance }) => variance <= NEAR * least.variance)
    .sort((a, b) => a.bytes - b.bytes);
  return best.law();
}
