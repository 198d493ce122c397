/**
 * Exact confidence sequences of shares, for counts that are too small for the normal one of looks.ts.
 *
 * Each of n reports supports an answer with probability s(f) = q + (p - q) f, so the count C is binomial. Against s, the likelihood ratio of
 * other probabilities θ, drawn from Beta(s m, (1 - s) m), is
 *   E = B(s m + C, (1 - s) m + n - C) / B(s m, (1 - s) m) / (s^C (1 - s)^(n - C)),
 * a martingale for every n (Robbins 1970, example 2). So all f with E < 1/α form a confidence sequence that is exact from the first report
 * (Howard, Ramdas, McAuliffe and Sekhon 2021, §3.2; Waudby-Smith, Wu and Ramdas 2023, arXiv 2202.08728, for randomized response). θ has the
 * variance s (1 - s) / (m + 1), so r of looks.ts is n / (m + 1): with N reports planned, m + 1 is N / `TUNED`, and for a wider part of the
 * prior less in proportion.
 */

import type { Support } from '@murmuration/shared';
import type { Interval } from '../estimate.ts';
import { type CountAt, moved } from './counts.ts';
import { logSum, PRIOR, TUNED } from './looks.ts';
import { logGamma } from './tails.ts';

const logBeta = (a: number, b: number): number => logGamma(a) + logGamma(b) - logGamma(a + b);

/** x ln y, which is 0 where x is. */
const power = (x: number, y: number): number => (x === 0 ? 0 : x * Math.log(y));

/** ln E of a count against a probability. */
export function countEvidence(count: number, trials: number, chance: number, planned: number): number {
  if (chance <= 0) return count > 0 ? Number.POSITIVE_INFINITY : 0;
  if (chance >= 1) return count < trials ? Number.POSITIVE_INFINITY : 0;
  const likelihood = power(count, chance) + power(trials - count, 1 - chance);
  return logSum(
    PRIOR.map(([weight, wider]) => {
      const size = Math.max(1, planned / (TUNED * wider) - 1);
      const [a, b] = [chance * size, (1 - chance) * size];
      return Math.log(weight) + logBeta(a + count, b + trials - count) - logBeta(a, b) - likelihood;
    }),
  );
}

/**
 * The count's variance from which on normal sequences are used. At 200 a count's skewness is at most 0.07, which changes the probability
 * beyond z = 3 by a third on one side and as much, the other way, on the other.
 */
const ENOUGH = 200;

/** A count of reports that support an answer. */
export interface Supported {
  readonly count: number;
  readonly trials: number;
  readonly support: Support;
}

/** True if a count is too small for a normal sequence. */
export const isSmall = ({ count, trials }: Supported): boolean => count * (1 - count / trials) < ENOUGH;

/** The ends of a confidence sequence, moved outwards to those of the exact one where the count's variance is small. */
export function withExactSequence(
  { low, high }: Interval,
  { count, trials, support: { p, q } }: Supported,
  planned: number,
  level: number,
): Interval {
  const chanceOf = (share: number): number => q + (p - q) * share;
  const at: CountAt = (share) => [{ trials, chance: chanceOf(share) }];
  const holds = (share: number): boolean => countEvidence(count, trials, chanceOf(share), planned) < -Math.log(level);
  return { low: moved(low, 0, at, holds, ENOUGH), high: moved(high, 1, at, holds, ENOUGH) };
}
