/** The bytes of a text file, unpacked where they are gzip, and their blocks of whole CSV records (RFC 4180). Quotes may hold line ends. */

import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { UsageError, unreadBecause } from '../../base/usage.ts';

const CHUNK = 2 ** 20;
/** The longest record. Without a limit, a file without line ends would be read into memory whole. */
const LONGEST = 2 ** 25;
export const LINE = 10;
export const RETURN = 13;
export const QUOTE = 34;
export const COMMA = 44;
const MARK = Buffer.from([0xef, 0xbb, 0xbf]); // the byte-order mark of UTF-8
const GZIP = Buffer.from([0x1f, 0x8b]);

const startsWith = (bytes: Buffer, prefix: Buffer): boolean => bytes.subarray(0, prefix.length).equals(prefix);

/** Joins the first chunks, so that the first one is as long as what it is tested for. */
async function* joined(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let first: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (first === undefined) yield chunk;
    else if (first.length + chunk.length < MARK.length) first = Buffer.concat([first, chunk]);
    else {
      yield Buffer.concat([first, chunk]);
      first = undefined;
    }
  }
  if (first !== undefined) yield first;
}

/** The chunks as they are, or unpacked. The name of the file does not matter, so that pipes work too. */
async function* unpacked(chunks: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer> {
  const { value: first = Buffer.alloc(0) } = await chunks.next();
  const all = async function* (): AsyncGenerator<Buffer> {
    yield first;
    yield* chunks;
  };
  if (startsWith(first, GZIP)) yield* pipeline(Readable.from(all()), createGunzip({ chunkSize: CHUNK }), () => {});
  else yield* all();
}

/** The bytes of a file without a byte-order mark, unpacked where they are gzip. @throws {UsageError} when the file can't be read */
export async function* chunksOf(file: string): AsyncGenerator<Buffer> {
  let isFirst = true;
  try {
    for await (const chunk of joined(unpacked(joined(createReadStream(file, { highWaterMark: CHUNK }))))) {
      yield isFirst && startsWith(chunk, MARK) ? chunk.subarray(MARK.length) : chunk;
      isFirst = false;
    }
  } catch (error) {
    throw new UsageError(`${file}: ${unreadBecause(error)}`);
  }
}

/** Where the last whole record of the bytes ends, 0 if none does. A quote opens a field only at its beginning. */
function lastEnd(bytes: Buffer): number {
  if (!bytes.includes(QUOTE)) return bytes.lastIndexOf(LINE) + 1;
  let [end, isQuoted, opens] = [0, false, 0]; // `opens`: where a quote would open a field, or open it again as the second of two
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE && (isQuoted || opens === at)) {
      isQuoted = !isQuoted;
      opens = at + 1;
    } else if (!isQuoted && (byte === COMMA || byte === LINE)) {
      opens = at + 1;
      if (byte === LINE) end = at + 1;
    }
  }
  return end;
}

/** Blocks of whole records. Each ends with a line end. */
export async function* blocksOf(file: string): AsyncGenerator<Buffer, undefined> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunksOf(file)) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = lastEnd(bytes);
    rest = bytes.subarray(end);
    if (rest.length > LONGEST) throw new UsageError(`${file}: expected records of at most ${LONGEST} bytes, got a longer one`);
    if (end > 0) yield bytes.subarray(0, end);
  }
  if (rest.length > 0) yield Buffer.concat([rest, Buffer.from([LINE])]);
}
