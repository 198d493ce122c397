/**
 * Which candidates are there: the procedure of Benjamini and Hochberg (1995), which holds the expected share of false ones among those
 * reported, with an estimate of how many candidates are null (null-count.ts). Where no candidate is there at all, a list has a false string
 * with a probability of 5 % to 5.3 % where 5 % was asked for (test/proofs/decode-pieces.test.ts).
 */

import { CUT, nullCount } from './null-count.ts';

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

/** The discoveries at this false discovery rate. */
export function discoveriesOf(pValues: Float64Array, fdr: number): Discoveries {
  const all = pValues.length;
  const sorted = pValues.slice().sort();
  const nulls = nullCount(all, (p) => upTo(sorted, p));
  const least = new Float64Array(all);
  let q = 1;
  for (let i = all - 1; i >= 0; i--) {
    const p = sorted[i] as number;
    if (p <= CUT) q = Math.min(q, (nulls * p) / (i + 1));
    least[i] = q;
  }
  const reported = upTo(least, fdr);
  const qValues = pValues.map((p) => (p > CUT ? 1 : (least[upTo(sorted, p) - 1] as number)));
  return { qValues, reported, threshold: Math.min(CUT, (fdr * reported) / Math.max(1, nulls)) };
}
