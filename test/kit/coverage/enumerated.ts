/**
 * How often intervals of lists hold the share, with nothing left to chance: a count's law is known, a binomial one where
 * people are drawn, the sum of two where they are these very people, and the intervals move with the count.
 */

import type { Support } from '@murmuration/shared';
import type { Among, Estimate } from '#collector/estimation/estimate.ts';
import { pureEstimates } from '#collector/estimation/pure.ts';
import { logGamma } from '../../proofs/statistics.ts';

/** Further than so many standard deviations from its mean a count is left out: a mass below 1e-15. */
const FAR = 8.5;

/** Probabilities of counts, from `from` on. */
export interface Chances {
  readonly from: number;
  readonly chances: Float64Array;
}

/** The binomial distribution. */
export function binomial(trials: number, chance: number): Chances {
  const [mean, reach] = [trials * chance, FAR * Math.sqrt(trials * chance * (1 - chance)) + 40];
  const from = Math.max(0, Math.floor(mean - reach));
  const to = Math.min(trials, Math.ceil(mean + reach));
  const log = (k: number): number => {
    if (chance === 0 || chance === 1) return k === trials * chance ? 0 : Number.NEGATIVE_INFINITY;
    const ways = logGamma(trials + 1) - logGamma(k + 1) - logGamma(trials - k + 1);
    return ways + k * Math.log(chance) + (trials - k) * Math.log1p(-chance);
  };
  return { from, chances: Float64Array.from({ length: to - from + 1 }, (_, i) => Math.exp(log(from + i))) };
}

/** P(low <= count <= high). */
function between({ from, chances }: Chances, low: number, high: number): number {
  let sum = 0;
  for (let k = Math.max(from, low); k <= Math.min(high, from + chances.length - 1); k++) sum += chances[k - from] as number;
  return sum;
}

/** The least count from 0 to `most` for which something holds that holds for all greater ones; `most` + 1 where none does. */
function firstCount(most: number, holds: (count: number) => boolean): number {
  let [low, high] = [0, most + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return high;
}

/**
 * The probability that an interval holds a share.
 *
 * @param among whose share the interval is about
 * @param truth whose share is held: of drawn people, or of these very people, of whom so many have the answer
 */
export function enumeratedCoverage(support: Support, reports: number, share: number, among: Among, truth: Among = among): number {
  const { p, q } = support;
  const people = among === 'population' ? reports : undefined;
  const rowAt = (count: number): Estimate =>
    pureEstimates({ reports, cells: Float64Array.of(count) }, support, support, 1, people)[0] as Estimate;
  const low = firstCount(reports, (count) => rowAt(count).high >= share);
  const high = firstCount(reports, (count) => rowAt(count).low > share) - 1;
  if (truth === 'population') return between(binomial(reports, q + (p - q) * share), low, high);
  const having = Math.round(reports * share);
  const [own, others] = [binomial(having, p), binomial(reports - having, q)];
  const upTo = new Float64Array(others.chances.length + 1); // running sums
  others.chances.forEach((chance, i) => {
    upTo[i + 1] = (upTo[i] as number) + chance;
  });
  const below = (count: number): number => upTo[Math.min(others.chances.length, Math.max(0, count - others.from))] as number;
  return own.chances.reduce((sum, chance, i) => sum + chance * (below(high - own.from - i + 1) - below(low - own.from - i)), 0);
}
