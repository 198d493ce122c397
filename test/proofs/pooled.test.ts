/**
 * The plumbing, by statistics: the client's own words, coins and randomizers at production sizes, one chi-squared
 * statistic for each mechanism. Seeds are fixed. A correct system fails with a probability below 1e-6 for each seed, and
 * a law that is wrong by 2 % fails, which each test shows by holding the same counts against such a law. In the deep tier
 * there are four times as many reports, and 1 % is enough.
 */

import { createCoins, seededRng, words } from '@murmuration/client/testing';
import {
  bloomBits,
  bucketOf,
  familyOf,
  hashString,
  type KAryLaw,
  kAry,
  kAryLaw,
  type LocalHashingLaw,
  localHashing,
  localHashingLaw,
  MODULUS,
  overBuckets,
  permanentKAryLaw,
  type RapporLaw,
  rappor,
  rapporLaw,
  type SubsetLaw,
  subset,
  subsetLaw,
} from '@murmuration/shared';
import { expect, test } from 'vitest';
import { respondBits } from '#client/randomizers/bits.ts';
import { randomizeKAry, respondKAry } from '#client/randomizers/k-ary.ts';
import { randomizeLocalHashing, respondLocalHashing } from '#client/randomizers/local-hashing.ts';
import { randomizeRappor } from '#client/randomizers/rappor.ts';
import { randomizeSubset } from '#client/randomizers/subset.ts';
import { EFFORT } from '../setup/effort.ts';
import { range } from './channel.ts';
import { binomial, type ChiSquared, multinomial, pooled, upperTail } from './statistics.ts';

const FALSE_ALARM = 1e-6;

/** What a threshold of a wrong law is of the right one's. */
const OFF = 1 - 0.02 / Math.sqrt(EFFORT);

/** Fails unless the counts fit the law, and would not fit the same law with a wrong threshold. */
function expectFit<L, C>(
  samples: readonly { readonly law: L; readonly wrong: L; readonly counts: C }[],
  chiSquaredOf: (law: L, counts: C) => ChiSquared,
): void {
  expect(upperTail(pooled(samples.map(({ law, counts }) => chiSquaredOf(law, counts))))).toBeGreaterThan(FALSE_ALARM);
  expect(upperTail(pooled(samples.map(({ wrong, counts }) => chiSquaredOf(wrong, counts))))).toBeLessThan(FALSE_ALARM);
}

test('k-ary response of 16 and of 1024 answers, one-shot and permanent, reports each answer as often as the law says', () => {
  const coins = createCoins(words(seededRng(2026)));
  const reports = 125_000 * EFFORT;
  const sample = (law: KAryLaw, answer: number) => {
    const counts = range(law.size).map(() => 0);
    for (let i = 0; i < reports; i++) {
      const symbol = randomizeKAry(law, answer, coins);
      const [cell] = kAry.decode(law, law.irr === undefined ? symbol : respondKAry(law, symbol, coins)).cells;
      counts[cell as number] = (counts[cell as number] as number) + 1;
    }
    return { law, wrong: { ...law, truth: Math.round(law.truth * OFF) }, counts: { answer, counts } };
  };
  const samples = [kAryLaw(16, 4), kAryLaw(1024, 8), permanentKAryLaw(16, 4, 6)].flatMap((law) =>
    [0, 5, law.size - 1].map((answer) => sample(law, answer)),
  );
  expectFit(samples, (law, { answer, counts }) => {
    const { p, q } = kAry.support(law);
    return multinomial(
      counts,
      range(law.size).map((cell) => (cell === answer ? p : q)),
      reports,
    );
  });
});

