/**
 * The hashed ids of the batches in the tallies, each with 64 bits of its body's hash. They are appended in commit order, a thousand to a
 * row, and looked up in memory. A B-tree of random keys would write a page for each id (measured: five to ten times the CPU time of the
 * rest of a commit).
 */

import type { DatabaseSync } from 'node:sqlite';
import { bytesOf, HASH, ID, wordsOf } from '../group.ts';
import { ID_WORDS, IdSet } from './id-set.ts';

/** Words of a stored id: its hash, 64 bits of the body's hash, the day of the batch. */
export const WORDS: number = ID_WORDS + 3;
/** Most ids in a row. Looking up one id reads its whole row. */
export const ROW = 1_000;
/** Most bytes of ids, and most rows, that one slice deletes or looks at. A slice takes some milliseconds, and a commit waits for one at most. */
const SLICE_BYTES = 2 ** 19;
const SLICE_ROWS = 500;
/** Initial capacity in ids, 20 MB. Memory use stays constant until there are more. */
const ROOM = 1_000_000;

const NONE = new Int32Array(0);

/** The result of a lookup: unknown id, known with the same body, or known with another body. */
export type Known = 'new' | 'same' | 'other';

/** The ids of a store. They are numbered from 1 in the order in which they were added, and numbers are never reused. */
export class Ids {
  readonly #set: IdSet;
  readonly #find;
  readonly #insert;
  readonly #rowsFrom;
  readonly #delete;
  /** Ids of days before this one are expired. Their rows are deleted from this number on; null when all are. */
  #before: number;
  #cursor: number | null = 0;
  /** Ids that are not in a row yet, and the number of the first of them. */
  #fresh: Int32Array<ArrayBuffer> = new Int32Array(ROW * WORDS);
  #freshCount = 0;
  #first = 1;

  /** @param from ids of days before this one are dropped */
  constructor(database: DatabaseSync, from: number) {
    this.#find = database.prepare('SELECT first, words FROM ids WHERE first <= ? ORDER BY first DESC LIMIT 1');
    this.#insert = database.prepare('INSERT INTO ids (first, day, words) VALUES (?, ?, ?)');
    this.#rowsFrom = database.prepare('SELECT first, day, length(words) AS bytes FROM ids WHERE first >= ? ORDER BY first LIMIT ?');
    this.#delete = database.prepare('DELETE FROM ids WHERE first = ?');
    this.#before = from;
    const kept = database.prepare('SELECT sum(length(words)) AS bytes FROM ids').get();
    this.#set = new IdSet(Math.max(ROOM, Number(kept?.['bytes'] ?? 0) / (4 * WORDS)));
    for (const row of database.prepare('SELECT first, words FROM ids ORDER BY first').iterate()) {
      const words = wordsOf(row['words']);
      this.#first = Number(row['first']);
      for (let at = 0; at < words.length; at += WORDS, this.#first++) {
        const day = words[at + WORDS - 1] as number;
        if (day >= from) this.#set.add(words, at, this.#first, day);
      }
    }
  }

  /** The number of ids in memory. */
  get count(): number {
    return this.#set.count;
  }

  /** Looks up the batch that begins at this word. */
  known(words: Int32Array, batch: number): Known {
    let result: Known = 'new';
    this.#set.find(words, batch + ID, (number) => {
      const [kept, at] = this.#kept(number);
      // An id whose row was deleted has no words, so it never matches.
      if ((kept[at + WORDS - 1] as number) < this.#before) return false;
      for (let i = 0; i < ID_WORDS; i++) if (kept[at + i] !== words[batch + ID + i]) return false;
      const isSame = kept[at + ID_WORDS] === words[batch + HASH] && kept[at + ID_WORDS + 1] === words[batch + HASH + 1];
      result = isSame ? 'same' : 'other';
      return true;
    });
    return result;
  }

  /** Adds the id of a batch. It must not be known. */
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
  }

  /** Writes the ids added since the last write. Runs inside a transaction; call `written` after its commit. */
  write(): void {
    for (let at = 0; at < this.#freshCount; at += ROW) {
      const words = this.#fresh.subarray(at * WORDS, Math.min(at + ROW, this.#freshCount) * WORDS);
      let last = 0;
      for (let day = WORDS - 1; day < words.length; day += WORDS) last = Math.max(last, words[day] as number);
      this.#insert.run(this.#first + at, last, bytesOf(words));
    }
  }

  written(): void {
    this.#first += this.#freshCount;
    this.#freshCount = 0;
  }

  /** Forgets the ids of days before this one. Call `deleteSome` until it returns true, to delete what is kept of them. */
  expire(day: number): void {
    this.#before = day;
    this.#cursor = 0;
    this.#set.expire(day);
  }

  /**
   * Deletes a part of the expired ids: from memory first, then rows in which all are expired. Runs inside a transaction. Returns whether
   * that was all.
   */
  deleteSome(): boolean {
    if (!this.#set.removeSome()) return false;
    if (this.#cursor === null) return true;
    const rows = this.#rowsFrom.all(this.#cursor, SLICE_ROWS);
    let bytes = 0;
    for (const row of rows) {
      if (bytes >= SLICE_BYTES) return false;
      this.#cursor = Number(row['first']) + 1;
      if (Number(row['day']) >= this.#before) continue;
      this.#delete.run(Number(row['first']));
      bytes += Number(row['bytes']);
    }
    if (rows.length < SLICE_ROWS) this.#cursor = null;
    return this.#cursor === null;
  }

  /** The words that hold the id with this number (modulo 2^32), and its offset in them. */
  #kept(number: number): readonly [words: Int32Array, at: number] {
    const next = this.#first + this.#freshCount;
    const whole = next - ((next - number) >>> 0);
    if (whole >= this.#first) return [this.#fresh, (whole - this.#first) * WORDS];
    const row = this.#find.get(whole);
    return row === undefined ? [NONE, 0] : [wordsOf(row['words']), (whole - Number(row['first'])) * WORDS];
  }
}
