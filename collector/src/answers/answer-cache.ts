/**
 * Answers that were computed, or are being computed, by what was asked. Equal questions share one computation and its bytes. What is kept
 * and what is being sent is bounded together, so that clients who do not read hold no more memory than one bound.
 */

import { type PackedAnswer, sizeOf } from './packed-answer.ts';

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
