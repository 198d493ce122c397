/**
 * The hashed ids of the batches in the tallies, each with 64 bits of its body's hash. They are appended in commit order, a thousand to a
 * row, and looked up in memory. A B-tree of random keys would write a page for each id (measured: five to ten times the CPU time of the
 * rest of a commit).
 */

import { totalmem } from 'node:os';
import type { DatabaseSync } from 'node:sqlite';
import { fmix32 } from '@murmuration/shared';
import { bytesOf, HASH, ID, wordsOf } from '../group-commit.ts';

// The set of known batch ids, in memory: a hash, a number and a code of the day for each, 9 bytes in a table with open addressing (Knuth,
// TAOCP 3, §6.4, algorithm L). Days are removed a shard at a time, so that nobody waits for all of them. The caller compares a hit in full with the id of that number, so false hits in the table do no harm. The hash is
// keyed, because senders choose their ids.

/** The table is split into shards, so that growing one shard causes no noticeable pause. */
const SHARD_BITS = 8;
const FIRST_SLOTS = 64;
/** Codes of days fit a byte; 0 is an empty slot. */
const CODES = 255;

/** Words of an id. */
export const ID_WORDS = 4;

interface Shard {
  /** Two words per slot: the hash, and the number modulo 2^32. */
  readonly slots: Int32Array;
  /** The code of the day; 0 in an empty slot. */
  readonly days: Uint8Array;
  used: number;
}

const shardOf = (slots: number): Shard => ({ slots: new Int32Array(2 * slots), days: new Uint8Array(slots), used: 0 });

function put({ slots, days }: Shard, hash: number, number: number, day: number): void {
  const mask = days.length - 1;
  let slot = (hash >>> SHARD_BITS) & mask;
  while (days[slot] !== 0) slot = (slot + 1) & mask;
  slots[2 * slot] = hash;
  slots[2 * slot + 1] = number;
  days[slot] = day;
}

/** A set of ids, each with a number and the day of its batch. */
export class IdSet {
  readonly #shards: Shard[];
  readonly #key: Int32Array = crypto.getRandomValues(new Int32Array(ID_WORDS));
  #count = 0;
  /** The code of each day in the set. */
  readonly #codes = new Map<number, number>();
  /** Ids of days before this one are being removed, from the shards from this one on. */
  #before = Number.NEGATIVE_INFINITY;
  #next = 1 << SHARD_BITS;

  /** @param expected initial capacity in ids; the set grows beyond it */
  constructor(expected: number = 0) {
    const each = (4 / 3) * (expected / (1 << SHARD_BITS));
    const slots = Math.max(FIRST_SLOTS, 2 ** Math.ceil(Math.log2(Math.max(1, each))));
    this.#shards = Array.from({ length: 1 << SHARD_BITS }, () => shardOf(slots));
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
    const { slots, days } = this.#shards[hash & ((1 << SHARD_BITS) - 1)] as Shard;
    const mask = days.length - 1;
    for (let slot = (hash >>> SHARD_BITS) & mask; ; slot = (slot + 1) & mask) {
      if (days[slot] === 0) return -1;
      const number = (slots[2 * slot + 1] as number) >>> 0;
      if (slots[2 * slot] === hash && isSame(number)) return number;
    }
  }

