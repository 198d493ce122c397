/**
 * Groups of batches, as words, and their commit.
 *
 * Group commit: batches that arrive during one commit share the next, which starts when the first returns. Where commits may run beside each
 * other, one does so only when a group is full or a commit is slow: two half groups cost more than a whole one.
 */

import { hash } from 'node:crypto';
import type { Appended, Commit, Entry, Store } from './store.ts';

// A group: batches on their way to one commit, as words in one buffer. The buffer is transferred to the writer thread without a copy and is
// stored in the log as it is. A batch is the index of its partition, the length of its reports in words, 128 bits of its id's hash, 64 bits of
// its body's hash, and its packed reports. The id itself is not stored: anyone who knows it could guess the rest of a body, check the
// guesses against the body's hash, and so read reports back from the stored data.

/** The tallies that a batch is counted in. Batches of a group share their partitions. */
export type Partition = readonly [schema: string, day: number, segment: string];

/** Batches that are committed together. */
export interface Group {
  readonly partitions: readonly Partition[];
  readonly words: Int32Array<ArrayBuffer>;
}

/** Words before a batch's reports: partition, length, hash of the id, hash of the body. */
export const HEAD = 8;
/** Offsets in a batch, in words: the hash of its id and the hash of its body. */
export const ID = 2;
export const HASH = 6;

const FIRST_WORDS = 4_096;
/** A group that reaches this many words is committed as it is, and later batches go into the next. This bounds the memory of a group. */
const MOST_WORDS = 65_536;

/** Writes the hash of an id at a byte offset. (Converting through hex digits is four times as fast as allocating a buffer for each id.) */
export function writeHashOf(id: string, bytes: Buffer, at: number): void {
  bytes.write(hash('sha256', id, 'hex'), at, 16, 'hex');
}

/** Collects batches into groups. */
export class GroupBuilder {
  #words = new Int32Array(FIRST_WORDS);
  #bytes = Buffer.from(this.#words.buffer);
  #used = 0;
  #partitions: Partition[] = [];
  #indices = new Map<string, number>();

  get isEmpty(): boolean {
    return this.#used === 0;
  }

  get isFull(): boolean {
    return this.#used >= MOST_WORDS;
  }

