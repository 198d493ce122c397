/** Of whom estimates are made, and their exact mean and covariance (covariance.ts). */

import type { Matrix } from 'ml-matrix';

/** True answers of the devices that reported: how many gave each. */
export interface Population {
  /** In the order of the estimates: of a list's answers, or of the candidates. */
  readonly counts: readonly number[];
  /** Strings that are no candidates, and how many devices gave each. */
  readonly others: ReadonlyMap<string, number>;
  readonly candidates: readonly string[];
}

/** What the estimates are on average, and how they vary together. */
export interface Moments {
  readonly mean: readonly number[];
  readonly covariance: Matrix;
  /** How many directions the estimates can vary in: one fewer than a list's answers where its estimates sum to 1. */
  readonly rank: number;
}
