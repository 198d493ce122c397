/**
 * What the conformance suite asks of a mechanism. Inputs are 0, 1, ..: answers of a list, strings with one Bloom bit each,
 * or the points of a grid over a number's range.
 */

import type { Report } from '@murmuration/shared';
import type { Coins } from '#client/random/coins.ts';
import { bitsRow } from '../../proofs/channel.ts';
import type { Distribution } from '../../proofs/enumerate.ts';
import { rational } from '../../proofs/rational.ts';

/** What the suite needs of a mechanism. Some law has bytes of a report's length that are none, for the codec to refuse. */
export interface Specimen<L> {
  /** The shipped randomizer, its words below T: 2^32 but in proofs. */
  readonly randomize: (law: L, input: number, coins: Coins, T: number) => Uint8Array;
  /** The symbols of an input, with words below T. */
  readonly row: (law: L, input: number, T: number) => Distribution;
  /** The second stage, where there is one: on the device, and the reports of a symbol. */
  readonly respond?: (law: L, symbol: Uint8Array, coins: Coins) => Uint8Array;
  readonly again?: (law: L, symbol: Report, T: number) => Distribution;
  /** Of a mechanism whose reports are about some inputs alone: whether those of a cohort are about an input. */
  readonly isAbout?: (law: L, cohort: number, input: number) => boolean;
  /** Whether devices may have an answer in part, as of sets over their limit. */
  readonly inPart?: true;
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
  /** At any ε, for the ends of what there is. */
  readonly at: (epsilon: number) => L;
  /** Of reports whose lengths are around bytes and words, for what reads and adds them up. */
  readonly lengths: readonly L[];
}

/** What the suite needs of a number's mechanism besides. */
export interface NumberSpecimen<L> extends Specimen<L> {
  /** How many steps the grid has. Input i is one of its points: the number i / steps of the range's width, or as `points` says. */
  readonly steps: (law: L) => number;
  /** Where the points are, from 0 to the range's end, as whole numbers. */
  readonly points?: (law: L) => readonly number[];
  /** Of a mechanism that rounds numbers between two points at random: the shipped randomizer of any number in [0, 1]. */
  readonly between?: (law: L, place: number, coins: Coins, T: number) => Uint8Array;
}

/** Thresholds of independent bits. */
export interface Stages {
  readonly one: number;
  readonly zero: number;
}

/** The row of a set of one-bits through such thresholds. */
export const bits = (count: number, { one, zero }: Stages, T: number, set: readonly number[]): Distribution =>
  bitsRow(count, rational(one, T), rational(zero, T), set);
