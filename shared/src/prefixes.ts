/**
 * Hashes of a string's prefixes, one byte after the other, so that the collector extends a prefix by a byte in a few operations. A string
 * is its UTF-8, cut to the most bytes of its law; END follows a shorter one. A prefix's hash is two words, each a chain of bijections
 * (mixing.ts), so two prefixes that differ in one byte never share a word.
 *
 * A string's bin is a hash of the whole string. At each level, a device hashes its prefix together with the bin of the whole string to a
 * place, so strings with a common prefix are told apart from the first level on, unless they also share a bin.
 */

import { utf8 } from './encoding/bytes.ts';
import { fmix32 } from './encoding/mixing.ts';

/** The symbol after the last byte of a string that is shorter than the most bytes. */
export const END = 256;

/** The words of the empty prefix: digits of π. */
export const FIRST_WORD = 0x243f6a88;
export const SECOND_WORD = 0x05a308d3;

/** The first word of a prefix and one more symbol. */
export const firstWord = (word: number, symbol: number): number => fmix32(word ^ Math.imul(symbol + 1, 0x9e3779b1));

/** The second word of a prefix and one more symbol. */
export const secondWord = (word: number, symbol: number): number => fmix32(Math.imul(word, 0x2c1b3c6d) + symbol + 1);

/** Multiply-shift: a whole number below n from 32 bits. */
const below = (bits: number, n: number): number => Math.floor(((bits >>> 0) * n) / 2 ** 32);

/** The bin of a whole string. */
export const binOf = (first: number, second: number, bins: number): number => below(fmix32(first ^ Math.imul(second, 0x1b873593)), bins);

/** The place of a prefix at a level, given the bin of its string. */
export function placeOfPrefix(level: number, bin: number, first: number, second: number, places: number): number {
  const mixed = fmix32(first ^ Math.imul(level + 1, 0x9e3779b1) ^ Math.imul(bin + 1, 0x7feb352d));
  return below(fmix32(second + mixed + bin), places);
}

/** How strings are divided into prefixes and hashed. */
export interface Prefixes {
  /** L, the most bytes of a string and the number of levels: the prefix of level l has l + 1 symbols. What follows is cut off. */
  readonly longest: number;
  /** B, the number of bins. */
  readonly bins: number;
  /** d, the number of places of each level. */
  readonly places: number;
}

/** The bytes of a string that are hashed. */
export const bytesOfText = (text: string, longest: number): Uint8Array =>
  // A unit of UTF-16 has at least one byte. One unit more, because two of them may be one character.
  utf8(text.slice(0, longest + 1)).slice(0, longest);

/** The place of a string at a level. */
export function placeOfText({ longest, bins, places }: Prefixes, level: number, text: string): number {
  const bytes = bytesOfText(text, longest);
  let [first, second, firstThere, secondThere] = [FIRST_WORD, SECOND_WORD, 0, 0];
  for (let i = 0; i < longest; i++) {
    if (i <= bytes.length) {
      const symbol = bytes[i] ?? END;
      first = firstWord(first, symbol);
      second = secondWord(second, symbol);
    }
    if (i <= level) [firstThere, secondThere] = [first, second];
  }
  return placeOfPrefix(level, binOf(first, second, bins), firstThere, secondThere, places);
}
