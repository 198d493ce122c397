/** What a decode gives. Types only. */

/**
 * `decoded`: as it says. `overloaded`: there are more strong strings than the cells can tell apart. Then few strings are reported, and intervals
 * are wide. `not-enough-data`: not even a string that everybody has would be reported.
 */
export type Outcome = 'decoded' | 'overloaded' | 'not-enough-data';

/** Arrays have one number for each candidate. Shares are of the reports. */
export interface Decoded {
  readonly outcome: Outcome;
  /** 1 for the candidates that are reported. Everything else about a single string is meant for these. */
  readonly reported: Uint8Array;
  /** Unbiased before selection. It may be negative. */
  readonly estimate: Float64Array;
  readonly standardError: Float64Array;
  /** As likely too large as too small, given that the candidate is reported. For others it is the estimate, at least 0. */
  readonly typical: Float64Array;
  /** 95 % interval, given that the candidate is reported. For others it is the plain one. */
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** P(a string that nobody has looks as strong). */
  readonly pValue: Float64Array;
  /** The least false discovery rate at which the candidate is reported; 1 if it is at none, since it is more likely false than true. */
  readonly qValue: Float64Array;
  /** A string of this share is reported with probability 1/2. */
  readonly detectable: number;
  /** The share of the reports that no reported string explains, and its standard error. */
  readonly unexplained: number;
  readonly unexplainedError: number;
  /** The whole distribution: shares of all candidates that are nearest to the truth together. With `other` they add up to 1. */
  readonly distribution: Float64Array;
  readonly other: number;
  /** Which fit was used, and by how much the residuals vary more than coins and sampling explain: 1 if everything is listed. */
  readonly fit: 'direct' | 'linear' | 'score';
  readonly dispersion: number;
}