  add({ schema, day, segment, id, hash, reports }: Entry): void {
    const at = this.#reserve(HEAD + reports.length);
    const words = this.#words;
    words[at] = this.#indexOf(schema, day, segment);
    words[at + 1] = reports.length;
    writeHashOf(id, this.#bytes, 4 * (at + ID));
    this.#bytes.write(hash, 4 * (at + HASH), 8, 'hex');
    words.set(reports, at + HEAD);
  }

  /** Returns the group so far. Batches added afterwards belong to the next group. */
  take(): Group {
    const group = { partitions: this.#partitions, words: this.#words.slice(0, this.#used) };
    this.#used = 0;
    this.#partitions = [];
    this.#indices = new Map();
    return group;
  }

  #indexOf(schema: string, day: number, segment: string): number {
    const name = `${schema}\n${day}\n${segment}`;
    const known = this.#indices.get(name);
    if (known !== undefined) return known;
    this.#indices.set(name, this.#partitions.length);
    return this.#partitions.push([schema, day, segment]) - 1;
  }

  #reserve(words: number): number {
    const at = this.#used;
    this.#used += words;
    if (this.#used > this.#words.length) {
      const larger = new Int32Array(2 * this.#used);
      larger.set(this.#words);
      this.#words = larger;
      this.#bytes = Buffer.from(larger.buffer);
    }
    return at;
  }
}

/** The word at which each batch of a group begins, in order. */
export function batchesOf(words: Int32Array): readonly number[] {
  const starts: number[] = [];
  for (let at = 0; at < words.length; at += HEAD + (words[at + 1] as number)) starts.push(at);
  return starts;
}

/** The words of only those batches of a group that begin at these words. */
export function only(words: Int32Array, starts: readonly number[]): Int32Array {
  const parts = starts.map((start) => words.subarray(start, start + HEAD + (words[start + 1] as number)));
  const kept = new Int32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    kept.set(part, at);
    at += part.length;
  }
  return kept;
}

/** A blob as words. */
export const wordsOf = (blob: unknown): Int32Array<ArrayBuffer> => new Int32Array((blob as Uint8Array).slice().buffer as ArrayBuffer);

/** Words as a blob. */
export const bytesOf = ({ buffer, byteOffset, byteLength }: Int32Array | Float64Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

interface Waiter {
  readonly day: number;
  readonly resolve: (result: Appended) => void;
  readonly reject: (error: Error) => void;
}

/** Batches to be committed together, and the promises that wait for them, in the same order. */
interface Waiting {
  readonly group: Group;
  readonly waiters: readonly Waiter[];
}

/** Summary of a commit of batches of these days. */
export function summaryOf(days: readonly number[], results: readonly Appended[], seconds: number): Commit {
  const counted = days.filter((_, i) => results[i] === 'counted');
  const newest = counted.length === 0 ? undefined : counted.reduce((a, b) => Math.max(a, b));
  return { batches: days.length, counted: counted.length, newest, seconds };
}

/** Commits beside each other: how many may run at a time, and the milliseconds after which one is slow. */
export interface Lanes {
  readonly most: number;
  readonly patience: number;
}

/**
 * @param commit resolves to the result for each batch, once the group is on the disk
 * @param onCommit called after each commit, before its batches are answered
 * @param lanes default: one commit at a time
 */
export function createGroupCommit(
  commit: (group: Group) => Promise<readonly Appended[]>,
  onCommit: (commit: Commit) => void = () => undefined,
  lanes: Lanes = { most: 1, patience: 0 },
): {
  readonly append: Store['append'];
  /** Resolves when everything appended so far is committed or refused. New batches may be appended meanwhile. */
  readonly settle: () => Promise<void>;
} {
  const builder = new GroupBuilder();
  let waiters: Waiter[] = [];
  const full: Waiting[] = [];
  const running = new Set<Promise<unknown>>();
  let isPlanned = false;
  /** True if the last commit that began is slow. */
  let isSlow = false;
  let slow: NodeJS.Timeout | undefined;
  let last: Promise<unknown> | undefined;

  const take = (): Waiting => {
    const waiting = { group: builder.take(), waiters };
    waiters = [];
    return waiting;
  };
  const mayBegin = (): boolean => running.size === 0 || (running.size < lanes.most && (full.length > 0 || isSlow));
  /** Expects a commit within the time that it has. */
  const watch = (): void => {
    clearTimeout(slow);
    isSlow = false;
    if (lanes.most === 1) return;
    slow = setTimeout(() => {
      isSlow = running.size > 0;
      begin();
    }, lanes.patience);
  };
  const commitNext = (): void => {
    const waiting = full.shift() ?? take();
    const start = performance.now();
    watch();
    const committed = commit(waiting.group);
    running.add(committed);
    committed.then(
      (results) => {
        next(committed);
        const days = waiting.waiters.map(({ day }) => day);
        onCommit(summaryOf(days, results, (performance.now() - start) / 1_000));
        for (const [i, { resolve }] of waiting.waiters.entries()) resolve(results[i] as Appended);
      },
      (error: Error) => {
        next(committed);
        for (const { reject } of waiting.waiters) reject(error);
      },
    );
  };
  const begin = (): void => {
    isPlanned = false;
    while (mayBegin() && (full.length > 0 || !builder.isEmpty)) commitNext();
  };
  const next = (committed: Promise<unknown>): void => {
    running.delete(committed);
    if (running.size === 0) clearTimeout(slow);
    begin();
  };

  return {
    append: (entry) => {
      builder.add(entry);
      const appended = new Promise<Appended>((resolve, reject) => waiters.push({ resolve, reject, day: entry.day }));
      if (builder.isFull) full.push(take());
      // The first batch of a turn of the event loop waits for the others of that turn.
      if (!isPlanned && mayBegin()) {
        isPlanned = true;
        setImmediate(begin);
      }
      last = appended;
      return appended;
    },
    settle: async () => {
      await last?.catch(() => undefined);
      await Promise.allSettled(running); // commits that began before that of the last batch
    },
  };
}
