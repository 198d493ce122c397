/**
 * A group: batches on their way to one commit, as words of one buffer, which crosses to the writer's thread without a
 * copy and stands in the log as it is. A batch is the number of its place, how many words its reports have, its id, 64
 * bits of its body's hash, and its reports, packed.
 */

import type { Entry } from './store.ts';

/** Where a batch is counted. Batches of one group share places. */
export type Place = readonly [schema: string, day: number, segment: string];

/** Batches that are committed together. */
export interface Group {
  readonly places: readonly Place[];
  readonly words: Int32Array<ArrayBuffer>;
}

/** Words before a batch's reports: its place, their length, id, hash. */
export const HEAD = 8;
/** Where in a batch its id begins, and its hash. */
export const ID = 2;
export const HASH = 6;

const FIRST_WORDS = 4_096;

/** Collects batches. */
export class GroupBuilder {
  #words = new Int32Array(FIRST_WORDS);
  #bytes = Buffer.from(this.#words.buffer);
  #used = 0;
  #places: Place[] = [];
  #numbers = new Map<string, number>();
  #count = 0;

  /** How many batches are in it. */
  get count(): number {
    return this.#count;
  }

  add({ schema, day, segment, id, hash, reports }: Entry): void {
    const at = this.#reserve(HEAD + reports.length);
    const words = this.#words;
    words[at] = this.#placeOf(schema, day, segment);
    words[at + 1] = reports.length;
    this.#bytes.write(id, 4 * (at + ID), 'hex');
    for (let i = 0; i < 8; i++) this.#bytes[4 * (at + HASH) + i] = hash[i] as number;
    words.set(reports, at + HEAD);
    this.#count++;
  }

  /** The group so far. What is added afterwards belongs to the next. */
  take(): Group {
    const group = { places: this.#places, words: this.#words.slice(0, this.#used) };
    this.#used = 0;
    this.#places = [];
    this.#numbers = new Map();
    this.#count = 0;
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
