/**
 * Tallies of several cohorts as bytes: their number, their cohorts ascending, each as the difference from the one before, the reports of
 * each, the length of the cells of each, and the cells of each as `cell-codec.ts` encodes them. Numbers are in base 128.
 */

import { lengthOf, Numbers, put } from '../tallying/cell-codec.ts';
import type { PackedTallies } from '../tallying/sums.ts';

// Lists as the database's binary format has them (`array_recv`): a dimension, whether there are nulls, the type, the length, the lower bound,
// and each value behind its size. As text, the ids of a flush cost both sides more than anything else about it.

/** Types of values, by their number in the database's catalog. Each has a size in bytes. */
const INT2 = { oid: 21, size: 2 };
const INT4 = { oid: 23, size: 4 };
const INT8 = { oid: 20, size: 8 };
const UUID = { oid: 2950, size: 16 };
const BYTEA = 17;
const TEXT = 25;

const HEAD = 20;
const SIZE = 4;

function writeHead(bytes: Buffer, oid: number, count: number): Buffer {
  bytes.writeInt32BE(1, 0);
  bytes.writeInt32BE(0, 4);
  bytes.writeInt32BE(oid, 8);
  bytes.writeInt32BE(count, 12);
  bytes.writeInt32BE(1, 16);
  return bytes;
}

/** A list of values of one size, each of which is written at its place. */
function listOf({ oid, size }: typeof INT2, count: number, write: (bytes: Buffer, at: number, i: number) => void): Buffer {
  const bytes = writeHead(Buffer.allocUnsafe(HEAD + count * (SIZE + size)), oid, count);
  for (let [i, at] = [0, HEAD]; i < count; i++, at += SIZE + size) {
    bytes.writeInt32BE(size, at);
    write(bytes, at + SIZE, i);
  }
  return bytes;
}

/** A `smallint[]` of values below 2^15. */
export const smallints = (count: number, numberOf: (i: number) => number): Buffer =>
  listOf(INT2, count, (bytes, at, i) => bytes.writeInt16BE(numberOf(i), at));

/** An `integer[]`. */
export const integers = (count: number, numberOf: (i: number) => number): Buffer =>
  listOf(INT4, count, (bytes, at, i) => bytes.writeInt32BE(numberOf(i), at));

/** A `bigint[]` of 8 bytes each, big-endian, from their places in other bytes. */
export const bigints = (count: number, from: Buffer, placeOf: (i: number) => number): Buffer => copies(INT8, count, from, placeOf);

/** A `uuid[]` of 16 bytes each, from their places in other bytes. */
export const uuids = (count: number, from: Buffer, placeOf: (i: number) => number): Buffer => copies(UUID, count, from, placeOf);

const copies = (type: typeof INT2, count: number, from: Buffer, placeOf: (i: number) => number): Buffer =>
  listOf(type, count, (bytes, at, i) => {
    const place = placeOf(i);
    from.copy(bytes, at, place, place + type.size);
  });

/** A `bytea[]`. */
export const byteas = (values: readonly Uint8Array[]): Buffer => listOfAny(BYTEA, values);

/** A `text[]` of a database in UTF-8. */
export const texts = (values: readonly string[]): Buffer =>
  listOfAny(
    TEXT,
    values.map((value) => Buffer.from(value)),
  );

/** A list of values that each have a size of their own. */
function listOfAny(oid: number, values: readonly Uint8Array[]): Buffer {
  const length = values.reduce((sum, value) => sum + SIZE + value.length, HEAD);
  const bytes = writeHead(Buffer.allocUnsafe(length), oid, values.length);
  let at = HEAD;
  for (const value of values) {
    at = bytes.writeInt32BE(value.length, at);
    bytes.set(value, at);
    at += value.length;
  }
  return bytes;
}

/** A tally with its cells encoded. */
export interface EncodedTally {
  readonly reports: number;
  readonly cells: Uint8Array;
}

/** Encoded tallies by cohort. */
export type EncodedTallies = ReadonlyMap<number, EncodedTally>;

/** Cohorts of one row of the tables, so that a fold does not write all 65,536 of a metric again for each one that has grown. */
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

/** Unpacks the result of `packTallies`, without copying the cells. @throws {RangeError} when it is something else */
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

/** Unpacks the result of `packOnes`. */
export function unpackOnes(bytes: Uint8Array): ReadonlyMap<number, number> {
  const numbers = new Numbers(bytes, 0);
  const ones = new Map<number, number>();
  while (!numbers.isDone) ones.set(numbers.next(), numbers.next());
  return ones;
}
