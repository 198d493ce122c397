/**
 * Strings of any characters for properties. fast-check's own unit of this kind, `binary`, first maps each of a million characters to its
 * number, which takes two seconds in every process.
 */

import fc from 'fast-check';

/** The first half of a pair, which is no character alone, and how many halves there are. */
const [FIRST_HALF, HALVES] = [0xd800, 0x800];

const character = fc.integer({ min: 0, max: 0x10ffff - HALVES }).map(
  (number) => String.fromCodePoint(number < FIRST_HALF ? number : number + HALVES),
  (text) => {
    const code = typeof text === 'string' && [...text].length === 1 ? (text.codePointAt(0) as number) : FIRST_HALF;
    if (code >= FIRST_HALF && code < FIRST_HALF + HALVES) throw new TypeError('expected one character');
    return code < FIRST_HALF ? code : code - HALVES;
  },
);

/** Strings of at most so many characters, of which lone surrogates are none. */
export const anyString = (maxLength?: number): fc.Arbitrary<string> => fc.string({ unit: character, ...(maxLength && { maxLength }) });
