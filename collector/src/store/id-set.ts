/**
 * The set of known batch ids, in memory: a hash, a number and a day for each, 9 bytes in a table with open addressing (Knuth, TAOCP 3,
 * §6.4, algorithm L). The caller compares a hit in full with the id of that number, so false hits in the table do no harm. The hash is
 * keyed, because senders choose their ids.
 */

import { fmix32 } from '@murmuration/shared';

/** The table is split into shards, so that growing one shard causes no noticeable pause. */
const SHARD_BITS = 6;
const FIRST_SLOTS = 64;
/** All days of a set lie within this range, so one byte holds a day and a flag for a used slot. */
const DAYS = 128;
const USED = 128;

/** Words of an id. */
export const ID_WORDS = 4;

interface Shard {
  /** Two words per slot: the hash, and the number modulo 2^32. */
  readonly slots: Int32Array;
  /** `USED` and the day modulo `DAYS`; 0 in an empty slot. */
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
  /** A lower bound of all days in the set. */
  #least = Number.POSITIVE_INFINITY;

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
    put(shard, hash, number, USED + (day % DAYS));
    shard.used++;
    this.#count++;
    this.#least = Math.min(this.#least, day);
  }

  /** Removes the ids of days before this one. */
  expire(day: number): void {
    const least = this.#least;
    if (day <= least) return;
    this.#least = day;
    const isKept = (kept: number): boolean => least + ((kept - USED - least) & (DAYS - 1)) >= day;
    for (const [index, { days }] of this.#shards.entries()) this.#rebuild(index, days.length, isKept);
  }

  #hash(words: Int32Array, at: number): number {
    let hash = 0;
    for (let i = 0; i < ID_WORDS; i++) hash = fmix32(hash ^ (words[at + i] as number) ^ (this.#key[i] as number));
    return hash;
  }

  #rebuild(index: number, slots: number, isKept: (day: number) => boolean): Shard {
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