test('subset selection of 16 and of 128 answers holds the answer and each other one as often as the law says', () => {
  const coins = createCoins(words(seededRng(1125)));
  const sample = (law: SubsetLaw, answer: number, reports: number) => {
    const counts = range(law.size).map(() => 0);
    for (let i = 0; i < reports; i++) {
      for (const cell of subset.decode(law, randomizeSubset(law, answer, coins)).cells) counts[cell] = (counts[cell] as number) + 1;
    }
    return { law, wrong: { ...law, include: Math.round(law.include * OFF) }, counts: { answer, counts, reports } };
  };
  const [short, long] = [subsetLaw(16, 4, 1), subsetLaw(128, 34, 1)];
  const samples = [
    ...[0, 9].map((answer) => sample(short, answer, 175_000 * EFFORT)),
    ...[127, 64].map((answer) => sample(long, answer, 75_000 * EFFORT)),
  ];
  expectFit(samples, ({ size, subset: m, include }, { answer, counts, reports }) => {
    const included = counts[answer] as number;
    const others = size - 1;
    // Given how many sets hold the answer, the others are exchangeable and their counts have a fixed sum.
    const shares = [(m - 1) / others, m / others] as const;
    const expected = included * shares[0] + (reports - included) * shares[1];
    const variance = included * shares[0] * (1 - shares[0]) + (reports - included) * shares[1] * (1 - shares[1]);
    const spread = counts.reduce((total, count, cell) => (cell === answer ? total : total + (count - expected) ** 2), 0);
    const uniform: ChiSquared = { statistic: ((spread / variance) * (others - 1)) / others, degrees: others - 1 };
    return pooled([binomial(included, include / MODULUS, reports), uniform]);
  });
});

test('RAPPOR of 128 bits in 4 cohorts, one-shot and permanent, draws cohorts alike and sets each bit as often as the law says', () => {
  const coins = createCoins(words(seededRng(128)));
  const reports = 20_000 * EFFORT;
  const value = 'https://example.com/';
  const sample = (law: RapporLaw) => {
    const counts = range(law.cohorts).map(() => ({ reports: 0, ones: range(law.bits).map(() => 0) }));
    for (let i = 0; i < reports; i++) {
      const symbol = randomizeRappor(law, value, coins);
      const { cohort, cells } = rappor.decode(law, law.irr === undefined ? symbol : respondBits(law, symbol, coins));
      const tally = counts[cohort] as (typeof counts)[number];
      tally.reports++;
      for (const bit of cells) tally.ones[bit] = (tally.ones[bit] as number) + 1;
    }
    return { law, wrong: { ...law, zero: Math.round(law.zero * OFF) }, counts };
  };
  const samples = [sample({ ...rapporLaw(1, 1), cohorts: 4 }), sample({ ...rapporLaw(1.5, 1, 2), cohorts: 4 })];
  expectFit(samples, (law, counts) => {
    const { p, q } = rappor.support(law);
    const cohorts = multinomial(
      counts.map((tally) => tally.reports),
      counts.map(() => 1 / law.cohorts),
      reports,
    );
    const bits = counts.flatMap(({ reports: n, ones }, cohort) => {
      const own = bloomBits(hashString(value), cohort, law.hashes, law.bits);
      return ones.map((count, bit) => binomial(count, own.includes(bit) ? p : q, n));
    });
    return pooled([cohorts, ...bits]);
  });
});

test('local hashing of 40 answers in 7 buckets, one-shot and permanent, draws cohorts alike and says each bucket as often as the law says', () => {
  const coins = createCoins(words(seededRng(407)));
  const reports = 200_000 * EFFORT;
  const answer = 33;
  const sample = (law: LocalHashingLaw) => {
    const counts = range(localHashing.shape(law).cells).map(() => 0);
    for (let i = 0; i < reports; i++) {
      const symbol = randomizeLocalHashing(law, answer, coins);
      const [at] = localHashing.decode(law, law.irr ? respondLocalHashing(law, symbol, coins) : symbol).cells;
      counts[at as number] = (counts[at as number] as number) + 1;
    }
    return { law, wrong: { ...law, truth: Math.round(law.truth * OFF) }, counts };
  };
  expectFit([sample(localHashingLaw(40, 2, undefined, 7)), sample(localHashingLaw(40, 1.5, 3, 7))], (law, counts) => {
    const { size, buckets } = law;
    const { cohorts } = familyOf(size, buckets);
    const { p, q } = kAry.support(overBuckets(law));
    const chances = counts.map((_, at) => (bucketOf(buckets, Math.floor(at / buckets), answer) === at % buckets ? p : q) / cohorts);
    return multinomial(counts, chances, reports);
  });
});
