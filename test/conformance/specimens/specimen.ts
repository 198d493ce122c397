/**
 * The parts of a mechanism that the conformance suite needs. Inputs are 0, 1, ..: answers of a list, strings with one Bloom bit each, or
 * the points of a grid over a number's range.
 */

import type { Report } from '@murmuration/shared';
import type { Coins } from '#client/random/coins.ts';
import { bitsRow } from '../../proofs/channel.ts';
import type { Distribution } from '../../proofs/enumerate.ts';
import { rational } from '../../proofs/rational.ts';

/**
 * A specimen. At least one law must have byte strings of a report's length that are not reports, so that the codec has something to refuse.
 */
export interface Specimen<L> {
  /** The production randomizer, with words below T: 2^32 except in proofs. */
  readonly randomize: (law: L, input: number, coins: Coins, T: number) => Uint8Array;
  /** The distribution of the symbols of an input, with words below T. */
  readonly row: (law: L, input: number, T: number) => Distribution;
  /** The second stage, if there is one: on the device, and the reports of a symbol. */
  readonly respond?: (law: L, symbol: Uint8Array, coins: Coins) => Uint8Array;
  readonly again?: (law: L, symbol: Report, T: number) => Distribution;
  /** For a mechanism whose reports are about only some inputs: whether the reports of a cohort are about an input. */
  readonly isAbout?: (law: L, cohort: number, input: number) => boolean;
  /** Set when devices may have an answer in part, as for sets over their limit. */
  readonly inPart?: true;
  /** The bytes of a report, in hexadecimal digits. */
  readonly encode: (law: L, report: Report) => string;
  /** Each threshold of the first stage, with words that lead a device to it, for input 0. */
  readonly thresholds: (law: L) => readonly (readonly [threshold: number, before: readonly number[]])[];
  /** Over 2^32, with few enough reports to enumerate them all. */
  readonly laws: readonly L[];
  /** Over words below T, with few enough strings of words to run them all. */
  readonly small: readonly (readonly [law: L, T: number])[];
  /** Of the size that products use. */
  readonly large: readonly L[];
  /** At any ε, to test the limits. */
  readonly at: (epsilon: number) => L;
  /** With report lengths around multiples of bytes and words, to test the code that reads reports and adds them up. */
  readonly lengths: readonly L[];
}

/** The additional parts for a number's mechanism. */
export interface NumberSpecimen<L> extends Specimen<L> {
  /** The number of steps of the grid. Input i is one of its points: the number i / steps of the range's width, or as `points` says. */
  readonly steps: (law: L) => number;
  /** The positions of the points, from 0 to the range's end, as whole numbers. */
  readonly points?: (law: L) => readonly number[];
  /** For a mechanism that rounds numbers between two points at random: the production randomizer for any number in [0, 1]. */
  readonly between?: (law: L, place: number, coins: Coins, T: number) => Uint8Array;
}

/** Thresholds of independent bits. */
export interface Stages {
  readonly one: number;
  readonly zero: number;
}

/** The row of a set of one-bits, given such thresholds. */
export const bits = (count: number, { one, zero }: Stages, T: number, set: readonly number[]): Distribution =>
  bitsRow(count, rational(one, T), rational(zero, T), set);