  /** Adds the id that begins at this word. It must not be in the set with this day. */
  add(words: Int32Array, at: number, number: number, day: number): void {
    const hash = this.#hash(words, at);
    const index = hash & ((1 << SHARD_BITS) - 1);
    let shard = this.#shards[index] as Shard;
    const slots = shard.days.length;
    if (4 * (shard.used + 1) > 3 * slots) shard = this.#rebuild(index, 2 * slots, () => true);
    put(shard, hash, number, this.#codeOf(day));
    shard.used++;
    this.#count++;
  }

  /** Begins to remove the ids of days before this one. They may still be found until `removeSome` has returned true. */
  expire(day: number): void {
    this.#before = Math.max(day, this.#before);
    this.#next = 0;
  }

  /** Removes expired ids from one shard. Returns whether all are removed. */
  removeSome(): boolean {
    if (this.#next === this.#shards.length) return true;
    const expired = new Set([...this.#codes].filter(([day]) => day < this.#before).map(([, code]) => code));
    const { days } = this.#shards[this.#next] as Shard;
    if (expired.size > 0) this.#rebuild(this.#next, days.length, (code) => !expired.has(code));
    if (++this.#next < this.#shards.length) return false;
    for (const [day] of this.#codes) if (day < this.#before) this.#codes.delete(day);
    return true;
  }

  /** The code of a day. Where all are taken, a day takes over that of the latest, and the ids of both go with the later of them. */
  #codeOf(day: number): number {
    const known = this.#codes.get(day);
    if (known !== undefined) return known;
    const taken = new Set(this.#codes.values());
    let code = 1;
    while (taken.has(code)) code++;
    if (code > CODES) {
      const latest = Math.max(...this.#codes.keys());
      code = this.#codes.get(latest) as number;
      if (day < latest) return code;
      this.#codes.delete(latest);
    }
    this.#codes.set(day, code);
    return code;
  }

  #hash(words: Int32Array, at: number): number {
    let hash = 0;
    for (let i = 0; i < ID_WORDS; i++) hash = fmix32(hash ^ (words[at + i] as number) ^ (this.#key[i] as number));
    return hash;
  }

  #rebuild(index: number, slots: number, isKept: (code: number) => boolean): Shard {
    const old = this.#shards[index] as Shard;
    const fresh = shardOf(slots);
    for (let slot = 0; slot < old.days.length; slot++) {
      const number = old.slots[2 * slot + 1] as number;
      const day = old.days[slot] as number;
      if (day === 0 || !isKept(day)) continue;
      put(fresh, old.slots[2 * slot] as number, number, day);
      fresh.used++;
    }
    this.#shards[index] = fresh;
    this.#count += fresh.used - old.used;
    return fresh;
  }
}

/** Words of a stored id: its hash, 64 bits of the body's hash, the day of the batch. */
export const WORDS: number = ID_WORDS + 3;
/** Most ids in a row. Looking up one id reads its whole row. */
export const ROW = 1_000;
/** Most bytes of ids, and most rows, that one slice deletes or looks at. A slice takes some milliseconds, and a commit waits for one at most. */
const SLICE_BYTES = 2 ** 19;
const SLICE_ROWS = 500;
/** Initial capacity in ids, 20 MB. Memory use stays constant until there are more. */
const ROOM = 1_000_000;

/** The most ids that may be asked for: twice as many, and their numbers modulo 2^32 would no longer tell them apart. */
export const MOST_IDS: number = 2 ** 30;
/** Bytes of an id in a table that has just grown. */
const MOST_BYTES = 24;
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

/** Ids that are read before the store takes batches, in some seconds, and those that are read at once later, in some milliseconds. */
const AT_START = 4_000_000;
const AT_ONCE = 10_000;

/** The result of a lookup: unknown id, known with the same body or with another, or of a day whose ids are not in memory yet. */
export type Known = 'new' | 'same' | 'other' | 'unread';

/** A row that is not in memory yet. Its day is the latest of its ids. */
interface Unread {
  readonly first: number;
  readonly day: number;
  readonly ids: number;
}

/**
 * The ids of a store. They are numbered from 1 in the order in which they were added, and numbers are never reused. A start reads the newest
 * days first and does not wait for all: a day can be looked up when every row that has it, or a later one, is in memory.
 */
export class Ids {
  readonly #set: IdSet;
  readonly #wordsAt;
  /** The newest last. */
  readonly #unread: Unread[];
  #unreadIds = 0;
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

  /**
   * @param from ids of days before this one are dropped
   * @param atStart ids that are read now; `readSome` reads the others
   */
  constructor(database: DatabaseSync, from: number, atStart: number = AT_START) {
    this.#find = database.prepare('SELECT first, words FROM ids WHERE first <= ? ORDER BY first DESC LIMIT 1');
    this.#insert = database.prepare('INSERT INTO ids (first, day, words) VALUES (?, ?, ?)');
    this.#rowsFrom = database.prepare('SELECT first, day, length(words) AS bytes FROM ids WHERE first >= ? ORDER BY first LIMIT ?');
    this.#delete = database.prepare('DELETE FROM ids WHERE first = ?');
    this.#before = from;
    this.#wordsAt = database.prepare('SELECT words FROM ids WHERE first = ?');
    const rows = database.prepare(`SELECT first, day, length(words) / ${4 * WORDS} AS ids FROM ids ORDER BY day, first`);
    const all = rows.all() as unknown as readonly Unread[];
    for (const { first, ids } of all) this.#first = Math.max(this.#first, first + ids);
    this.#unread = all.filter(({ day }) => day >= from);
    for (const { ids } of this.#unread) this.#unreadIds += ids;
    this.#set = new IdSet(Math.max(ROOM, this.#unreadIds));
    this.readSome(atStart);
  }

  /** The number of ids in memory, and of those in rows that are not in memory yet. */
  get count(): number {
    return this.#set.count + this.#unreadIds;
  }

  /** Reads so many of the ids that are not in memory yet, those of the newest days first. Returns whether that was all. */
  readSome(most: number = AT_ONCE): boolean {
    for (let left = most; left > 0; ) {
      const row = this.#unread.pop();
      if (row === undefined) break;
      left -= row.ids;
      this.#unreadIds -= row.ids;
      const words = wordsOf(this.#wordsAt.get(row.first)?.['words'] ?? new Uint8Array());
      for (let at = 0, number = row.first; at < words.length; at += WORDS, number++) {
        const day = words[at + WORDS - 1] as number;
        if (day >= this.#before) this.#set.add(words, at, number, day);
      }
    }
    return this.#unread.length === 0;
  }

  /** Looks up the batch that begins at this word, among those of its day. */
  known(words: Int32Array, batch: number, day: number): Known {
    if (day <= (this.#unread.at(-1)?.day ?? Number.NEGATIVE_INFINITY)) return 'unread';
    let result: Known = 'new';
    this.#set.find(words, batch + ID, (number) => {
      const [kept, at] = this.#kept(number);
      // An id whose row was deleted has no words, so it never matches.
      if (day < this.#before || kept[at + WORDS - 1] !== day) return false;
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
