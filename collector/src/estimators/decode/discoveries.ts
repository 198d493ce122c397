/**
 * Which candidates are there: the procedure of Benjamini and Hochberg (1995), which holds the expected share of false ones among those
 * reported, with an estimate of how many candidates are null. Null p-values are uniform and others hardly ever above λ, so there are about
 * (#{p > λ} + 1) / (1 - λ) null ones (Storey 2002). One λ makes a noisy estimate of short lists; this is the mean over several (Jiang and
 * Doerge 2008).
 */

const LAMBDAS = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];

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
  const sum = LAMBDAS.reduce((total, lambda) => total + (all - upTo(sorted, lambda) + 1) / (1 - lambda), 0);
  return Math.min(all, sum / LAMBDAS.length);
}

/** The discoveries at this false discovery rate. */
export function discoveriesOf(pValues: Float64Array, fdr: number): Discoveries {
  const all = pValues.length;
  const sorted = pValues.slice().sort();
  const nulls = nullsAmong(sorted);
  const least = new Float64Array(all);
  let q = 1;
  for (let i = all - 1; i >= 0; i--) {
    q = Math.min(q, (nulls * (sorted[i] as number)) / (i + 1));
    least[i] = q;
  }
  const reported = upTo(least, fdr);
  const qValues = new Float64Array(all);
  for (let v = 0; v < all; v++) qValues[v] = least[upTo(sorted, pValues[v] as number) - 1] as number;
  return { qValues, reported, threshold: (fdr * reported) / Math.max(1, nulls) };
}
