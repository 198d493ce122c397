/** What the conformance suite asks of a mechanism. Inputs are 0, 1, ..: answers of a list, or strings with one Bloom bit each. */

import type { Report } from '@murmuration/shared';
import type { Coins } from '../../../client/src/random/coins.ts';
import { bitsRow } from '../../proofs/channel.ts';
import type { Distribution } from '../../proofs/enumerate.ts';
import { rational } from '../../proofs/rational.ts';

/** What the suite needs of a mechanism. */
export interface Specimen<L> {
  readonly randomize: (law: L, input: number, coins: Coins) => Uint8Array;
  /** The symbols of an input, with words below T. */
  readonly row: (law: L, input: number, T: number) => Distribution;
  /** The second stage, where there is one: on the device, and the reports of a symbol. */
  readonly respond?: (law: L, symbol: Uint8Array, coins: Coins) => Uint8Array;
  readonly again?: (law: L, symbol: Report, T: number) => Distribution;
  /** The bytes of a report, in hexadecimal digits. */
  readonly encode: (law: L, report: Report) => string;
  /** Each threshold of the first stage, with words that bring a device to it; input 0. */
  readonly thresholds: (law: L) => readonly (readonly [threshold: number, before: readonly number[]])[];
  /** Over 2^32, few enough reports to write them all down. */
  readonly laws: readonly L[];
  /** Over words below T, few enough strings of words to run them all. */
  readonly small: readonly (readonly [law: L, T: number])[];
  /** Of the size that products ask for. */
  readonly large: readonly L[];
}

/** Thresholds of independent bits. */
export interface Stages {
  readonly one: number;
  readonly zero: number;
}

/** The row of a set of one-bits through such thresholds. */
export const bits = (count: number, { one, zero }: Stages, T: number, set: readonly number[]): Distribution =>
  bitsRow(count, rational(one, T), rational(zero, T), set);
