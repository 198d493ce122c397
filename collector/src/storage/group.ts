/**
 * A group: batches on their way to one commit, as words in one buffer. The buffer is transferred to the writer thread without a copy and is
 * stored in the log as it is. A batch is the index of its partition, the length of its reports in words, 128 bits of its id's hash, 64 bits of
 * its body's hash, and its packed reports. The id itself is not stored: anyone who knows it could guess the rest of a body, check the
 * guesses against the body's hash, and so read reports back from the stored data.
 */

import { hash } from 'node:crypto';
import type { Entry } from './store.ts';

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
