/** Whether error bars mean what they say, on small seeded fleets of the shipping client; `npm run bench -- accuracy` is the long run. */

import { chiSquaredTail } from '@murmuration/collector';
import { simulateFleet } from '@murmuration/examples/demo/in-process';
import { beforeAll, expect, test } from 'vitest';
import { atMost } from '../../proofs/statistics.ts';
import { EFFORT } from '../../setup/effort.ts';

/** Each test below fails with a smaller probability than this under the law; the seeds are fixed, so it fails always or never. */
const FALSE_ALARM = 1e-6;
const FLEETS = 2 * EFFORT;
const DEVICES = 2_500;

let fleets: Awaited<ReturnType<typeof simulateFleet>>[] = [];

beforeAll(async () => {
  fleets = [];
  for (let seed = 1; seed <= FLEETS; seed++) fleets.push(await simulateFleet(DEVICES, 1_000 + seed));
});

/** Twice the smaller tail of the binomial distribution, each with its end. */
const binomialPValue = (hits: number, trials: number, probability: number): number =>
  Math.min(1, 2 * Math.min(atMost(hits, trials, probability), 1 - atMost(hits - 1, trials, probability)));

test.each([
  ['strings', 'rappor', 50],
  ['lists', 'subset', 74],
] as const)('intervals of %s cover the truth as a binomial variable does', (_, mechanism, perFleet) => {
  // Not k-ary: two or five intervals stand and fall together. In long lists, and for strings, each is nearly independent.
  const compared = fleets.flat().filter((each) => each.mechanism === mechanism);
  const trials = compared.reduce((sum, { answers }) => sum + answers, 0);
  const hits = Math.round(compared.reduce((sum, { answers, coverage95 }) => sum + answers * coverage95, 0));
  expect(trials).toBe(FLEETS * perFleet);
  expect(binomialPValue(hits, trials, 0.95)).toBeGreaterThan(FALSE_ALARM);
});

test('the distances from the truth are chi-squared: over all fleets, and in each', () => {
  const compared = fleets.flat();
  for (const { metric, pValue } of compared) expect(pValue, metric).toBeGreaterThan(FALSE_ALARM);
  const z2 = compared.reduce((sum, each) => sum + each.z2, 0);
  const df = compared.reduce((sum, each) => sum + each.df, 0);
  expect(chiSquaredTail(z2, df)).toBeGreaterThan(FALSE_ALARM);
  expect(1 - chiSquaredTail(z2, df)).toBeGreaterThan(FALSE_ALARM); // nor is it too good to be true
});

test('a fleet is repeatable', async () => {
  expect(await simulateFleet(200, 5)).toEqual(await simulateFleet(200, 5));
});
