/** What a decoder reads: how often each cell of each cohort was reported, and which cells each candidate sets. Types only. */

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
   * Whether a report sets exactly one cell, as in local hashing. The cells of a cohort then add up to its reports. Centring takes nothing of
   * their noise away, and an estimate has k / (k - 1) times the variance that it has with independent cells. Absent: they are independent.
   */
  readonly isExclusive?: true;
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
