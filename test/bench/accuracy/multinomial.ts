/**
 * Counts of independent draws, drawn themselves instead of each draw: the tally of any number of devices costs no more than that of
 * a thousand. Exact but for the rounding of doubles: a uniform of 53 bits is turned into a binomial count by its probabilities, from the
 * likeliest count outwards, and a multinomial one is binomial cell by cell, given the cells before it.
 */

import { logGamma } from '../../proofs/statistics.ts';

/** Of `trials` with probability `chance` each, how many succeed; `uniform` lies in [0, 1). */
export function binomialAt(trials: number, chance: number, uniform: number): number {
  if (trials === 0 || chance <= 0) return 0;
  if (chance >= 1) return trials;
  const mode = Math.min(trials, Math.floor((trials + 1) * chance));
  const ways = logGamma(trials + 1) - logGamma(mode + 1) - logGamma(trials - mode + 1);
  const odds = chance / (1 - chance);
  let above = Math.exp(ways + mode * Math.log(chance) + (trials - mode) * Math.log1p(-chance));
  let [below, low, high, left] = [above, mode, mode, uniform - above];
  while (left >= 0 && (low > 0 || high < trials)) {
    if (high < trials) {
      above *= ((trials - high) / (high + 1)) * odds;
      high++;
      left -= above;
      if (left < 0) return high;
    }
    if (low > 0) {
      below *= low / (trials - low + 1) / odds;
      low--;
      left -= below;
      if (left < 0) return low;
    }
    // What is left is the rounding of the sum.
    if (above + below < 1e-18) break;
  }
  return mode;
}

/** So many draws over cells with these probabilities. */
export function multinomialOf(trials: number, chances: readonly number[], uniform: () => number): number[] {
  let [left, rest] = [trials, 1];
  return chances.map((chance, cell) => {
    const count = cell === chances.length - 1 ? left : binomialAt(left, Math.min(1, chance / rest), uniform());
    left -= count;
    rest -= chance;
    return count;
  });
}
