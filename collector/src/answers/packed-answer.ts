/** Answers as bytes of JSON, packed once by the estimates thread, and their cache. Any page of their rows is sent from the same bytes. */

import { createHash } from 'node:crypto';

/** Which of an answer's rows are asked for. */
export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** The page in an answer: how many rows there are in all, and which of them follow. */
export interface PageInfo extends Page {
  readonly total: number;
}

/** An answer: an object with one list. */
export interface PackedAnswer {
  /** The object without its list. */
  readonly fields: Uint8Array<ArrayBuffer>;
  /** The name of the list. */
  readonly list: string;
  /** The rows, `ROWS` in each chunk but the last, and each row followed by a comma. */
  readonly chunks: readonly Uint8Array<ArrayBuffer>[];
  /** Where each row begins in all chunks together, and where the next would. */
  readonly starts: Uint32Array<ArrayBuffer>;
}

/** Rows of a chunk. */
const ROWS = 1_000;

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

/** Packs an object with one list. */
export function pack(list: string, rows: readonly object[], fields: object): PackedAnswer {
  const starts = new Uint32Array(rows.length + 1);
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let end = 0;
  for (let from = 0; from < rows.length; from += ROWS) {
    const texts = rows.slice(from, from + ROWS).map((row) => `${JSON.stringify(row)},`);
    for (const [i, text] of texts.entries()) {
      end += Buffer.byteLength(text);
      starts[from + i + 1] = end;
    }
    chunks.push(encode(texts.join('')));
  }
  return { fields: encode(JSON.stringify(fields)), list, chunks, starts };
}

/** A tag of an answer (RFC 9110 section 8.8.3): the same for the same rows. It is weak, since they may be sent in any coding. */
export function tagOf({ fields, chunks }: PackedAnswer): string {
  const sum = createHash('sha256').update(fields);
  for (const chunk of chunks) sum.update(chunk);
  return `W/"${sum.digest('base64url')}"`;
}

/** The memory of an answer. */
export const sizeOf = ({ fields, starts }: PackedAnswer): number => fields.length + (starts.at(-1) ?? 0) + starts.byteLength;

/** The buffers of an answer, to be handed to another thread. */
export const buffersOf = ({ fields, chunks, starts }: PackedAnswer): ArrayBuffer[] => [
  fields.buffer,
  starts.buffer,
  ...chunks.map(({ buffer }) => buffer),
];

/** The bytes of the rows from `from` to `to`, without the comma after the last. */
function rowsOf({ chunks, starts }: PackedAnswer, from: number, to: number): readonly Uint8Array[] {
  const [first, last] = [starts[from] as number, from < to ? (starts[to] as number) - 1 : (starts[from] as number)];
  return chunks.slice(Math.floor(from / ROWS), Math.ceil(to / ROWS)).map((chunk, i) => {
    const start = starts[(Math.floor(from / ROWS) + i) * ROWS] as number;
    return chunk.subarray(Math.max(0, first - start), Math.max(0, last - start));
  });
}

/** The parts of a page's JSON, one after the other. The rows are not copied. */
export function partsOf(answer: PackedAnswer, { offset, limit }: Page): readonly Uint8Array[] {
  const { fields, list, starts } = answer;
  const total = starts.length - 1;
  const from = Math.min(offset, total);
  const info: PageInfo = { total, offset, limit };
  const before = fields.subarray(0, -1);
  const middle = encode(`${before.length > 1 ? ',' : ''}"page":${JSON.stringify(info)},${JSON.stringify(list)}:[`);
  return [before, middle, ...rowsOf(answer, from, Math.min(total, from + limit)), encode(']}\n')];
}

/*
 * Answers that were computed, or are being computed, by what was asked. Equal questions share one computation and its bytes. What is kept
 * and what is being sent is bounded together, so that clients who do not read hold no more memory than one bound.
 *
 * lru-cache 11.5.3, which keeps maps of candidates, does not fit: its `fetchMethod` follows the signal of the first who asks only, and it
 * forgets an answer that is being sent, whose bytes it then no longer counts.
 */

/** Bytes of answers that are kept. */
const MOST = 24 * 2 ** 20;

/** Bytes of an entry beyond those of its answer: its key and the objects that hold it. */
const OVERHEAD = 1_000;

interface Entry {
  readonly control: AbortController;
  readonly computing: Promise<PackedAnswer>;
  /** Set when it is computed. */
  answer: PackedAnswer | undefined;
  /** Its size, 0 until it is computed. */
  bytes: number;
  /** How many clients wait for it or are being sent it. */
  holders: number;
}

/** An answer that is not forgotten before it is released. */
export interface HeldAnswer {
  readonly answer: PackedAnswer;
  readonly release: () => void;
}

/** Computes an answer. `isWelcome` says whether there is room for it. */
export type Compute = (signal: AbortSignal, isWelcome: () => boolean) => Promise<PackedAnswer>;

/** Answers by key. */
export class AnswerCache {
  readonly #most: number;
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  #held = 0;

  constructor(most: number = MOST) {
    this.#most = most;
  }

  /**
   * The answer to a question, computed unless it is known. When the signals of all waiting clients are aborted, the computation's
   * signal is, too.
   *
   * @throws the signal's reason, or what the computation throws
   */
  async get(key: string, signal: AbortSignal, compute: Compute): Promise<HeldAnswer> {
    signal.throwIfAborted();
    const entry = this.#entries.get(key) ?? this.#begin(key, compute);
    this.#entries.delete(key);
    this.#entries.set(key, entry); // the most recently used is the last
    this.#hold(entry);
    let isHeld = true;
    const release = (): void => {
      if (!isHeld) return;
      isHeld = false;
      this.#release(key, entry);
    };
    signal.addEventListener('abort', release, { once: true });
    try {
      const answer = await Promise.race([entry.computing, abortion(signal)]);
      return { answer, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  #begin(key: string, compute: Compute): Entry {
    const control = new AbortController();
    const computing = compute(control.signal, () => this.#held < this.#most);
    const entry: Entry = { control, computing, answer: undefined, bytes: 0, holders: 0 };
    computing.then(
      (answer) => this.#keep(key, entry, answer),
      () => this.#forget(key, entry),
    );
    return entry;
  }

  #keep(key: string, entry: Entry, answer: PackedAnswer): void {
    if (this.#entries.get(key) !== entry) return;
    entry.answer = answer;
    entry.bytes = sizeOf(answer) + 2 * key.length + OVERHEAD;
    this.#bytes += entry.bytes;
    if (entry.holders > 0) this.#held += entry.bytes;
    this.#trim();
  }

  #hold(entry: Entry): void {
    if (entry.holders++ === 0) this.#held += entry.bytes;
  }

  #release(key: string, entry: Entry): void {
    if (--entry.holders > 0) return;
    this.#held -= entry.bytes;
    if (entry.answer !== undefined) return this.#trim();
    this.#forget(key, entry);
    entry.control.abort();
  }

  #forget(key: string, entry: Entry): void {
    if (this.#entries.get(key) !== entry) return;
    this.#entries.delete(key);
    this.#bytes -= entry.bytes;
  }

  #trim(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#bytes <= this.#most) return;
      if (entry.holders === 0) this.#forget(key, entry);
    }
  }
}

/** Rejects when the signal is aborted. */
function abortion(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
