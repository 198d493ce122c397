/**
 * How much evidence a string needs, by its symbols. Strings are tested together, and there are many: 97 printable texts of one character,
 * 9,409 of two, and so on. So each has a weight before anything is seen, and a test at level α times its weight; the weights of all strings
 * sum to at most 1 (Genovese, Roeder, Wasserman 2006, "False Discovery Control with p-Value Weighting"). A string's weight is the product
 * of its symbols' weights and that of its end. The weights are fixed, whatever the data are. So no choice of them makes a false discovery
 * more likely; a good choice finds more.
 *
 * Symbols are bytes of UTF-8 and END. Control characters and bytes that no UTF-8 has are not looked for.
 */

import { END } from '@murmuration/shared';

/** Symbols that may follow and have the same weight. */
export interface Symbols {
  readonly symbols: Int32Array;
  readonly logWeight: number;
}

/** Weights of the characters of ASCII, each class divided evenly. The end has a tenth: strings have about ten characters. */
const CLASSES: readonly (readonly [weight: number, characters: string])[] = [
  [0.64, 'abcdefghijklmnopqrstuvwxyz'],
  [0.07, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
  [0.06, '0123456789'],
  [0.06, " -'._/:@"],
  [0.03, '!"#$%&()*+,;<=>?[\\]^`{|}~'],
];
const END_WEIGHT = 0.1;
/** Of bytes that begin a character of two, three or four bytes. */
const LEADS_WEIGHT = 0.04;
const [FIRST_LEAD, THREE, FOUR, LAST_LEAD] = [0xc2, 0xe0, 0xf0, 0xf4];
const [FIRST_TAIL, TAILS] = [0x80, 64];

const symbolsOf = (weight: number, symbols: readonly number[]): Symbols => ({
  symbols: Int32Array.from(symbols),
  logWeight: Math.log(weight / symbols.length),
});

/** Between characters. */
const first: readonly Symbols[] = [
  ...CLASSES.map(([weight, characters]) =>
    symbolsOf(
      weight,
      [...characters].map((character) => character.charCodeAt(0)),
    ),
  ),
  symbolsOf(
    LEADS_WEIGHT,
    Array.from({ length: LAST_LEAD - FIRST_LEAD + 1 }, (_, i) => FIRST_LEAD + i),
  ),
  symbolsOf(END_WEIGHT, [END]),
].sort((a, b) => b.logWeight - a.logWeight);

/** Within a character. */
const tails: readonly Symbols[] = [
  symbolsOf(
    1,
    Array.from({ length: TAILS }, (_, i) => FIRST_TAIL + i),
  ),
];

/** The symbols that may follow when so many bytes of a character are missing, by descending weight. */
export const symbolsAfter = (missing: number): readonly Symbols[] => (missing === 0 ? first : tails);

/** In place of the number of missing bytes, after the end. */
export const ENDED = 4;

/** How many bytes of a character are missing after a symbol, or ENDED. */
export function missingAfter(missing: number, symbol: number): number {
  if (symbol === END) return ENDED;
  if (missing > 0) return missing - 1;
  return symbol < FIRST_LEAD ? 0 : symbol < THREE ? 1 : symbol < FOUR ? 2 : 3;
}

/** The logarithm of a symbol's weight, by symbol. */
const tableOf = (all: readonly Symbols[]): Float64Array => {
  const table = new Float64Array(END + 1).fill(Number.NEGATIVE_INFINITY);
  for (const { symbols, logWeight } of all) for (const symbol of symbols) table[symbol] = logWeight;
  return table;
};
const [ofFirst, ofTail] = [tableOf(first), tableOf(tails)];

/** The logarithm of a symbol's weight when so many bytes of a character are missing. */
export const logWeightOf = (missing: number, symbol: number): number => (missing === 0 ? ofFirst : ofTail)[symbol] as number;

/** The logarithm of each symbol's weight, the end included if the string is shorter than the most bytes. */
export function logWeightsOf(bytes: Uint8Array, longest: number): readonly number[] {
  let missing = 0;
  const all = bytes.length < longest ? [...bytes, END] : [...bytes];
  return all.map((symbol) => {
    const logWeight = logWeightOf(missing, symbol);
    missing = missingAfter(missing, symbol);
    return logWeight;
  });
}
