/** The vectors of local hashing, made by an independent script from docs/format.md, hold for the shipped code. */

import {
  bloomBit,
  bucketOf,
  familyOf,
  hashString,
  type Law,
  localHashingLaw,
  longListLaw,
  pairText,
  stringHashingLaw,
  utf8,
} from '@murmuration/shared';
import murmur from 'murmurhash3js-revisited';
import { expect, test } from 'vitest';
import { type LawCase, readVectors, testLaws, testRefused } from './law-vectors.ts';

interface Case extends LawCase {
  readonly size: number;
  readonly buckets?: number;
  readonly devices: number;
  readonly epsilon: number;
}

const vectors = readVectors<{
  readonly list: readonly Case[];
  readonly long: readonly Case[];
  readonly strings: readonly Case[];
  readonly refused: readonly (Case & { readonly table: 'list' | 'strings' })[];
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
}>('local-hashing');

const derive = {
  list: ({ size, epsilon, permanent, buckets }: Case): Law => localHashingLaw(size, epsilon, permanent, buckets),
  long: ({ size, epsilon }: Case): Law => longListLaw(size, epsilon),
  strings: ({ epsilon, devices, permanent }: Case): Law => stringHashingLaw(epsilon, devices, permanent),
};

testLaws({ list: vectors.list, long: vectors.long, strings: vectors.strings }, derive);
testRefused(vectors.refused, (of) => derive[of.table](of));

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
