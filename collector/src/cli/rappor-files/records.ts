/**
 * Reads the records of a CSV file field by field, and numbers from the bytes themselves: a map of a million strings has 128 million numbers,
 * and libraries that make a string of each take two to seven times as long (docs/from-rappor.md has the measurement).
 */

import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { UsageError } from '../../base/fault.ts';
import { unreadBecause } from '../../base/usage.ts';

const [ZERO, NINE] = [48, 57];
/** The most digits of a number that is read without making a string. */
const DIGITS = 9;
/** A whole number, also as R writes a hundred thousand: 1e+05. */
const WHOLE = /^\s*\d+(\.\d+)?([eE]\+?\d+)?\s*$/;

/** Beginning of a field, for messages. */
const shown = (text: string): string => JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}...` : text);

/** The records of a file. For each one: `next`, then `text` or `whole` for every field, then `end`. */
export class Records {
  readonly #file: string;
  readonly #blocks: AsyncGenerator<Buffer, undefined>;
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #line = 1; // of the record
  #wanted = 0; // fields of a record
  #fields = 0; // of them, how many are read
  #isOver = true; // whether the record's last field is read
  #breaks = 0; // its line ends

  constructor(file: string) {
    this.#file = file;
    this.#blocks = blocksOf(file);
  }

  /** The line on which the record begins. */
  get line(): number {
    return this.#line;
  }

  /** An error about a line: that of the record, unless another one is given. */
  error(expected: string, got: string, line: number = this.#line): UsageError {
    return new UsageError(`${this.#file}:${line}: expected ${expected}, got ${got}`);
  }

  /** Reads the next block of records; false at the end of the file. */
  async load(): Promise<boolean> {
    this.#line += this.#breaks;
    this.#breaks = 0;
    const { value: block } = await this.#blocks.next();
    if (block === undefined) return false;
    [this.#bytes, this.#at] = [block, 0];
    if (!isUtf8(block)) throw this.#notText(block);
    return true;
  }

  /** Goes to the next record of the block, past empty lines; false when there is none. Each record has this many fields. */
  next(wanted: number): boolean {
    const bytes = this.#bytes;
    this.#line += this.#breaks;
    this.#breaks = 0;
    for (; this.#at < bytes.length; this.#at++) {
      const byte = bytes[this.#at];
      if (byte === LINE) this.#line++;
      else if (byte !== RETURN || bytes[this.#at + 1] !== LINE) {
        [this.#wanted, this.#fields, this.#isOver, this.#breaks] = [wanted, 0, false, 1];
        return true;
      }
    }
    return false;
  }

  /** The next field. */
  text(): string {
    if (this.#isOver) throw this.error(`${this.#wanted} fields`, `${this.#fields}`);
    this.#fields++;
    return this.#bytes[this.#at] === QUOTE ? this.#quoted() : this.#plain();
  }

  /** The next fields, whole numbers up to a limit, as many as the array has room for. */
  numbers(what: string, high: number, into: Int32Array): void {
    const bytes = this.#bytes;
    let at = this.#at;
    for (let i = 0; i < into.length; i++) {
      const start = at;
      let value = 0;
      let byte = bytes[at] as number;
      while (byte >= ZERO && byte <= NINE) {
        value = 10 * value + byte - ZERO;
        at++;
        byte = bytes[at] as number;
      }
      if (byte === COMMA && at > start && at - start <= DIGITS && value <= high) {
        at++;
        this.#fields++;
      } else {
        this.#at = start;
        value = this.whole(what, 0, high);
        at = this.#at;
        if (this.#isOver && i < into.length - 1) this.end();
      }
      into[i] = value;
    }
    this.#at = at;
  }

  /** The next field, a whole number of these limits. */
  whole(what: string, low: number, high: number): number {
    const text = this.text();
    const value = WHOLE.test(text) ? Number(text) : Number.NaN;
    if (Number.isSafeInteger(value) && value >= low && value <= high) return value;
    const error = this.error(`${what}, a whole number from ${low} to ${high}, in field ${this.#fields}`, shown(text));
    this.end(); // in a line of another length, fields are not where they belong
    throw error;
  }

  /** Ends the record. @throws {UsageError} when it has more fields */
  end(): void {
    while (!this.#isOver) this.text();
    if (this.#fields !== this.#wanted) throw this.error(`${this.#wanted} fields`, `${this.#fields}`);
  }

  /** A field without quotes. */
  #plain(): string {
    const [bytes, start] = [this.#bytes, this.#at];
    let at = start;
    while (bytes[at] !== COMMA && bytes[at] !== LINE) at++;
    this.#at = at + 1;
    this.#isOver = bytes[at] === LINE;
    return bytes.toString('utf8', start, this.#isOver && at > start && bytes[at - 1] === RETURN ? at - 1 : at);
  }

  /** A field in quotes, in which a quote is doubled. */
  #quoted(): string {
    const [bytes, start] = [this.#bytes, this.#at + 1];
    let at = start;
    for (; at < bytes.length; at++) {
      if (bytes[at] === LINE) this.#breaks++;
      if (bytes[at] === QUOTE && bytes[at + 1] === QUOTE) at++;
      else if (bytes[at] === QUOTE) break;
    }
    if (at >= bytes.length) throw this.error('a quote that ends the field', 'the end of the file');
    const text = bytes.toString('utf8', start, at).replaceAll('""', '"');
    this.#at = at + 1;
    const rest = this.#plain();
    if (rest !== '') throw this.error(`a comma or the end of the line behind the quotes of field ${this.#fields}`, shown(rest));
    return text;
  }

  #notText(block: Buffer): UsageError {
    let [at, line] = [0, this.#line];
    for (let end = block.indexOf(LINE) + 1; end > 0 && isUtf8(block.subarray(at, end)); end = block.indexOf(LINE, at) + 1)
      [at, line] = [end, line + 1];
    return new UsageError(`${this.#file}:${line}: expected UTF-8, got other bytes`);
  }
}

/** The bytes of a text file, unpacked where they are gzip, and their blocks of whole CSV records (RFC 4180). Quotes may hold line ends. */
const CHUNK = 2 ** 20;
/** The longest record. Without a limit, a file without line ends would be read into memory whole. */
const LONGEST = 2 ** 25;
const LINE = 10;
const RETURN = 13;
const QUOTE = 34;
const COMMA = 44;
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
async function* blocksOf(file: string): AsyncGenerator<Buffer, undefined> {
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
