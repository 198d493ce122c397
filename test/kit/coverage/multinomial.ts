/**
 * Counts of independent draws, drawn themselves instead of each draw: the tally of any number of devices costs no more than that of
 * a thousand. Exact up to the rounding of doubles: a uniform of 53 bits is turned into a binomial count by its probabilities, from the
 * likeliest count outwards, and a multinomial one is binomial cell by cell, given the cells before it. The logarithm of the likeliest
 * count's probability is off by at most 1e-8 up to a million trials, and all other probabilities by the same factor.
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

/** Up to so many trials, the probabilities of all counts are kept. */
const FEW = 256;

/** Draws counts of successes with one probability, many of them of few trials, as the bits of many cohorts are. */
export function binomialsOf(chance: number, uniform: () => number): (trials: number) => number {
  const kept: Float64Array[] = []; // by trials, P(at most so many succeed)
  const upTo = (trials: number): Float64Array => {
    const found = new Float64Array(trials + 1);
    let [term, sum] = [(1 - chance) ** trials, 0];
    for (let k = 0; k <= trials; k++) {
      found[k] = sum += term;
      term *= ((trials - k) / (k + 1)) * (chance / (1 - chance));
    }
    return found;
  };
  return (trials) => {
    if (trials === 0) return 0;
    if (trials > FEW || chance <= 0 || chance > 0.9) return binomialAt(trials, chance, uniform());
    kept[trials] ??= upTo(trials);
    const chances = kept[trials] as Float64Array;
    const drawn = uniform();
    let count = 0;
    while (count < trials && drawn >= (chances[count] as number)) count++;
    return count;
  };
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
