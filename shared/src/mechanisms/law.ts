/**
 * Types and checks that every mechanism's law shares. A law is integers: a threshold t stands for a coin of probability t / 2^32. Words are
 * uniform in [0, 2^32), so P(word < t) = t / 2^32 exactly, and ε is the logarithm of a ratio of integers.
 */

import { exp } from '../arithmetic/exponential.ts';
import type { Ratio } from '../arithmetic/ratio.ts';

/** The number of values that a random word can take. Proofs use a smaller one; devices never do. */
export const MODULUS: number = 2 ** 32;

/** A decoded report, as it is added to a tally. */
export interface Report {
  /** The cohort; 0 if the law has no cohorts. */
  readonly cohort: number;
  /** The cells that the report supports, ascending. Each is counted once. */
  readonly cells: readonly number[];
}

/**
 * The shape of a tally, and of the reports that it adds up. A tally holds a count of reports and a vector of cell counts for each cohort.
 */
export interface TallyShape {
  readonly cohorts: number;
  readonly cells: number;
  /** Content of a report: the index of the one cell that it supports, or one bit for each cell. */
  readonly form: 'symbol' | 'bits';
  /** For `bits`: the exact number of ones. Any number is allowed if omitted. */
  readonly ones?: number;
  /** For `bits`, by cohort: exactly `ones` ones, all among the first `cells`. All cohorts are alike if omitted. */
  readonly limits?: readonly { readonly cells: number; readonly ones: number }[];
  /**
   * For `symbol`: the cells are this many runs of equal length, and a device draws the run uniformly, whatever its value, as it draws the
   * cohort; 1 if omitted. The hash function of local hashing is such a run.
   */
  readonly runs?: number;
}

/**
 * The number of values of a report's public part: what a device draws uniformly and independently of its value. A permanent metric keeps it
 * for an epoch, so reports of different days that share it may be of one device. ε does not bound that.
 */
export const publicParts = ({ cohorts, runs = 1 }: TallyShape): number => cohorts * runs;

/** e^ε as ratios of integers: for one report and, if the metric is permanent, for an epoch's whole history. */
export interface Odds {
  readonly report: Ratio;
  readonly permanent?: Ratio;
}

/**
 * p = P(a report supports an answer | it is the true answer) and q = P(a report supports an answer | another answer is true), over cohorts
 * and coins. Wang et al. 2017, "Locally Differentially Private Protocols for Frequency Estimation", §3.1, calls such protocols pure. Both
 * are the same for every answer; a mechanism in which answers differ tells `inputs`.
 */
export interface Support {
  readonly p: number;
  readonly q: number;
}

/**
 * Quantity estimated from a mechanism's reports: shares of answers or strings, the mean of a number, its distribution, or the shares of
 * inputs, or the shares of strings that are found by their prefixes.
 * A law of `shares` with a member `size` is one of a list, without it one of strings. `inputs` takes any matrix.
 */
export type Estimand = 'shares' | 'mean' | 'distribution' | 'inputs' | 'prefixes';

/** A mechanism as the collector and the audit need it. A device imports only the functions that it calls. */
export interface Channel<L, T extends Estimand = Estimand> {
  /** The name in the mechanism's laws and in the table of mechanisms. */
  readonly name: L extends { readonly mechanism: infer M } ? M : string;
  readonly tells: T;
  /** One sentence on what a device does, for people who have not read the papers. */
  readonly meaning: string;
  /** Throws a RangeError unless the integers form a valid law. */
  readonly validate: (law: L) => void;
  readonly odds: (law: L) => Odds;
  readonly shape: (law: L) => TallyShape;
  readonly reportBytes: (law: L) => number;
  /** Throws a RangeError unless the bytes are a report in canonical form. */
  readonly decode: (law: L, bytes: Uint8Array) => Report;
}

/** A mechanism whose reports support answers or strings. Their shares are estimated. */
export interface Mechanism<L> extends Channel<L, 'shares'> {
  /** The cells of a cohort that support an answer, ascending. If omitted, only the answer's own cell does. */
  readonly supporting?: (law: L, cohort: number, answer: number) => readonly number[];
  /** p and q of one report; with `permanent`, those of the stored symbol before the instantaneous stage. */
  readonly support: (law: L, stage?: 'permanent') => Support;
}

/** A mechanism whose reports estimate the distribution of numbers, in cells. */
export interface DistributionChannel<L> extends Channel<L, 'distribution'> {
  /** The number of cells into which a law divides the range. */
  readonly cells: (law: L) => number;
}

/** A mechanism whose reports describe all inputs together, by any matrix. */
export interface InputsChannel<L> extends Channel<L, 'inputs'> {
  /** The number of inputs of a law. */
  readonly inputs: (law: L) => number;
}

/** A mechanism whose reports are about prefixes of strings, one length for each cohort. A prefix is hashed to one of so many places. */
export interface PrefixChannel<L> extends Channel<L, 'prefixes'> {
  /** The number of places of a cohort. */
  readonly places: (law: L) => number;
  /** The cells of a cohort that support a place, ascending. */
  readonly supporting: (law: L, place: number) => readonly number[];
  /** p and q of a place, over the coins of one report. */
  readonly support: (law: L) => Support;
}

/** Throws a RangeError if 32 bits can't represent the requested ε to within 10 %. Infinite odds (a threshold of 0) never pass. */
export function assertHeld(odds: number, epsilon: number, what: string): void {
  if (!(Number.isFinite(odds) && odds >= exp(0.9 * epsilon))) {
    throw new RangeError(`${what}: expected an epsilon that 32 bits represent, got ${epsilon}`);
  }
}

/** Throws a RangeError unless the value is a whole number from `low` to `high`. */
export function assertWhole(value: unknown, low: number, high: number, what: string): void {
  if (!(Number.isInteger(value) && (value as number) >= low && (value as number) <= high)) {
    throw new RangeError(`${what}: expected a whole number from ${low} to ${high}, got ${JSON.stringify(value)}`);
  }
}
