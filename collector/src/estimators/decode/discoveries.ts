/**
 * Which candidates are there: the procedure of Benjamini and Hochberg (1995), which holds the expected share of false ones among those
 * reported, with an estimate of how many candidates are null. Null p-values are uniform, so that about (#{p > λ} + 1) / (1 - λ) are null
 * (Storey 2002). Strings that are too rare to be found lie above λ, too, and make that too large, the less so the larger λ is: their z is
 * above 0, and the p-value falls with it. So every λ gives an upper bound, raised by part of its standard error, and the least one is taken.
 *
 * The least of several noisy bounds may be too low. Where no candidate is there at all, a list of 30 to 300 candidates has a false string with
 * a probability of 6 % where 5 % was asked for; from 1,000 candidates on it is 5.4 % and less (test/proofs/decode-pieces.test.ts).
 */

const LAMBDAS = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98] as const;
/** Standard errors by which a bound is raised. */
const CAUTION = 0.3;
/** A candidate with a larger p-value may be counted as null, and is not reported. */
const LARGEST = LAMBDAS[0];

export interface Discoveries {
  /** For each candidate, the least false discovery rate at which it is reported. */
  readonly qValues: Float64Array;
  /** Candidates up to this p-value are reported; 0 if none are. A candidate just below it would still be, whatever else is known. */
  readonly threshold: number;
  readonly reported: number;
}

/** The number of sorted values that are at most x. */
function upTo(sorted: Float64Array, x: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as number) <= x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The estimated number of null candidates, from their sorted p-values. */
function nullsAmong(sorted: Float64Array): number {
  const all = sorted.length;
  return LAMBDAS.reduce((least, lambda) => {
    const above = all - upTo(sorted, lambda) + 1;
    return Math.min(least, (above + CAUTION * Math.sqrt(above)) / (1 - lambda));
  }, all);
}

/** The discoveries at this false discovery rate. */
export function discoveriesOf(pValues: Float64Array, fdr: number): Discoveries {
  const all = pValues.length;
  const sorted = pValues.slice().sort();
  const nulls = nullsAmong(sorted);
  const least = new Float64Array(all);
  let q = 1;
  for (let i = all - 1; i >= 0; i--) {
    const p = sorted[i] as number;
    if (p <= LARGEST) q = Math.min(q, (nulls * p) / (i + 1));
    least[i] = q;
  }
  const reported = upTo(least, fdr);
  const qValues = new Float64Array(all);
  for (let v = 0; v < all; v++) qValues[v] = least[upTo(sorted, pValues[v] as number) - 1] as number;
  return { qValues, reported, threshold: Math.min(LARGEST, (fdr * reported) / Math.max(1, nulls)) };
}
