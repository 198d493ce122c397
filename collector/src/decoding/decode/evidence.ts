/**
 * Types of a decode. It reads how often each cell of each cohort was reported, and which cells each candidate sets. It gives estimates of
 * candidates, and those that are found.
 */

/** Sums of the reports. A report of cohort c sets cell j with probability `inside` where its string sets it, and `outside` elsewhere. */
export interface CellCounts {
  /** m, the number of cohorts. */
  readonly cohorts: number;
  /** k, the number of cells of a cohort: at most 65,535. */
  readonly cells: number;
  /** The reports of each cohort: m numbers, of which some may be 0. */
  readonly reports: Float64Array;
  /** The reports of cohort c that set cell j, at c * k + j. */
  readonly counts: Float64Array;
  /** q*, above p*. */
  readonly inside: number;
  /** p*. */
  readonly outside: number;
  /**
   * True if a report sets exactly one cell, as in local hashing. The cells of a cohort then add up to its reports. Centring takes nothing of
   * their noise away, and an estimate has k / (k - 1) times the variance that it has with independent cells. Absent: they are independent.
   */
  readonly isExclusive?: true;
  /** How many people sent the reports. Absent: each sent one. */
  readonly people?: number;
}

/** The cells of each candidate. */
export interface CellMap {
  /** S, the number of candidates. */
  readonly candidates: number;
  /** h, the number of places that a candidate has in a cohort. */
  readonly hashes: number;
  /**
   * The cell of candidate v in cohort c at place i, at (v * m + c) * h + i. Where two places of a cohort hit the same cell, only the first
   * holds it and the others hold k, one past the last cell: sums over places then need no test.
   */
  readonly places: Uint16Array;
}

export interface DecodeInput {
  readonly counts: CellCounts;
  readonly map: CellMap;
  /** The false discovery rate to hold, in (0, 1). */
  readonly fdr: number;
  /** Called after each step of the fits, of which nobody knows how many there will be. */
  readonly onStep?: () => void;
}

/** Estimates with p-values, before anything is selected. Arrays have one number for each candidate. */
export interface Tested extends Pick<Decoded, 'estimate' | 'standardError' | 'pValue' | 'fit' | 'dispersion'> {
  readonly isOverloaded: boolean;
  /** The standard error that the estimate would have if nobody had the candidate. */
  readonly nullError: Float64Array;
  /** For a normal variable, the estimate of each candidate whose p-value it has. */
  readonly leastAt: (normal: number) => (candidate: number) => number;
}

/**
 * `decoded`: as it says. `overloaded`: there are more strong strings than the cells can tell apart. Then few strings are reported, and intervals
 * are wide. `not-enough-data`: not even a string that everybody has would be reported.
 */
export type Outcome = 'decoded' | 'overloaded' | 'not-enough-data';

/** Arrays have one number for each candidate. Shares are of the reports. */
export interface Decoded {
  readonly outcome: Outcome;
  /** 1 for the candidates that are found: told apart from chance. Everything else about a single string is meant for these. */
  readonly isFound: Uint8Array;
  /** Unbiased before selection. It may be negative. */
  readonly estimate: Float64Array;
  readonly standardError: Float64Array;
  /** As likely too large as too small, given that the candidate is found; never 0 (selection.ts). For others it is the estimate, at least 0. */
  readonly typical: Float64Array;
  /** 95 % interval, given that the candidate is found: from one report on. For others it is the plain one. */
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** P(a string that nobody has looks as strong). */
  readonly pValue: Float64Array;
  /** The least false discovery rate at which the candidate is found; 1 if it is at none, since it is more likely false than true. */
  readonly qValue: Float64Array;
  /** A string of this share is found with probability 1/2. */
  readonly detectable: number;
  /** The share of the reports that no found string explains, and its standard error. */
  readonly unexplained: number;
  readonly unexplainedError: number;
  /** The whole distribution: shares of all candidates that are nearest to the truth together. With `other` they add up to 1. */
  readonly distribution: Float64Array;
  readonly other: number;
  /** Which fit was used, and by how much the residuals vary more than coins and sampling explain: 1 if everything is listed. */
  readonly fit: 'direct' | 'linear' | 'score';
  readonly dispersion: number;
}
