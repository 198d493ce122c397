/** Measurements with their mechanisms, before and after they are made: the error to expect, and the answer. */

import type { Random } from '../mechanisms/random.ts';
import type { ReportCount } from '../table/participation.ts';
import type { Measure } from './question.ts';

/** The confidence of stated bounds is one less this. */
export const BETA = 0.05;

/** The error of a measurement, known before it is made. */
export interface ExpectedError {
  readonly mechanism: string;
  /** The most reports of one device-day in the table, or what they can change the number by. */
  readonly sensitivity: number;
  /** Of each number. A choice has none. */
  readonly standardDeviation?: number;
  /**
   * With a probability of 95 %: the most by which a number is off; the most reports that the value chosen has fewer than the best; or the
   * most reports by which the median's rank is off. Of a share, for as many reports as are expected; of an association, from the mean over
   * the blocks.
   */
  readonly within: number;
  /** With a probability of 95 %, the most by which any of the numbers is off, where there are several. */
  readonly allWithin?: number;
  /** Of sums over ranges of days: the root of the mean variance over all ranges, and the standard error of the worst range. */
  readonly ranges?: { readonly mean: number; readonly worst: number };
  /**
   * Of an association: the blocks, how many of the expected reports are in each, and a bound on what columns that are not related would show
   * in the mean over such blocks.
   */
  readonly blocks?: { readonly count: number; readonly reports: number; readonly unrelated: number };
}

/** A number of a cell, with the values that the cell stands for. */
export interface Cell {
  readonly values: { readonly [column: string]: string };
  readonly value: number;
  /** Of a day. */
  readonly standardError?: number;
  /** Of a share: it lies between these with a probability of at least 95 %. */
  readonly low?: number;
  readonly high?: number;
}

/** What the error of a sum over a range of days follows from: the tree of noisy sums, and the variance of each (mechanisms/ranges.ts). */
interface DaysDesign {
  readonly branches: number;
  /** 1 for a histogram. */
  readonly levels: number;
  readonly variance: number;
}

/** What a synthetic table is, besides its cells. */
interface SyntheticTable {
  readonly mechanism: string;
  /** The released number of reports. The cells sum to it, up to rounding. */
  readonly total: number;
  /** With a probability of 95 %, the most by which any marginal of up to two columns is off, as it was measured. */
  readonly within: number;
}

/** The answer to a measurement: numbers, or the value that was chosen. */
export interface Measured {
  /** The value of the partition's column. */
  readonly part?: string;
  readonly measure: Measure;
  readonly error: ExpectedError;
  readonly cells?: readonly Cell[];
  readonly chosen?: string;
  /** Of `days`. */
  readonly design?: DaysDesign;
  /** Of `synthetic`. */
  readonly table?: SyntheticTable;
}

/** A measurement with its mechanism. It holds no rows. */
export interface Prepared {
  readonly part?: string;
  readonly measure: Measure;
  readonly error: ExpectedError;
  readonly answer: (rows: readonly ReportCount[], random: Random) => Omit<Measured, 'part' | 'measure' | 'error'>;
}
