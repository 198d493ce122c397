/** Fleets of devices that each have a string: intervals and errors of what the collector estimates from their reports. */

import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { type StringHashingLaw, stringHashing, stringHashingLaw } from '@murmuration/shared';
import { expect } from 'vitest';
import { randomizeStringHashing, respondStringHashing } from '#client/randomizers/string-hashing.ts';
import type { Estimate } from '#collector/estimation/estimate.ts';
import { estimatesOf } from '#collector/estimation/mechanisms/table.ts';
import { range } from './channel.ts';
import { binomial, pooled, upperTail } from './statistics.ts';

const FALSE_ALARM = 1e-6;

export const FLEETS: readonly (readonly [name: string, law: StringHashingLaw])[] = [
  ['one-time', { ...stringHashingLaw(2, 1), cohorts: 64 }],
  ['permanent', { ...stringHashingLaw(1.5, 1, 3), cohorts: 32 }],
  ['of too few cohorts', { ...stringHashingLaw(4, 1), cohorts: 2 }],
];

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

/** An estimate of one fleet, and what it is of. */
type Estimated = readonly [estimate: Estimate, truth: number];

/** Fails unless intervals cover the truth, errors are as large as their standard errors say, and there is no bias. Fleets are independent. */
export function expectCalibrated(estimated: readonly Estimated[]): void {
  const hits = estimated.filter(([{ low, high }, truth]) => low <= truth && truth <= high).length;
  expect(upperTail(binomial(hits, 0.95, estimated.length))).toBeGreaterThan(FALSE_ALARM);
  const scores = estimated.map(([{ estimate, standardError }, truth]) => (estimate - truth) / standardError);
  const statistic = scores.reduce((total, score) => total + score ** 2, 0);
  const tail = upperTail(pooled([{ statistic, degrees: scores.length }]));
  expect(tail).toBeGreaterThan(FALSE_ALARM);
  expect(1 - tail).toBeGreaterThan(FALSE_ALARM);
  const bias = scores.reduce((total, score) => total + score, 0) ** 2 / scores.length;
  expect(upperTail({ statistic: bias, degrees: 1 })).toBeGreaterThan(FALSE_ALARM);
}

/** New strings for each fleet, so that the hash is new to it as well: its part of the error is a chance, as the intervals say. */
export const expectFleets = (law: StringHashingLaw, fleets: number, devices: number): void =>
  expectCalibrated(
    range(fleets).map((i) => {
      const seed = i + 1;
      const { estimates, truth } = fleet(
        law,
        devices,
        77_000 + seed,
        range(8).map((string) => `${seed}/${string}`),
      );
      return [estimates[seed % 8] as Estimate, truth[seed % 8] as number]; // one of each fleet: those of one depend on each other
    }),
  );
