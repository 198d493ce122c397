/** The population that estimates describe, and their exact mean and covariance (covariance.ts). */

import type { Matrix } from 'ml-matrix';

/** The true answers of the devices that reported, as counts. */
export interface Population {
  /** In the order of the estimates: by answer of a list, or by candidate. */
  readonly counts: readonly number[];
  /** Strings that are not candidates, with the number of devices that gave each. */
  readonly others: ReadonlyMap<string, number>;
  readonly candidates: readonly string[];
  /** Which candidates are fitted together (string-fit.ts). Default: none, as with few cohorts. */
  readonly fitted?: readonly boolean[];
}

/** The expected estimates and their covariance. */
export interface Moments {
  readonly mean: readonly number[];
  readonly covariance: Matrix;
  /** The rank of the covariance: one less than the number of a list's answers when the estimates sum to 1. */
  readonly rank: number;
}
