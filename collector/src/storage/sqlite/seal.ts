/**
 * The last line of a copy: the SHA-256 of all bytes before it, so that a check finds every bit that has changed. SQLite's own check finds few
 * of them: it looks at the structure of pages and not at most of what they hold. SQLite reads as many pages as the header of the file
 * counts, and so not this line.
 */

import { createHash } from 'node:crypto';
import { appendFileSync, closeSync, fstatSync, openSync, readSync, truncateSync } from 'node:fs';

const WORDS = '\nmurmuration sha256 ';

/** Bytes of the line: its words, 64 hex digits and a newline. */
const LENGTH = WORDS.length + 65;

/** Bytes that are read at once. */
const CHUNK = 2 ** 22;

/** Reads up to so many bytes from a place of a file. */
function readAt(descriptor: number, buffer: Buffer, position: number, length: number): Buffer {
  let read = 0;
  while (read < length) {
    const more = readSync(descriptor, buffer, read, length - read, position + read);
    if (more === 0) break;
    read += more;
  }
  return buffer.subarray(0, read);
}

function hashOf(descriptor: number, bytes: number): string {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(CHUNK);
  for (let at = 0; at < bytes; at += CHUNK) hash.update(readAt(descriptor, buffer, at, Math.min(CHUNK, bytes - at)));
  return hash.digest('hex');
}

function using<T>(file: string, work: (descriptor: number, bytes: number) => T): T {
  const descriptor = openSync(file, 'r');
  try {
    return work(descriptor, fstatSync(descriptor).size);
  } finally {
    closeSync(descriptor);
  }
}

/** Puts the line at the end of a file. Nothing may change the file afterwards. */
export function seal(file: string): void {
  appendFileSync(
    file,
    using(file, (descriptor, bytes) => `${WORDS}${hashOf(descriptor, bytes)}\n`),
  );
}

/**
 * Whether a file ends with the line.
 *
 * @param name the name of the file in the error
 * @throws {RangeError} when the bytes before it are others than those that were sealed
 */
export const isSealed = (file: string, name: string = file): boolean =>
  using(file, (descriptor, bytes) => {
    if (bytes < LENGTH) return false;
    const line = readAt(descriptor, Buffer.alloc(LENGTH), bytes - LENGTH, LENGTH).toString('latin1');
    if (!line.startsWith(WORDS)) return false;
    if (line === `${WORDS}${hashOf(descriptor, bytes - LENGTH)}\n`) return true;
    throw new RangeError(`${name}: expected a whole copy, got a damaged one: its bytes are not those of its checksum`);
  });

/** Takes the line off a file that has it. */
export const unseal = (file: string): void =>
  truncateSync(
    file,
    using(file, (_descriptor, bytes) => bytes - LENGTH),
  );

/** The error for a copy without the line, when no check has found what else is wrong with it. */
export const unsealed = (name: string): RangeError =>
  new RangeError(`${name}: expected a copy that ends with its checksum, as backup writes it, got one without`);
