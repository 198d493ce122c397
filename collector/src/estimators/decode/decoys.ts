/**
 * Decoys: strings that nobody has, with random places, fitted along with the candidates. Where a fit is overloaded its p-values can't be
 * trusted, and the decoys show what null candidates look like in this very fit (Barber and Candès 2015 for the count).
 */

import type { CellCounts } from './evidence.ts';
import { beginning, type Fit, type FitOptions, messagePassing } from './message-passing.ts';
import { type Problem, problemAt } from './problem.ts';

const [FEWEST, MOST] = [500, 20_000];

/** A sequence of 32-bit words that is the same in every run (Marsaglia 2003). */
function words(): () => number {
  let state = 2_463_534_242;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}

export interface Decoyed {
  readonly problem: Problem;
  readonly fit: Fit;
  /** The least z at which at most this share of the candidates are false, as the decoys have it; infinite if there is none. */
  readonly threshold: number;
  /** The root mean square of the decoys' z, at least 1. */
  readonly spread: number;
}

/** Fits candidates and decoys together. The candidates come first. */
export function withDecoys(
  counts: CellCounts,
  { places, observed }: Problem,
  shareAt: (cell: number) => number,
  fdr: number,
  options: FitOptions,
): Decoyed {
  const { candidates, cohorts, hashes, width } = places;
  const decoys = Math.max(FEWEST, Math.min(candidates, MOST));
  const row = cohorts * hashes;
  const both = new Uint16Array((candidates + decoys) * row);
  both.set(places.places.subarray(0, candidates * row));
  const [word, cells] = [words(), width - 1];
  for (let start = candidates * row; start < both.length; start += hashes) {
    for (let h = 0; h < hashes; h++) {
      const cell = Math.floor((word() / 2 ** 32) * cells);
      both[start + h] = both.subarray(start, start + h).includes(cell) ? cells : cell;
    }
  }
  const problem = problemAt(counts, { ...places, candidates: candidates + decoys, places: both }, observed, shareAt);
  const fit = messagePassing(problem, beginning(problem), options);
  const [own, fake] = [fit.z.slice(0, candidates).sort(), fit.z.slice(candidates).sort()];
  let [threshold, at] = [Number.POSITIVE_INFINITY, decoys];
  for (let i = candidates - 1; i >= 0; i--) {
    const z = own[i] as number;
    while (at > 0 && (fake[at - 1] as number) >= z) at--;
    if (((decoys - at + 0.5) * candidates) / decoys / (candidates - i) <= fdr) threshold = z;
  }
  const squares = fake.reduce((sum, z) => sum + z * z, 0);
  return { problem, fit, threshold, spread: Math.max(1, Math.sqrt(squares / decoys)) };
}
