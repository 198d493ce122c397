/**
 * Tallies of several cohorts as bytes: their number, their cohorts ascending, each as the difference from the one before, the reports of
 * each, the length of the cells of each, and the cells of each as `cell-codec.ts` encodes them. Numbers are in base 128.
 */

import { lengthOf, Numbers, put } from '../tallying/cell-codec.ts';
import type { PackedTallies } from '../tallying/tally-sums.ts';

/** A tally with its cells encoded. */
export interface EncodedTally {
  readonly reports: number;
  readonly cells: Uint8Array;
}

/** Encoded tallies by cohort. */
export type EncodedTallies = ReadonlyMap<number, EncodedTally>;

/** Cohorts of one row of the tables, so that a fold does not write all 65,536 of a metric anew for each one that has grown. */
export const BLOCK = 64;

function numbersOf(values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(values.reduce((sum, value) => sum + lengthOf(value), 0));
  let at = 0;
  for (const value of values) at = put(bytes, at, value);
  return bytes;
}

/** Packs tallies. */
export function packTallies(tallies: EncodedTallies): Uint8Array {
  const all = [...tallies].sort(([a], [b]) => a - b);
  const gaps = all.map(([cohort], i) => cohort - (all[i - 1]?.[0] ?? 0));
  const numbers = [all.length, ...gaps, ...all.map(([, { reports }]) => reports), ...all.map(([, { cells }]) => cells.length)];
  return Buffer.concat([numbersOf(numbers), ...all.map(([, { cells }]) => cells)]);
}

/** What `packTallies` packed, without copying the cells. @throws {RangeError} when it is something else */
export function unpackTallies(bytes: Uint8Array): PackedTallies {
  const numbers = new Numbers(bytes, 0);
  const count = numbers.next();
  const cohorts = new Float64Array(count);
  const reports = new Float64Array(count);
  const lengths = new Uint32Array(count);
  let cohort = 0;
  for (let i = 0; i < count; i++) {
    cohort += numbers.next();
    cohorts[i] = cohort;
  }
  for (let i = 0; i < count; i++) reports[i] = numbers.next();
  let length = 0;
  for (let i = 0; i < count; i++) {
    lengths[i] = numbers.next();
    length += lengths[i] as number;
  }
  if (numbers.at + length !== bytes.length) throw new RangeError(`expected ${numbers.at + length} bytes of tallies, got ${bytes.length}`);
  return { cohorts, reports, lengths, cells: bytes.subarray(numbers.at) };
}

/** Packed tallies by cohort, their cells still encoded. */
export function encodedTallies({ cohorts, reports, lengths, cells }: PackedTallies): Map<number, EncodedTally> {
  const tallies = new Map<number, EncodedTally>();
  for (let [i, at] = [0, 0]; i < cohorts.length; i++) {
    const end = at + (lengths[i] as number);
    tallies.set(cohorts[i] as number, { reports: reports[i] as number, cells: cells.subarray(at, end) });
    at = end;
  }
  return tallies;
}

/** Packs counts by their numbers, ascending. */
export function packOnes(ones: ReadonlyMap<number, number>): Uint8Array {
  return numbersOf([...ones].sort(([a], [b]) => a - b).flat());
}

/** What `packOnes` packed. */
export function unpackOnes(bytes: Uint8Array): ReadonlyMap<number, number> {
  const numbers = new Numbers(bytes, 0);
  const ones = new Map<number, number>();
  while (!numbers.isDone) ones.set(numbers.next(), numbers.next());
  return ones;
}
