/** Proofs of local hashing of strings: the channel of a string in each cohort, buckets and cohorts, codec, and its estimates. */

import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { bloomBit, hashString, MODULUS, type StringHashingLaw, stringHashing, stringHashingLaw } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { randomizeStringHashing, respondStringHashing } from '#client/randomizers/string-hashing.ts';
import { estimatesOf } from '#collector/estimators/estimator.ts';
import { EPSILONS, expectHeld, expectLargest, PERMANENT } from './asked.ts';
import { compose, largestRatio, range } from './channel.ts';
import { type Distribution, exactDistribution } from './enumerate.ts';
import { bucketRow, stringReport } from './hashed.ts';
import { ONE, type Rational, sum } from './rational.ts';
import { binomial, pooled, upperTail } from './statistics.ts';

const FALSE_ALARM = 1e-6;
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

  test('strings have rows that sum to 1, and the stated odds as their largest ratio', () => {
    const law: StringHashingLaw = { ...stringHashingLaw(epsilon, 1), cohorts: 4 };
    const rows = STRINGS.map((text) => rowOf(law, text, MODULUS));
    for (const row of rows) expect(sum(row.values())).toEqual(ONE);
    expect(stringHashing.odds(law)).toEqual({ report: largestRatio(rows) });
  });

  test('buckets have the least variance of all up to 4096; of a permanent metric they are the fewest within 5 % of it', () => {
    const e = Math.exp(epsilon);
    const variance = (g: number): number => (e - 1 + g) ** 2 / (g - 1);
    const all = range(4095).map((i) => variance(i + 2));
    const least = Math.min(...all);
    expect(variance(stringHashingLaw(epsilon, 1).buckets)).toBeLessThan(least * (1 + 1e-12));
    expect(stringHashingLaw(epsilon, 1, epsilon).buckets).toBe(all.findIndex((each) => each <= 1.05 * least) + 2);
  });

  test('collisions add at most a tenth to the variance of the coins, or the tally has 2^23 cells or 65,536 cohorts', () => {
    for (const devices of [1, 1000, 100_000, 1e9]) {
      const law = stringHashingLaw(epsilon, devices);
      const { buckets: g, cohorts } = law;
      stringHashing.validate(law);
      const e = Math.exp(epsilon);
      const coins = (e - 1 + g) ** 2 / ((e - 1) ** 2 * (g - 1)) / devices;
      const tenth = (m: number): boolean => 0.05 / (m * (g - 1)) <= 0.1 * coins * (1 + 1e-9);
      expect(tenth(cohorts) || cohorts === 65_536 || cohorts * g >= 2 ** 23).toBe(true);
      if (cohorts > 1) expect(tenth(cohorts / 2)).toBe(false);
    }
  });
});

test('buckets of a permanent metric are 3 at ε₁ = 1, 6 at 2 and 37 at 4', () => {
  expect([1, 2, 4].map((epsilon) => stringHashingLaw(epsilon, 1, 5).buckets)).toEqual([3, 6, 37]);
});

test.each(PERMANENT)('permanent at ε₁ = %d, ε∞ = %d, it is the two stages one after the other', (epsilon, permanent) => {
  const law: StringHashingLaw = { ...stringHashingLaw(epsilon, 1, permanent), cohorts: 2 };
  stringHashing.validate(law);
  const again = (symbol: string): Distribution => {
    const { cohort, cells } = stringHashing.decode(law, Uint8Array.from(Buffer.from(symbol, 'hex')));
    return bucketRow(2, [[cohort, cells[0] as number]], law.buckets, law.irr?.truth as number, MODULUS, stringReport);
  };
  // Of many buckets, any two strings with different ones tell all.
  const strings = law.buckets > 50 ? [] : STRINGS;
  const symbols = strings.map((text) => rowOf(law, text, MODULUS));
  const reports = symbols.map((row) => compose(row, again));
  for (const row of reports) expect(sum(row.values())).toEqual(ONE);
  const odds = stringHashing.odds(law);
  if (strings.length > 0) expect(odds).toEqual({ report: largestRatio(reports), permanent: largestRatio(symbols) });
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

/** A fleet of devices that each have a string of a list, a third of them unlisted; estimates of the listed ones, and the truth. */
function fleet(law: StringHashingLaw, devices: number, seed: number, candidates: readonly string[]) {
  const coins = createCoins(words(seededRng(seed)));
  const tallies = new Map<number, { reports: number; readonly cells: Float64Array }>();
  const counts = candidates.map(() => 0);
  for (let device = 0; device < devices; device++) {
    const at = Math.min(coins.uniform(candidates.length), coins.uniform(candidates.length)); // falling shares
    const listed = coins.uniform(3) > 0;
    if (listed) counts[at] = (counts[at] as number) + 1;
    const symbol = randomizeStringHashing(law, listed ? (candidates[at] as string) : `unlisted ${seed} ${coins.uniform(50)}`, coins);
    const { cohort, cells } = stringHashing.decode(law, law.irr ? respondStringHashing(law, symbol, coins) : symbol);
    const tally = tallies.get(cohort) ?? { reports: 0, cells: new Float64Array(law.buckets) };
    tallies.set(cohort, tally);
    tally.reports++;
    for (const cell of cells) tally.cells[cell] = (tally.cells[cell] as number) + 1;
  }
  return { estimates: estimatesOf(law, { tallies, perDevice: 1, candidates }), truth: counts.map((count) => count / devices) };
}

// New strings for each fleet, so that the hash is new to it as well: its part of the error is a chance, as the intervals say.
test.each([
  ['one-time', { ...stringHashingLaw(2, 1), cohorts: 64 }],
  ['permanent', { ...stringHashingLaw(1.5, 1, 3), cohorts: 32 }],
  ['of too few cohorts', { ...stringHashingLaw(4, 1), cohorts: 2 }],
] as const)('%s, intervals cover and estimates have no bias, unlisted strings and few cohorts notwithstanding', (_, law) => {
  const [fleets, devices] = [250, 2_000];
  const covered: number[] = [];
  const scores: number[] = [];
  for (let seed = 1; seed <= fleets; seed++) {
    const candidates = range(8).map((i) => `${seed}/${i}`);
    const { estimates, truth } = fleet(law, devices, 77_000 + seed, candidates);
    const at = seed % 8; // one of each fleet: those of one depend on each other
    const { low, high, estimate, standardError } = estimates[at] as (typeof estimates)[number];
    covered.push(Number(low <= (truth[at] as number) && (truth[at] as number) <= high));
    scores.push((estimate - (truth[at] as number)) / standardError);
  }
  const hits = covered.reduce((total, hit) => total + hit, 0);
  expect(upperTail(binomial(hits, 0.95, fleets))).toBeGreaterThan(FALSE_ALARM);
  const statistic = scores.reduce((total, score) => total + score ** 2, 0);
  const tail = upperTail(pooled([{ statistic, degrees: fleets }]));
  expect(tail).toBeGreaterThan(FALSE_ALARM);
  expect(1 - tail).toBeGreaterThan(FALSE_ALARM);
  const bias = scores.reduce((total, score) => total + score, 0) ** 2 / fleets;
  expect(upperTail({ statistic: bias, degrees: 1 })).toBeGreaterThan(FALSE_ALARM);
});
