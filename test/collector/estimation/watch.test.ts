/** The poisoning watch: its p-values are large for honest fleets whatever they answer, and small for crafted ones; leverage is exact. */

import { createCoins, seededRng, words } from '@murmuration/client/testing';
import {
  kAryLaw,
  type Law,
  mechanismOf,
  packingOf,
  piecewiseLaw,
  rapporLaw,
  type ShareLaw,
  subsetLaw,
  toBase64url,
  unaryLaw,
} from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { randomizeKAry } from '#client/randomizers/k-ary.ts';
import { randomizeRappor } from '#client/randomizers/rappor.ts';
import { randomizeSubset } from '#client/randomizers/subset.ts';
import { randomizeUnary } from '#client/randomizers/unary.ts';
import { estimatesOf } from '#collector/estimation/mechanisms/table.ts';
import type { Leverage } from '#collector/estimation/watch/bounds.ts';
import { cohortsPValue, leverageOf, type Watch, watchOf } from '#collector/estimation/watch/watch.ts';
import { Accumulator } from '#collector/storage/tallying/accumulator.ts';
import { range } from '../../proofs/channel.ts';
import { atMost } from '../../proofs/statistics.ts';

const FALSE_ALARM = 1e-6;
const REPORTS = 20_000;

const rapporOf = { ...rapporLaw(1, 1), cohorts: 8 };
const honest: readonly (readonly [
  name: string,
  law: ShareLaw,
  report: (i: number, coins: ReturnType<typeof createCoins>) => Uint8Array,
])[] = (() => {
  const [kAry, subset, unary] = [kAryLaw(5, 1), subsetLaw(24, 6, 1), unaryLaw(40, 1)];
  return [
    ['k-ary', kAry, (i, coins) => randomizeKAry(kAry, i % 2 === 0 ? 0 : i % 5, coins)],
    ['subset', subset, (i, coins) => randomizeSubset(subset, i % 2 === 0 ? 3 : i % 24, coins)],
    ['unary', unary, (_, coins) => randomizeUnary(unary, 7, coins)],
    ['rappor', rapporOf, (i, coins) => randomizeRappor(rapporOf, `word ${i % 3}`, coins)],
  ];
})();

/** The watch of reports. */
function watch(law: Law, reports: Iterable<Uint8Array>): Watch {
  const folder = new Accumulator(mechanismOf(law).shape(law));
  folder.addPayloads([...reports].map(toBase64url));
  const ones = folder.ones();
  return watchOf(law, folder.tallies(), ones.size > 0 ? [{ day: 1, reports: ones }] : [], 1);
}

describe.each(honest)('%s', (_name, law, report) => {
  const coins = createCoins(words(seededRng(8)));
  const fleet = Array.from({ length: REPORTS }, (_, i) => report(i, coins));

  test('honest reports are no evidence, even when everybody answers the same', () => {
    expect(watch(law, fleet).pValue).toBeGreaterThan(FALSE_ALARM);
  });

  test('a fifth of reports that all say one thing are', () => {
    const { cells, cohorts, ones } = mechanismOf(law).shape(law);
    const { packBytes, bytes } = packingOf(mechanismOf(law).shape(law));
    const crafted = new Uint8Array(bytes);
    if (cohorts > 1) crafted[0] = 3;
    if (law.mechanism !== 'k-ary')
      for (let bit = 0; bit < (ones ?? 1); bit++)
        crafted[(cohorts > 1 ? 1 : 0) + (bit >> 3)] = (crafted[(cohorts > 1 ? 1 : 0) + (bit >> 3)] as number) | (1 << (bit & 7));
    expect(cells).toBeGreaterThan(1);
    const words = new Int32Array(100);
    packBytes(crafted, words, new Uint8Array(words.buffer), 0); // a report that the codec takes
    const share = law.mechanism === 'k-ary' || law.mechanism === 'subset' ? 0.9 : 0.2;
    const found = watch(
      law,
      fleet.map((own, i) => (i < share * REPORTS ? crafted : own)),
    );
    expect(found.pValue).toBeLessThan(FALSE_ALARM);
  });
});

