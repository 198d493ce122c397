/**
 * A group: batches on their way to one commit, as words of one buffer, which crosses to the writer's thread without a
 * copy and stands in the log as it is. A batch is the number of its place, how many words its reports have, 128 bits of its
 * id's hash, 64 of its body's, and its reports, packed. Not the id itself: whoever has it can guess all else of a body,
 * try the guesses on the body's hash, and so read reports back from what is kept of them.
 */

import { hash } from 'node:crypto';
import type { Entry } from './store.ts';

/** Where a batch is counted. Batches of one group share places. */
export type Place = readonly [schema: string, day: number, segment: string];

/** Batches that are committed together. */
export interface Group {
  readonly places: readonly Place[];
  readonly words: Int32Array<ArrayBuffer>;
}

/** Words before a batch's reports: its place, their length, its id's hash, its body's. */
export const HEAD = 8;
/** Where in a batch its id's hash begins, and its body's. */
export const ID = 2;
export const HASH = 6;

const FIRST_WORDS = 4_096;
/** A group of so many words is committed as it is, and others follow in the next: what a group adds to memory is bounded. */
const MOST_WORDS = 65_536;

/** Writes the hash of an id at a byte. (Hex digits and back are four times as fast as a buffer of its own for each.) */
export function writeHashOf(id: string, bytes: Buffer, at: number): void {
  bytes.write(hash('sha256', id, 'hex'), at, 16, 'hex');
}

/** Collects batches. */
export class GroupBuilder {
  #words = new Int32Array(FIRST_WORDS);
  #bytes = Buffer.from(this.#words.buffer);
  #used = 0;
  #places: Place[] = [];
  #numbers = new Map<string, number>();

  get isEmpty(): boolean {
    return this.#used === 0;
  }

  get isFull(): boolean {
    return this.#used >= MOST_WORDS;
  }

  add({ schema, day, segment, id, hash, reports }: Entry): void {
    const at = this.#reserve(HEAD + reports.length);
    const words = this.#words;
    words[at] = this.#placeOf(schema, day, segment);
    words[at + 1] = reports.length;
    writeHashOf(id, this.#bytes, 4 * (at + ID));
    this.#bytes.write(hash, 4 * (at + HASH), 8, 'hex');
    words.set(reports, at + HEAD);
  }

  /** The group so far. What is added afterwards belongs to the next. */
  take(): Group {
    const group = { places: this.#places, words: this.#words.slice(0, this.#used) };
    this.#used = 0;
    this.#places = [];
    this.#numbers = new Map();
    return group;
  }

  #placeOf(schema: string, day: number, segment: string): number {
    const name = `${schema}\n${day}\n${segment}`;
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.#places.length);
    return this.#places.push([schema, day, segment]) - 1;
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

/** Where each batch of a group begins, in order. */
export function batchesOf(words: Int32Array): readonly number[] {
  const starts: number[] = [];
  for (let at = 0; at < words.length; at += HEAD + (words[at + 1] as number)) starts.push(at);
  return starts;
}
