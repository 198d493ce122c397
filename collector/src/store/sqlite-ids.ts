/**
 * The ids of the batches that are in the tallies, with 64 bits of each body's hash: appended in the order of commits, a
 * row for each fold, and looked up in memory. A B-tree of random keys would write a page for each id (measured: five to
 * ten times the CPU of the rest of a commit).
 */

import type { DatabaseSync } from 'node:sqlite';
import { HASH, ID } from './group.ts';
import { ID_WORDS, IdSet } from './id-set.ts';

/** Words of a kept id: the id, 64 bits of the hash, the batch's day. */
const WORDS = ID_WORDS + 3;
const FIRST_ROWS = 1_024;
/** Ids that there is room for from the start, in 20 MB: memory stays as it is until there are more. */
const ROOM = 1_000_000;

/** What is known of an id: nothing, its very bytes, or other bytes. */
type Known = 'new' | 'same' | 'other';

/** The ids of a store. Numbers count them from 1, in the order in which they were added, for ever. */
export class Ids {
  readonly #set: IdSet;
  readonly #find;
  readonly #insert;
  readonly #expire;
  /** Ids that no row has yet, and the number of the first of them. */
  #fresh: Int32Array<ArrayBuffer> = new Int32Array(FIRST_ROWS * WORDS);
  #freshCount = 0;
  #first = 1;
  #lastDay = 0;

  constructor(database: DatabaseSync) {
    this.#find = database.prepare('SELECT first, words FROM ids WHERE first <= ? ORDER BY first DESC LIMIT 1');
    this.#insert = database.prepare('INSERT INTO ids (first, day, words) VALUES (?, ?, ?)');
    this.#expire = database.prepare('DELETE FROM ids WHERE day < ?');
    const kept = database.prepare('SELECT sum(length(words)) AS bytes FROM ids').get();
    this.#set = new IdSet(Math.max(ROOM, Number(kept?.['bytes'] ?? 0) / (4 * WORDS)));
    for (const row of database.prepare('SELECT first, words FROM ids ORDER BY first').iterate()) {
      const words = wordsOf(row['words']);
      this.#first = Number(row['first']);
      for (let at = 0; at < words.length; at += WORDS) this.#set.add(words, at, this.#first++, words[at + WORDS - 1] as number);
    }
  }

  /** Whether the batch that begins at a word is known. */
  known(words: Int32Array, batch: number): Known {
    let result: Known = 'new';
    this.#set.find(words, batch + ID, (number) => {
      const [kept, at] = this.#kept(number);
      for (let i = 0; i < ID_WORDS; i++) if (kept[at + i] !== words[batch + ID + i]) return false;
      const isSame = kept[at + ID_WORDS] === words[batch + HASH] && kept[at + ID_WORDS + 1] === words[batch + HASH + 1];
      result = isSame ? 'same' : 'other';
      return true;
    });
    return result;
  }

  /** Adds the id of a batch that is not known. */
  add(words: Int32Array, batch: number, day: number): void {
    const at = this.#freshCount * WORDS;
    if (at === this.#fresh.length) {
      const larger = new Int32Array(2 * at);
      larger.set(this.#fresh);
      this.#fresh = larger;
    }
    this.#fresh.set(words.subarray(batch + ID, batch + HASH + 2), at);
    this.#fresh[at + WORDS - 1] = day;
    this.#set.add(words, batch + ID, this.#first + this.#freshCount++, day);
    this.#lastDay = Math.max(this.#lastDay, day);
  }

  /** Writes, within a transaction, what was added since the last time. `written` follows its commit. */
  write(): void {
    if (this.#freshCount > 0) this.#insert.run(this.#first, this.#lastDay, bytesOf(this.#fresh.subarray(0, this.#freshCount * WORDS)));
  }

  written(): void {
    this.#first += this.#freshCount;
    [this.#freshCount, this.#lastDay] = [0, 0];
  }

  /** Forgets the ids of days before this one, in memory at once; a row goes with the last of its days. */
  expire(day: number): void {
    this.#expire.run(day);
    this.#set.expire(day);
  }

  /** The words that hold an id, given by its number modulo 2^32, and where. */
  #kept(number: number): readonly [words: Int32Array, at: number] {
    const next = this.#first + this.#freshCount;
    const whole = next - ((next - number) >>> 0);
    if (whole >= this.#first) return [this.#fresh, (whole - this.#first) * WORDS];
    const row = this.#find.get(whole);
    return [wordsOf(row?.['words']), (whole - Number(row?.['first'])) * WORDS];
  }
}

/** A blob as words. */
export const wordsOf = (blob: unknown): Int32Array<ArrayBuffer> => new Int32Array((blob as Uint8Array).slice().buffer as ArrayBuffer);

/** Words as a blob. */
export const bytesOf = ({ buffer, byteOffset, byteLength }: Int32Array | Float64Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);
