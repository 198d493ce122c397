/** Proofs of the families of cohorts: any two answers collide in exactly the stated share, and buckets are the inner products. */

import { bucketOf, familyOf, isPrime } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { range } from './channel.ts';
import { cohortVectors, dimension, innerProduct } from './hashed.ts';
import { rational, toNumber } from './rational.ts';

const PRIMES = range(32).filter((n) => n > 1 && range(n).every((m) => m < 2 || n % m !== 0));

test('primes are those that nothing else divides', () => {
  expect(range(32).filter((n) => n > 1 && isPrime(n))).toEqual(PRIMES);
  expect([4093, 65_521, 8_886_109].map(isPrime)).toEqual([true, true, true]);
  expect([4087, 65_535, 9409].map(isPrime)).toEqual([false, false, false]);
});

describe.each([2, 3, 4, 5, 7, 11])('in %i buckets', (g) => {
  test.each([g + 1, g * g - 1, g * g, g * g + 1, 70].filter((size) => size > g))(
    'cohorts are the normalised vectors over %i answers',
    (size) => {
      const vectors = cohortVectors(size, g);
      expect(familyOf(size, g).cohorts).toBe(vectors.length);
      expect(vectors.length).toBe((g ** dimension(size, g) - 1) / (g - 1));
      vectors.forEach((s, cohort) => {
        for (const answer of range(size)) expect(bucketOf(g, cohort, answer)).toBe(innerProduct(s, answer, g));
      });
    },
  );

  test.each([g + 1, g * g, g * g + 1, 70].filter((size) => size > g))(
    'any two of %i answers collide in exactly c of the cohorts',
    (size) => {
      const k = dimension(size, g);
      const { cohorts, collisions } = familyOf(size, g);
      const rows = range(size).map((answer) => range(cohorts).map((cohort) => bucketOf(g, cohort, answer)));
      rows.forEach((row, u) => {
        for (const other of rows.slice(u + 1))
          expect(row.filter((bucket, j) => bucket === other[j]).length).toBe((g ** (k - 1) - 1) / (g - 1));
      });
      expect(collisions).toBe(toNumber(rational(g ** (k - 1) - 1, g ** k - 1)));
    },
  );
});

test('as many buckets as answers, prime or not, are one cohort without collisions', () => {
  for (const size of [2, 4, 6, 9, 100_000]) {
    expect(familyOf(size, size)).toEqual({ vectors: size, cohorts: 1, collisions: 0 });
    for (const answer of [0, 1, size - 1]) expect(bucketOf(size, 0, answer)).toBe(answer);
  }
});

test('the largest families are exact whole numbers', () => {
  expect(familyOf(100_000, 2)).toEqual({ vectors: 2 ** 17, cohorts: 131_071, collisions: 65_535 / 131_071 });
  expect(familyOf(100_000, 317)).toEqual({ vectors: 317 ** 2, cohorts: 318, collisions: 1 / 318 });
  expect(familyOf(2 ** 24, 4093)).toEqual({ vectors: 4093 ** 3, cohorts: 4093 ** 2 + 4094, collisions: (4093 ** 2 - 1) / (4093 ** 3 - 1) });
});
