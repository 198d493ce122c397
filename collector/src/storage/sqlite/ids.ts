/**
 * The hashed ids of the batches in the tallies, each with 64 bits of its body's hash. They are appended in commit order, a thousand to a
 * row, and looked up in memory. A B-tree of random keys would write a page for each id (measured: five to ten times the CPU time of the
 * rest of a commit).
 */

import { totalmem } from 'node:os';
import type { DatabaseSync } from 'node:sqlite';
import { fmix32 } from '@murmuration/shared';
import { bytesOf, HASH, ID, wordsOf } from '../group-commit.ts';

// A set of ids, in memory: a hash and a number for each, 8 bytes in a table with open addressing (Knuth, TAOCP 3, §6.4, algorithm L). The
// caller compares a hit in full with the id of that number, so false hits do no harm. The hash is keyed, because senders choose their ids.

/** The table is split into shards, so that growing one shard causes no noticeable pause. */
const SHARD_BITS = 8;
const SHARDS = 1 << SHARD_BITS;
const FIRST_SLOTS = 8;

/** Words of an id. */
export const ID_WORDS = 4;

/** A shard without ids: one slot, which is empty. A slot is two words: a hash, which is never 0 in a slot that is taken, and the number. */
const EMPTY = new Int32Array(2);

function put(slots: Int32Array, hash: number, number: number): void {
  const mask = slots.length - 1;
  let at = (hash >>> (SHARD_BITS - 1)) & mask & ~1;
  while (slots[at] !== 0) at = (at + 2) & mask;
  slots[at] = hash;
  slots[at + 1] = number;
}

/** A set of ids, each with a number. Its memory is reserved shard by shard, as ids come. */
export class IdSet {
  readonly #shards: Int32Array[] = new Array<Int32Array>(SHARDS).fill(EMPTY);
  readonly #used = new Uint32Array(SHARDS);
  readonly #key: Int32Array = crypto.getRandomValues(new Int32Array(ID_WORDS));
  readonly #slots: number;
  #count = 0;

  /** @param expected capacity in ids; the set grows beyond it */
  constructor(expected: number = 0) {
    this.#slots = Math.max(FIRST_SLOTS, 2 ** Math.ceil(Math.log2(Math.max(1, (4 * expected) / (3 * SHARDS)))));
  }

  /** The number of ids. */
  get count(): number {
    return this.#count;
  }

  /**
   * The number, modulo 2^32, of the id that begins at this word; -1 when it is not in the set.
   *
   * @param isSame returns whether the id with this number is the one looked for
   */
  find(words: Int32Array, at: number, isSame: (number: number) => boolean): number {
    const hash = this.#hash(words, at);
    const slots = this.#shards[hash & (SHARDS - 1)] as Int32Array;
    const mask = slots.length - 1;
    for (let slot = (hash >>> (SHARD_BITS - 1)) & mask & ~1; slots[slot] !== 0; slot = (slot + 2) & mask) {
      const number = (slots[slot + 1] as number) >>> 0;
      if (slots[slot] === (hash | 1) && isSame(number)) return number;
    }
    return -1;
  }

