/** Proofs of local hashing of strings beyond those of the conformance suite: buckets and cohorts, strings in several cohorts, and estimates. */

import { bloomBit, hashString, type StringHashingLaw, stringHashing, stringHashingLaw } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { randomizeStringHashing } from '#client/randomizers/string-hashing.ts';
import { EPSILONS, expectHeld, expectLargest, PERMANENT } from './asked.ts';
import { range } from './channel.ts';
import { type Distribution, exactDistribution } from './enumerate.ts';
import { bucketRow, stringReport } from './hashed.ts';
import type { Rational } from './rational.ts';
import { expectFleets, FLEETS } from './string-fleets.ts';

const STRINGS = ['', 'a', 'b', 'Vögel', 'x'.repeat(300)];

const bucket = (text: string, cohort: number, buckets: number): number => bloomBit(hashString(text), cohort, 0, buckets);

/** The row of a string: each cohort is as likely as another. */
const rowOf = ({ cohorts, buckets, truth }: StringHashingLaw, text: string, T: number): Distribution =>
  bucketRow(
    cohorts,
    range(cohorts).map((cohort) => [cohort, bucket(text, cohort, buckets)]),
    buckets,
    truth,
    T,
    stringReport,
  );

describe.each([1e-4, ...EPSILONS])('at ε = %d', (epsilon) => {
  test('the law spends at most ε, and as much as integers can', () => {
    const law = stringHashingLaw(epsilon, 100_000);
    stringHashing.validate(law);
    expectHeld(stringHashing.odds(law).report, epsilon);
    expectLargest(stringHashing.odds({ ...law, truth: law.truth + 1 }).report, epsilon);
  });

  test('buckets have the least variance of all up to 4096; of a permanent metric they are the fewest within 5 % of it', () => {
    const e = Math.exp(epsilon);
    const variance = (g: number): number => (e - 1 + g) ** 2 / (g - 1);
    const all = range(4095).map((i) => variance(i + 2));
    const least = Math.min(...all);
    expect(variance(stringHashingLaw(epsilon, 1).buckets)).toBeLessThan(least * (1 + 1e-12));
    expect(stringHashingLaw(epsilon, 1, epsilon).buckets).toBe(all.findIndex((each) => each <= 1.05 * least) + 2);
  });

  test('collisions of strings that are not clear add at most a tenth, or the tally has 2^23 cells or 65,536 cohorts', () => {
    for (const devices of [1, 1000, 100_000, 1e9]) {
      const law = stringHashingLaw(epsilon, devices);
      const { buckets: g, cohorts } = law;
      stringHashing.validate(law);
      const e = Math.exp(epsilon);
      const coins = (e - 1 + g) ** 2 / ((e - 1) ** 2 * (g - 1)) / devices;
      // As many strings of three standard errors as there can be.
      const tenth = (m: number): boolean => (3 * Math.sqrt(coins)) / (m * (g - 1)) <= 0.1 * coins * (1 + 1e-9);
      expect(tenth(cohorts) || cohorts === 65_536 || cohorts * g >= 2 ** 23).toBe(true);
      if (cohorts > 1) expect(tenth(cohorts / 2)).toBe(false);
    }
  });
});

test('buckets of a permanent metric are 3 at ε₁ = 1, 6 at 2 and 37 at 4', () => {
  expect([1, 2, 4].map((epsilon) => stringHashingLaw(epsilon, 1, 5).buckets)).toEqual([3, 6, 37]);
});

test.each(PERMANENT)('permanent at ε₁ = %d, ε∞ = %d, it spends at most what was asked', (epsilon, permanent) => {
  const law = stringHashingLaw(epsilon, 1, permanent);
  stringHashing.validate(law);
  const odds = stringHashing.odds(law);
  expectHeld(odds.report, epsilon);
  expectHeld(odds.permanent as Rational, permanent);
});

test.each([1, 2, 4])('over all strings of words the shipped code has exactly the channel of each string, in %i cohorts', (cohorts) => {
  for (const [buckets, truth] of [
    [2, 11],
    [3, 9],
    [5, 13],
  ] as const) {
    const law: StringHashingLaw = { mechanism: 'string-hashing', cohorts, buckets, truth };
    for (const text of STRINGS)
      expect(exactDistribution((coins) => randomizeStringHashing(law, text, coins), 16)).toEqual(rowOf(law, text, 16));
  }
});

describe('a report', () => {
  const law: StringHashingLaw = { ...stringHashingLaw(1, 1), cohorts: 8 }; // 4 buckets

  test('of a cohort, a bucket or a length that there is not is refused', () => {
    expect(stringHashing.decode(law, Uint8Array.of(7, 3))).toEqual({ cohort: 7, cells: [3] });
    expect(() => stringHashing.decode(law, Uint8Array.of(8, 3))).toThrow(/cohort below 8/);
    expect(() => stringHashing.decode(law, Uint8Array.of(7, 4))).toThrow(/answer below 4/);
    for (const bytes of [[], [0], [0, 0, 0]]) expect(() => stringHashing.decode(law, Uint8Array.from(bytes))).toThrow(/2 bytes/);
  });

  test('is refused as a law with cohorts that are no power of two, or more than 2^24 cells', () => {
    for (const changed of [{ cohorts: 3 }, { cohorts: 0 }, { cohorts: 65_536, buckets: 257 }, { buckets: 1 }, { truth: 5 }]) {
      expect(() => stringHashing.validate({ ...law, ...changed })).toThrow(RangeError);
    }
  });
});

// npm run test:deep has more fleets, of more devices.
test.each(FLEETS)('%s, intervals cover and estimates have no bias, unlisted strings and few cohorts notwithstanding', (_, law) => {
  expectFleets(law, 120, 1_000);
});
