/** How the supports of two different answers vary together where all answers are alike: one number where the truth is one of them, one where it is neither. */

import type { Pairs } from './estimation.ts';

/** P(both cells are supported | true answer): when it is one of them, and when it is neither. */
export interface PairChances {
  readonly one: number;
  readonly neither: number;
}

/** Σ_x n_x P(u, v | x) of two different answers. */
export function pairsBy({ one, neither }: PairChances, counts: readonly number[]): Pairs {
  const n = counts.reduce((sum, count) => sum + count, 0);
  return (u, v) => {
    const either = (counts[u] as number) + (counts[v] as number);
    return either * one + (n - either) * neither;
  };
}