  /** Adds the id that begins at this word. It must not be in the set. */
  add(words: Int32Array, at: number, number: number): void {
    const hash = this.#hash(words, at);
    const index = hash & (SHARDS - 1);
    const used = (this.#used[index] as number) + 1;
    this.#used[index] = used;
    let slots = this.#shards[index] as Int32Array;
    if (8 * used > 3 * slots.length) slots = this.#grow(index);
    put(slots, hash | 1, number); // the lowest bits are those of the shard
    this.#count++;
  }

  #hash(words: Int32Array, at: number): number {
    let hash = 0;
    for (let i = 0; i < ID_WORDS; i++) hash = fmix32(hash ^ (words[at + i] as number) ^ (this.#key[i] as number));
    return hash;
  }

  #grow(index: number): Int32Array {
    const old = this.#shards[index] as Int32Array;
    const slots = new Int32Array(2 * Math.max(this.#slots, old.length));
    for (let slot = 0; slot < old.length; slot += 2) if (old[slot] !== 0) put(slots, old[slot] as number, old[slot + 1] as number);
    this.#shards[index] = slots;
    return slots;
  }
}

/** Words of a stored id: its hash, 64 bits of the body's hash, the day of the batch. */
export const WORDS: number = ID_WORDS + 3;
/** Most ids in a row. Looking up one id reads its whole row. */
export const ROW = 1_000;
/** Most bytes of ids, and most rows, that one slice deletes or looks at. A slice takes some milliseconds, and a commit waits for one at most. */
const SLICE_BYTES = 2 ** 19;
const SLICE_ROWS = 500;

/** The most ids that may be asked for: twice as many, and their numbers modulo 2^32 would no longer tell them apart. */
export const MOST_IDS: number = 2 ** 30;
/** Bytes of an id in a table that has just grown. */
const MOST_BYTES = 22;
/** The part of the memory that ids may take, and a number that every machine has room for. */
const MEMORY_SHARE = 0.5;
const LEAST_IDS = 2 ** 20;

/**
 * The number of ids for which a machine has memory.
 *
 * @param memory the bytes of the machine, or those that the system lets this process have
 */
export function idsInMemory(memory: number = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)): number {
  return Math.min(MOST_IDS, Math.max(LEAST_IDS, Math.floor((MEMORY_SHARE * memory) / MOST_BYTES)));
}

const NONE = new Int32Array(0);

/** Ids that are read before the store opens, in a few seconds, and those that are read at once later, in some ten milliseconds. */
const AT_START = 4_000_000;
const AT_ONCE = 30_000;

/** The result of a lookup: unknown id, known with the same body or with another, or of a day whose ids are not all in memory yet. */
export type Known = 'new' | 'same' | 'other' | 'unread';

/** The ids of one day: those in memory, and how many are not. */
interface Day {
  readonly ids: IdSet;
  unread: number;
}

const NO_DAY: Day = { ids: new IdSet(), unread: 0 };

/** Adds the ids in the words of a row to the counts of their days. */
function countDays(words: Int32Array, counts: Map<number, number>): void {
  for (let at = WORDS - 1; at < words.length; at += WORDS) {
    const day = words[at] as number;
    counts.set(day, (counts.get(day) ?? 0) + 1);
  }
}

/** Recounts the stored ids of each day. Runs inside a transaction. */
export function countIds(database: DatabaseSync): void {
  const counts = new Map<number, number>();
  for (const { words } of database.prepare('SELECT words FROM ids').iterate()) countDays(wordsOf(words), counts);
  database.exec('DELETE FROM day_ids');
  const insert = database.prepare('INSERT INTO day_ids (day, ids) VALUES (?, ?)');
  for (const count of counts) insert.run(...count);
}

/**
 * The ids of a store. They are numbered from 1 in the order in which they were added, and numbers are never reused. A start reads the newest
 * ids first and does not wait for all: the store counts the ids of each day, so a day can be looked up as soon as so many are in memory.
 */
export class Ids {
  readonly #days = new Map<number, Day>();
  readonly #find;
  readonly #insert;
  readonly #count;
  readonly #rowsBefore;
  readonly #rowsFrom;
  readonly #delete;
  readonly #deleteCounts;
  /** Rows before this one may not be in memory yet. */
  #readTo: number;
  /** Ids of days before this one are expired. Their rows are deleted from this number on; null when all are. */
  #before: number;
  #cursor: number | null;
  /** Ids that are not in a row yet, and the number of the first of them. */
  #fresh: Int32Array<ArrayBuffer> = new Int32Array(ROW * WORDS);
  #freshCount = 0;
  #first = 1;

  /**
   * @param from ids of days before this one are dropped
   * @param atStart ids that are read now; `readSome` reads the others
   */
  constructor(database: DatabaseSync, from: number, atStart: number = AT_START) {
    this.#find = database.prepare('SELECT first, words FROM ids WHERE first <= ? ORDER BY first DESC LIMIT 1');
    this.#insert = database.prepare('INSERT INTO ids (first, day, words) VALUES (?, ?, ?)');
    this.#count = database.prepare('INSERT INTO day_ids (day, ids) VALUES (?, ?) ON CONFLICT DO UPDATE SET ids = ids + excluded.ids');
    this.#rowsBefore = database.prepare('SELECT first, words FROM ids WHERE first < ? ORDER BY first DESC');
    this.#rowsFrom = database.prepare('SELECT first, day, length(words) AS bytes FROM ids WHERE first >= ? ORDER BY first LIMIT ?');
    this.#delete = database.prepare('DELETE FROM ids WHERE first = ?');
    this.#deleteCounts = database.prepare('DELETE FROM day_ids WHERE day < ?');
    this.#before = from;
    const last = database.prepare('SELECT first, length(words) AS bytes FROM ids ORDER BY first DESC LIMIT 1').get();
    if (last !== undefined) this.#first = Number(last['first']) + Number(last['bytes']) / (4 * WORDS);
    this.#readTo = this.#first;
    const counts = database.prepare('SELECT day, ids FROM day_ids').all() as unknown as readonly { day: number; ids: number }[];
    for (const { day, ids } of counts) if (day >= from) this.#days.set(day, { ids: new IdSet(ids), unread: ids });
    this.#cursor = counts.some(({ day }) => day < from) ? 0 : null; // counts go after the rows, so a stop has left some
    this.readSome(atStart);
  }

  /** The number of ids in memory, and of those that are not in memory yet. */
  get count(): number {
    let count = 0;
    for (const { ids, unread } of this.#days.values()) count += ids.count + unread;
    return count;
  }

  /** The days that can't be looked up yet. */
  get unread(): readonly number[] {
    return [...this.#days].filter(([, { unread }]) => unread > 0).map(([day]) => day);
  }

  /** Reads so many of the ids that are not in memory yet, the newest first. Returns whether that was all. */
  readSome(most: number = AT_ONCE): boolean {
    let left = most;
    for (const row of this.#rowsBefore.iterate(this.#readTo)) {
      if (left <= 0) return false;
      const words = wordsOf(row['words']);
      this.#readTo = Number(row['first']);
      left -= words.length / WORDS;
      this.#keep(words, this.#readTo);
    }
    for (const day of this.#days.values()) day.unread = 0; // whatever their counts were: there are no more rows
    return true;
  }

  /** Looks up the batch that begins at this word, among those of its day. */
  known(words: Int32Array, batch: number, day: number): Known {
    const { ids, unread } = this.#days.get(day) ?? NO_DAY;
    if (unread > 0) return 'unread';
    let result: Known = 'new';
    ids.find(words, batch + ID, (number) => {
      const [kept, at] = this.#kept(number);
      for (let i = 0; i < ID_WORDS; i++) if (kept[at + i] !== words[batch + ID + i]) return false;
      const isSame = kept[at + ID_WORDS] === words[batch + HASH] && kept[at + ID_WORDS + 1] === words[batch + HASH + 1];
      result = isSame ? 'same' : 'other';
      return true;
    });
    return result;
  }

  /** Adds the id of a batch. It must not be known for its day. */
  add(words: Int32Array, batch: number, day: number): void {
    const at = this.#freshCount * WORDS;
    if (at === this.#fresh.length) {
      const larger = new Int32Array(2 * at);
      larger.set(this.#fresh);
      this.#fresh = larger;
    }
    this.#fresh.set(words.subarray(batch + ID, batch + HASH + 2), at);
    this.#fresh[at + WORDS - 1] = day;
    this.#dayOf(day).ids.add(words, batch + ID, this.#first + this.#freshCount++);
  }

  /** Writes the ids added since the last write. Runs inside a transaction; call `written` after its commit. */
  write(): void {
    const counts = new Map<number, number>();
    for (let at = 0; at < this.#freshCount; at += ROW) {
      const words = this.#fresh.subarray(at * WORDS, Math.min(at + ROW, this.#freshCount) * WORDS);
      countDays(words, counts);
      let last = 0;
      for (let day = WORDS - 1; day < words.length; day += WORDS) last = Math.max(last, words[day] as number);
      this.#insert.run(this.#first + at, last, bytesOf(words));
    }
    for (const count of counts) this.#count.run(...count);
  }

  written(): void {
    this.#first += this.#freshCount;
    this.#freshCount = 0;
  }

  /** Forgets the ids of days before this one. Call `deleteSome` until it returns true, to delete what is stored of them. */
  expire(day: number): void {
    this.#before = day;
    this.#cursor = 0;
    for (const each of this.#days.keys()) if (each < day) this.#days.delete(each);
  }

  /** Deletes a part of the rows in which all ids are expired. Runs inside a transaction. Returns whether that was all. */
  deleteSome(): boolean {
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
    if (rows.length === SLICE_ROWS) return false;
    this.#deleteCounts.run(this.#before);
    this.#cursor = null;
    return true;
  }

  #dayOf(day: number): Day {
    const known = this.#days.get(day) ?? { ids: new IdSet(), unread: 0 };
    this.#days.set(day, known);
    return known;
  }

  /** Takes the ids of a row, numbered from this one on, into memory. */
  #keep(words: Int32Array, first: number): void {
    let [last, day]: [number, Day | undefined] = [Number.NaN, undefined]; // most ids of a row are of one day
    for (let at = 0; at < words.length; at += WORDS) {
      const of = words[at + WORDS - 1] as number;
      if (of !== last) [last, day] = [of, of < this.#before ? undefined : this.#dayOf(of)];
      if (day === undefined) continue;
      day.ids.add(words, at, first + at / WORDS);
      if (day.unread > 0) day.unread--;
    }
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
