/**
 * Maps a string to Bloom bits: MurmurHash3 once per string, then a few integer operations for each cohort and hash. A hash call for each
 * cohort would cost a hundred times as much when a million candidates are decoded.
 */

import murmur from 'murmurhash3js-revisited';
import { utf8 } from './encoding/bytes.ts';
import { fmix32 } from './encoding/mixing.ts';
import { MAX_STRING_BYTES, TOO_LONG } from './too-long.ts';

/** A string's hash, folded to the two words that a cohort is mixed into. */
export type StringHash = readonly [first: number, second: number];

/** Hashes a string once: MurmurHash3 x64 128, seed 0, of its UTF-8; each 64-bit half is folded to 32 bits. */
export function hashString(text: string): StringHash {
  // A string with more UTF-16 units than the limit is too long without encoding it: UTF-8 has at least one byte per unit.
  const bytes = utf8(text.length > MAX_STRING_BYTES ? TOO_LONG : text);
  const within = bytes.length > MAX_STRING_BYTES ? utf8(TOO_LONG) : bytes;
  const digest = murmur.x64.hash128(within, 0);
  const word = (i: number): number => Number.parseInt(digest.slice(8 * i, 8 * i + 8), 16);
  return [word(0) ^ word(1), word(2) ^ word(3)];
}

/**
 * The Bloom filter's bit for hash i of a string in a cohort, in [0, bits).
 * Double hashing, y + i x with odd x (Kirsch and Mitzenmacher 2006, §2); multiply-shift maps 32 bits to the range.
 */
export function bloomBit(hash: StringHash, cohort: number, i: number, bits: number): number {
  const x = fmix32(hash[0] ^ Math.imul(cohort + 1, 0x9e3779b1));
  const y = fmix32((hash[1] + x) | 0);
  return Math.floor((((y + Math.imul(i, x | 1)) >>> 0) * bits) / 2 ** 32);
}

/** The distinct bits of a string's Bloom filter in a cohort, in the order of their hashes. */
export function bloomBits(hash: StringHash, cohort: number, hashes: number, bits: number): readonly number[] {
  const found = new Set<number>();
  for (let i = 0; i < hashes; i++) found.add(bloomBit(hash, cohort, i, bits));
  return [...found];
}
