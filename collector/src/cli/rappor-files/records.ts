/**
 * Reads the records of a CSV file field by field, and numbers from the bytes themselves: a map of a million strings has 128 million numbers,
 * and libraries that make a string of each take two to seven times as long (docs/from-rappor.md has the measurement).
 */

import { isUtf8 } from 'node:buffer';
import { UsageError } from '../../base/usage.ts';
import { blocksOf, COMMA, LINE, QUOTE, RETURN } from './bytes.ts';

const [ZERO, NINE] = [48, 57];
/** The most digits of a number that is read without making a string. */
const DIGITS = 9;
/** A whole number, also as R writes a hundred thousand: 1e+05. */
const WHOLE = /^\s*\d+(\.\d+)?([eE]\+?\d+)?\s*$/;

/** What is read of a field, for messages: the beginning. */
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
