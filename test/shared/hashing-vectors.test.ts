/** The vectors of local hashing, made by an independent script from docs/format.md, hold for the shipped code. */

import { readFileSync } from 'node:fs';
import {
  bloomBit,
  bucketOf,
  familyOf,
  hashString,
  type Law,
  localHashingLaw,
  mechanismOf,
  pairText,
  stringHashingLaw,
  utf8,
} from '@murmuration/shared';
import murmur from 'murmurhash3js-revisited';
import { expect, test } from 'vitest';

interface LawCase {
  readonly table?: 'list' | 'strings';
  readonly size: number;
  readonly buckets?: number;
  readonly devices: number;
  readonly epsilon: number;
  readonly permanent?: number;
  readonly law: Law;
  readonly odds: readonly [string, string];
  readonly permanentOdds?: readonly [string, string];
}

const vectors = JSON.parse(readFileSync(new URL('../vectors/local-hashing.json', import.meta.url), 'utf8')) as {
  readonly list: readonly LawCase[];
  readonly strings: readonly LawCase[];
  readonly refused: readonly LawCase[];
  readonly families: readonly {
    readonly size: number;
    readonly buckets: number;
    readonly vectors: number;
    readonly cohorts: number;
    readonly answers: readonly number[];
    readonly rows: readonly { readonly cohort: number; readonly buckets: readonly number[] }[];
  }[];
  readonly buckets: readonly {
    readonly string: string;
    readonly buckets: readonly { readonly cohort: number; readonly of: number; readonly is: number }[];
  }[];
  readonly pairs: readonly { readonly string: string; readonly index: number; readonly text: string; readonly murmur3_x64_128: string }[];
};

const derive = {
  list: ({ size, epsilon, permanent, buckets }: LawCase): Law => localHashingLaw(size, epsilon, permanent, buckets),
  strings: ({ epsilon, devices, permanent }: LawCase): Law => stringHashingLaw(epsilon, devices, permanent),
};

test.each(['list', 'strings'] as const)('%s: every integer and every exact e^ε is the independent one', (table) => {
  expect(vectors[table].length).toBeGreaterThan(100);
  for (const each of vectors[table]) {
    const law = derive[table](each);
    expect(law).toEqual(each.law);
    const { report, permanent } = mechanismOf(law).odds(law);
    expect([report.numerator, report.denominator].map(String)).toEqual(each.odds);
    expect(permanent && [permanent.numerator, permanent.denominator].map(String)).toEqual(each.permanentOdds);
  }
});

test('what 32 bits cannot hold is refused by both', () => {
  expect(vectors.refused.length).toBeGreaterThan(3);
  for (const each of vectors.refused)
    expect(() => derive[each.table as 'list' | 'strings'](each), JSON.stringify(each)).toThrow(RangeError);
});

test('families, and the buckets of answers and of strings, are the independent ones', () => {
  for (const { size, buckets, vectors: all, cohorts, answers, rows } of vectors.families) {
    expect(familyOf(size, buckets)).toMatchObject({ vectors: all, cohorts });
    for (const { cohort, buckets: row } of rows) expect(answers.map((answer) => bucketOf(buckets, cohort, answer))).toEqual(row);
  }
  for (const { string, buckets } of vectors.buckets) {
    for (const { cohort, of, is } of buckets) expect(bloomBit(hashString(string), cohort, 0, of)).toBe(is);
  }
});

test('the texts of pairs are the independent ones, and so are their hashes', () => {
  expect(vectors.pairs.length).toBeGreaterThan(20);
  for (const { string, index, text, murmur3_x64_128 } of vectors.pairs) {
    expect(pairText(string, index)).toBe(text);
    expect(murmur.x64.hash128(utf8(text), 0)).toBe(murmur3_x64_128);
  }
});
