/**
 * Lists as the database's binary format has them (`array_recv`): a dimension, whether there are nulls, the type, the length, the lower bound,
 * and each value behind its size. As text, the ids of a flush cost both sides more than anything else about it.
 */

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
