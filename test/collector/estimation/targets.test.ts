/** Both targets: intervals about all users and intervals about the devices that reported cover what they are about, of every type. */

import { kAryLaw, meanLaw, mechanismOf, piecewiseLaw } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { peopleIn, THESE } from '#collector/estimation/estimate.ts';
import { estimatesOf, scoresOf } from '#collector/estimation/mechanisms/table.ts';
import { mostNoise } from '#collector/estimation/number.ts';
import { simulateBest } from '#collector/planning/simulate/best.ts';
import { enumeratedCoverage } from '../../kit/coverage/enumerated.ts';
import { enumerated, failuresOf, simulated } from '../../kit/coverage/targets.ts';
import { range } from '../../proofs/channel.ts';
import { EFFORT } from '../../setup/effort.ts';

describe('lists, with nothing left to chance', () => {
  test.each([100, 1_000, 10_000, 100_000, 1_000_000])('%d reports: of both shares 93 to 97 in a hundred are covered', (reports) => {
    const all = enumerated(reports);
    expect(all.length).toBeGreaterThan(5);
    expect(failuresOf(all)).toEqual([]);
  });

  test.each([
    [0.01, 0.89],
    [0.5, 0.4],
  ])(
    'a flag at ε = 4 that %d have: intervals about the devices are too short for all users, of whose share they cover %d',
    (share, found) => {
      const { support } = mechanismOf(kAryLaw(2, 4));
      const at = support(kAryLaw(2, 4));
      expect(enumeratedCoverage(at, 100_000, share, 'reports', 'population')).toBeCloseTo(found, 2);
      expect(Math.abs(enumeratedCoverage(at, 100_000, share, 'population') - 0.95)).toBeLessThan(0.005);
      expect(Math.abs(enumeratedCoverage(at, 100_000, share, 'reports') - 0.95)).toBeLessThan(0.005);
    },
  );

  test('a share that nobody has, or all, is covered of both', () => {
    const at = mechanismOf(kAryLaw(2, 4)).support(kAryLaw(2, 4));
    for (const among of ['reports', 'population'] as const) {
      for (const share of [0, 1]) expect(enumeratedCoverage(at, 1_000, share, among)).toBeGreaterThan(0.93);
    }
  });
});

/** Each of some 18 laws and both targets misses its gate by chance with a probability below 3e-7 (kit/coverage/targets.ts). */
test.each([
  [100, 25 * EFFORT],
  [1_000, 10 * EFFORT],
])('every other type, %d devices simulated: of both shares 93 to 97 in a hundred are covered', (clients, rounds) => {
  expect(failuresOf(simulated(clients, rounds, 7))).toEqual([]);
});

test('`best` of 20 reports is covered, where the normal approximation fails', () => {
  const utility = [
    [10, 0, 0, 5],
    [0, 10, 0, 5],
    [0, 0, 10, 5],
  ];
  const found = simulateBest({ utility, epsilon: 8, clients: 20, rounds: 1_000, seed: 3, shares: [1 / 3, 1 / 3, 1 / 3] });
  const { coverage95, populationCoverage95 } = found as { readonly coverage95: number; readonly populationCoverage95: number };
  // Five standard errors of as many hits or misses: by the score intervals alone, 88 % among the reports.
  for (const covered of [coverage95, populationCoverage95]) expect(covered).toBeGreaterThan(0.95 - 5 * Math.sqrt((0.95 * 0.05) / 1_000));
});

test('several reports of a person are no more people: an interval about all users is as wide as for so many', () => {
  const law = kAryLaw(2, 4);
  const tallies = new Map([[0, { reports: 7_000, cells: Float64Array.of(3_500, 3_500) }]]);
  const errorOf = (people: number): number =>
    estimatesOf(law, { tallies, perDevice: 1, candidates: [], people })[0]?.standardError as number;
  expect(peopleIn('population', 7_000, 7)).toBe(1_000);
  expect(peopleIn('reports', 7_000, 7)).toBe(THESE);
  expect(errorOf(1_000) ** 2 - errorOf(THESE) ** 2).toBeCloseTo(0.25 / 1_000, 9);
});

describe('the most that a law’s noise can be', () => {
  const populations: readonly (readonly number[])[] = [range(101).map((i) => i / 100), [0, 1], [0, 0, 0, 1], [0.3], [0.25, 0.25, 0.9]];
  const mean = (numbers: readonly number[]): number => numbers.reduce((sum, x) => sum + x, 0) / numbers.length;

  test.each([meanLaw(0.5), meanLaw(1), meanLaw(4), piecewiseLaw(59, 5, 8)])(
    'is no less than it is, and no more than if all numbers were alike: %#',
    (law) => {
      const { varianceAt } = scoresOf(law);
      for (const numbers of populations) {
        const noise = mean(numbers.map(varianceAt));
        const middle = numbers.map((x) => x - 0.5);
        const square = noise + mean(middle.map((x) => x * x));
        const most = mostNoise(varianceAt, square)(mean(middle));
        expect(most).toBeGreaterThan(noise - 1e-5);
        expect(most).toBeLessThan(square - mean(middle) ** 2 + 1e-9);
      }
    },
  );

  test('is the noise itself where it is linear in the square of the number', () => {
    const { varianceAt } = scoresOf(piecewiseLaw(59, 5, 8));
    for (const numbers of populations) {
      const noise = mean(numbers.map(varianceAt));
      const middle = numbers.map((x) => x - 0.5);
      const square = noise + mean(middle.map((x) => x * x));
      expect(mostNoise(varianceAt, square)(mean(middle)) / noise).toBeLessThan(1.1);
    }
  });
});
