/** Estimates with p-values, before anything is selected. Types only. */

import type { Decoded } from './decoded.ts';

/** Arrays have one number for each candidate. */
export interface Tested extends Pick<Decoded, 'estimate' | 'standardError' | 'pValue' | 'fit' | 'dispersion'> {
  readonly isOverloaded: boolean;
  /** For a normal variable, the estimate of each candidate whose p-value it has. */
  readonly leastAt: (normal: number) => (candidate: number) => number;
}
