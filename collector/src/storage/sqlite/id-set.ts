/**
 * The set of known batch ids, in memory: a hash, a number and a code of the day for each, 9 bytes in a table with open addressing (Knuth,
 * TAOCP 3, §6.4, algorithm L). Days are removed a shard at a time, so that nobody waits for all of them. The caller compares a hit in full with the id of that number, so false hits in the table do no harm. The hash is
 * keyed, because senders choose their ids.
 */

import { fmix32 } from '@murmuration/shared';

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

  /** Adds the id that begins at this word. It must not be in the set. */
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
