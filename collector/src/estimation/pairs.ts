/**
 * How the supports of two different answers vary together when all answers are alike: one probability when the truth is one of them,
 * another when it is neither.
 */

import type { Pairs } from './estimation.ts';

/** P(both cells are supported | true answer): when the true answer is one of them, and when it is neither. */
export interface PairChances {
  readonly one: number;
  readonly neither: number;
}

/** Σ_x n_x P(u, v | x) for two different answers. */
export function pairsBy({ one, neither }: PairChances, counts: readonly number[]): Pairs {
  const n = counts.reduce((sum, count) => sum + count, 0);
  return (u, v) => {
    const either = (counts[u] as number) + (counts[v] as number);
    return either * one + (n - either) * neither;
  };
}
