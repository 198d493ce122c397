/** A string with the place that it has at each level. */

import { binOf, END, FIRST_WORD, firstWord, type PrefixHashingLaw, placeOfPrefix, SECOND_WORD, secondWord } from '@murmuration/shared';

/** A whole string. */
export interface Placed {
  readonly bytes: Uint8Array;
  readonly bin: number;
  /** By level. */
  readonly places: Int32Array;
  /** By level, the words of its prefix. */
  readonly first: Int32Array;
  readonly second: Int32Array;
}

/** The places of a string. */
export function placed({ longest, bins, places }: PrefixHashingLaw, bytes: Uint8Array): Placed {
  const [first, second] = [new Int32Array(longest), new Int32Array(longest)];
  let [one, other] = [FIRST_WORD, SECOND_WORD];
  for (let level = 0; level < longest; level++) {
    if (level <= bytes.length) {
      const symbol = bytes[level] ?? END;
      [one, other] = [firstWord(one, symbol), secondWord(other, symbol)];
    }
    first[level] = one;
    second[level] = other;
  }
  const bin = binOf(one, other, bins);
  return {
    bytes,
    bin,
    first,
    second,
    places: first.map((word, level) => placeOfPrefix(level, bin, word, second[level] as number, places)),
  };
}