test('a share of crafted reports moves an estimate to (1 - share) f + share s, exactly', () => {
  for (const law of [kAryLaw(5, 1), subsetLaw(24, 6, 1), unaryLaw(40, 1)]) {
    const { cells: size } = mechanismOf(law).shape(law);
    const { low, high } = leverageOf(law) as Leverage;
    const cells = new Float64Array(size).fill(4_000);
    const before = estimatesOf(law, { tallies: new Map([[0, { reports: 9_000, cells }]]), perDevice: 1, candidates: [] });
    const after = estimatesOf(law, {
      tallies: new Map([[0, { reports: 10_000, cells: cells.map((count, cell) => (cell === 0 ? count + 1_000 : count)) }]]),
      perDevice: 1,
      candidates: [],
    });
    const expected = [high, low].map((score, cell) => 0.9 * (before[cell]?.estimate as number) + 0.1 * score);
    expect(after[0]?.estimate).toBeCloseTo(expected[0] as number, 12);
    expect(after[1]?.estimate).toBeCloseTo(expected[1] as number, 12);
  }
});

test('the leverage of a number is that of its outermost outputs, and the watch gives it in the unit of the range', () => {
  const law = piecewiseLaw(1, 1, 1); // Duchi's: two outputs, at ±(e + 1)/(e - 1) of half the range
  const reach = (Math.E + 1) / (Math.E - 1) / 2;
  expect(leverageOf(law)?.high).toBeCloseTo(0.5 + reach, 6);
  expect(leverageOf(law)?.low).toBeCloseTo(0.5 - reach, 6);
  const { perPercent, pValue } = watchOf(law, new Map([[0, { reports: 10, cells: Float64Array.of(4, 6) }]]), [], 1, [100, 300]);
  expect(perPercent).toBeCloseTo(200 * 0.01 * (0.5 + reach), 6);
  expect(pValue).toBe(1);
});

test('days on which one device may report again count once', () => {
  const law = kAryLaw(2, 1);
  const tallies = new Map([[0, { reports: 3_000, cells: Float64Array.of(2_500, 500) }]]);
  const [once, thrice] = [watchOf(law, tallies, [], 1), watchOf(law, tallies, [], 3)];
  expect(Math.log(thrice.pValue / 8)).toBeCloseTo(Math.log(once.pValue / 8) / 3, 6); // two cells, two sides, two tests
});

test.each([5, 20])('honest fleets of %i reports have a p-value of at most x with a probability of at most x, for every x', (n) => {
  const law = unaryLaw(2, 0.05); // p and q are so near to each other that both sides count
  const { p, q } = mechanismOf(law).support(law);
  const chance = (hits: number, each: number): number => atMost(hits, n, each) - (hits === 0 ? 0 : atMost(hits - 1, n, each));
  const all = range(n + 1).flatMap((a) =>
    range(n + 1).map((b) => ({
      pValue: watchOf(law, new Map([[0, { reports: n, cells: Float64Array.of(a, b) }]]), [], 1).pValue,
      chance: chance(a, p) * chance(b, q), // everybody has the first answer
    })),
  );
  for (const { pValue } of all) {
    const mass = all.reduce((sum, each) => sum + (each.pValue <= pValue ? each.chance : 0), 0);
    expect(mass).toBeLessThan(pValue + 1e-12);
  }
});

test('few devices that report on many days are not mistaken for crafted ones: their cohorts are pooled by devices', () => {
  const word = words(seededRng(3));
  const fleets = 4_000;
  const kinds = [
    [6, 365],
    [20, 90],
    [40, 30],
    [100, 90],
  ] as const;
  const law = { ...rapporOf, cohorts: 128 };
  let alarms = 0;
  for (const [devices, days] of kinds)
    for (let fleet = 0; fleet < fleets; fleet++) {
      const tallies = new Map<number, { reports: number; readonly cells: Float64Array }>();
      for (let device = 0; device < devices; device++) {
        const cohort = word() % law.cohorts;
        tallies.set(cohort, { reports: (tallies.get(cohort)?.reports ?? 0) + days, cells: new Float64Array() });
      }
      if ((cohortsPValue(law, tallies, days) ?? 1) <= 1e-4) alarms++;
    }
  expect(1 - atMost(alarms - 1, kinds.length * fleets, 1.2e-4)).toBeGreaterThan(FALSE_ALARM);
});
