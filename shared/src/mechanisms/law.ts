/**
 * What every mechanism's law has in common. A law is integers: thresholds t that mean coins of probability t / 2^32.
 * Words are uniform in [0, 2^32), so P(word < t) = t / 2^32 exactly, and ε is the logarithm of a ratio of integers.
 */

import { exp } from '../arithmetic/exponential.ts';
import type { Ratio } from '../arithmetic/ratio.ts';

/** The number of values of a random word. Proofs lower it; devices never do. */
export const MODULUS: number = 2 ** 32;

/** A report as its tally sees it. */
export interface Report {
  /** The cohort, 0 where the law has none. */
  readonly cohort: number;
  /** The cells it supports, ascending: each is counted once. */
  readonly cells: readonly number[];
}

/** The shape of a tally, for each cohort a count of reports and a vector of cell counts; and of the reports that it adds up. */
export interface TallyShape {
  readonly cohorts: number;
  readonly cells: number;
  /** What a report says of its cohort's cells: the index of the one that it supports, or a bit for each. */
  readonly form: 'symbol' | 'bits';
  /** Of bits: exactly so many are ones. Any number of them where left out. */
  readonly weight?: number;
  /** Of bits, by cohort: the ones are among the first `cells`, and exactly `weight`. The same for all where left out. */
  readonly limits?: readonly { readonly cells: number; readonly weight: number }[];
}

/** e^ε as ratios of integers: of one report, and of an epoch's whole history where the metric is permanent. */
export interface Odds {
  readonly report: Ratio;
  readonly permanent?: Ratio;
}

/**
 * P(a report supports an answer | it is the true one) and P(it does | another is), over cohorts and coins: Wang et al. 2017, "Locally
 * Differentially Private Protocols for Frequency Estimation", §3.1, where such protocols are called pure. Both are the same for every answer; a
 * mechanism in which answers differ tells `inputs`.
 */
export interface Support {
  readonly p: number;
  readonly q: number;
}

/**
 * What a mechanism's reports tell: shares of answers or strings, the mean of a number, its distribution, or the shares of inputs.
 * A law of `shares` with a member `size` is one of a list, without it one of strings. `inputs` takes any matrix.
 */
export type Told = 'shares' | 'mean' | 'distribution' | 'inputs';

/** What the collector and the audit need of a mechanism; the device imports only the functions that it calls. */
export interface Channel<L, T extends Told = Told> {
  /** By which its laws name it, and by which it is found in the table. */
  readonly name: L extends { readonly mechanism: infer M } ? M : string;
  readonly tells: T;
  /** What a device does, in a sentence for people who did not read the papers. */
  readonly meaning: string;
  /** Throws a RangeError unless the integers are a law. */
  readonly validate: (law: L) => void;
  readonly odds: (law: L) => Odds;
  readonly shape: (law: L) => TallyShape;
  readonly reportBytes: (law: L) => number;
  /** Throws a RangeError unless the bytes are a report in canonical form. */
  readonly decode: (law: L, bytes: Uint8Array) => Report;
}

/** A mechanism whose reports support answers or strings, so that their shares are estimated. */
export interface Mechanism<L> extends Channel<L, 'shares'> {
  /** The cells of a cohort that support an answer, ascending; its own cell alone where left out. */
  readonly supporting?: (law: L, cohort: number, answer: number) => readonly number[];
  /** Of one report; with `permanent`, of the stored symbol before the instantaneous stage. */
  readonly support: (law: L, stage?: 'permanent') => Support;
}

/** A mechanism whose reports tell the distribution of numbers, in cells. */
export interface DistributionChannel<L> extends Channel<L, 'distribution'> {
  /** Into how many cells a law parts the range. */
  readonly cells: (law: L) => number;
}

/** ε was asked for that 32 bits can't hold to within 10 %. Infinite odds (a threshold of 0) hold none. */
export function assertHeld(odds: number, epsilon: number, what: string): void {
  if (!(Number.isFinite(odds) && odds >= exp(0.9 * epsilon))) {
    throw new RangeError(`${what}: expected an epsilon that 32 bits hold to within 10 %, got ${epsilon}`);
  }
}

/** Throws unless `low <= value <= high`, whole. */
export function assertWhole(value: unknown, low: number, high: number, what: string): void {
  if (!(Number.isInteger(value) && (value as number) >= low && (value as number) <= high)) {
    throw new RangeError(`${what}: expected a whole number from ${low} to ${high}, got ${JSON.stringify(value)}`);
  }
}
