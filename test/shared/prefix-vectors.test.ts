/** Prefix hashing against the vectors of an independent program. */

import { readFileSync } from 'node:fs';
import { type PrefixHashingLaw, placeOfText, prefixHashing, prefixHashingLaw } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';

interface Vectors {
  readonly laws: readonly { longest: number; epsilon: number; law: PrefixHashingLaw; odds: readonly [string, string] }[];
  readonly refused: readonly { longest: number; epsilon: number }[];
  readonly places: readonly { string: string; longest: number; bins: number; places: number; levels: readonly number[] }[];
}

const vectors = JSON.parse(readFileSync(new URL('../vectors/prefixes.json', import.meta.url), 'utf8')) as Vectors;

describe('prefix hashing', () => {
  test.each(vectors.laws)('has the law of ε = $epsilon', ({ longest, epsilon, law, odds }) => {
    const found = prefixHashingLaw(longest, epsilon);
    expect(found).toEqual(law);
    prefixHashing.validate(found);
    const { report } = prefixHashing.odds(found);
    expect([report.numerator, report.denominator].map(String)).toEqual(odds.map(String));
  });

  test.each(vectors.refused)('has no law of ε = $epsilon', ({ longest, epsilon }) => {
    expect(() => prefixHashingLaw(longest, epsilon)).toThrow(RangeError);
  });

  test.each(vectors.places)('has the places of $string with $longest levels', ({ string, longest, bins, places, levels }) => {
    expect(levels.map((_, level) => placeOfText({ longest, bins, places }, level, string))).toEqual(levels);
  });
});
