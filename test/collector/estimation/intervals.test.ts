/** Intervals of shares where they are hardest: counts of a few reports, and sets that are over their limit. */

import { choices } from '@murmuration/client';
import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { kAryLaw, mechanismOf, type PrivSetLaw, privSet, type Support, setLaw, unaryLaw } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { type Estimate, scored } from '#collector/estimation/estimate.ts';
import { estimatesOf } from '#collector/estimation/mechanisms/table.ts';
import { partEstimates, pureEstimates } from '#collector/estimation/pure.ts';
import { simulateChoice } from '#collector/planning/simulate/choice.ts';
import { deviceOf, folderOf } from '#collector/planning/simulate/simulation.ts';
import { range } from '../../proofs/channel.ts';
import { atMost, upperTail } from '../../proofs/statistics.ts';
import { EFFORT } from '../../setup/effort.ts';

const FALSE_ALARM = 1e-6;

/** P(count) of so many reports by their chances to count. */
function countLaw(chances: readonly number[]): Float64Array {
  const law = new Float64Array(chances.length + 1);
  law[0] = 1;
  for (const [i, chance] of chances.entries())
    for (let k = i + 1; k >= 0; k--) law[k] = (law[k] as number) * (1 - chance) + (k > 0 ? (law[k - 1] as number) * chance : 0);
  return law;
}

const counts = (reports: number) => ({ reports, cells: Float64Array.from(range(reports + 1)) });

/** The probability that an interval holds a share, of all counts: nothing is left to chance. */
const coverage = (rows: readonly Estimate[], law: Float64Array, share: number): number =>
  rows.reduce((sum, { low, high }, count) => sum + (low <= share && share <= high ? (law[count] as number) : 0), 0);

/** Below this variance of the count each end is exact; a little above, either end may be. */
const SMALL = 7;

describe.each([
  ['k-ary response, 64 answers at ε = 8, 450 reports', kAryLaw(64, 8), 450],
  ['k-ary response, 2 answers at ε = 6, 60 reports', kAryLaw(2, 6), 60],
  ['k-ary response, 20 answers at ε = 4, 100 reports', kAryLaw(20, 4), 100],
  ['k-ary response, 64 answers at ε = 1, 20 reports', kAryLaw(64, 1), 20],
  ['unary encoding, 64 answers at ε = 8, 100 reports', unaryLaw(64, 8), 100],
  ['unary encoding, 5 answers at ε = 1, 300 reports', unaryLaw(5, 1), 300],
] as const)('intervals of %s', (_name, law, reports) => {
  const { p, q } = mechanismOf(law).support(law) as Support;
  test('cover each share at least 95 % of the time where its count is small, and 93 % elsewhere', () => {
    const rows = pureEstimates(counts(reports), { p, q }, { p, q }, 1);
    for (const devices of range(reports + 1).filter((k) => k % 7 === 0 || k === reports)) {
      const variance = devices * p * (1 - p) + (reports - devices) * q * (1 - q);
      const covered = coverage(rows, countLaw(range(reports).map((i) => (i < devices ? p : q))), devices / reports);
      expect(covered, `${devices} of ${reports}`).toBeGreaterThan(variance < SMALL ? 0.95 : 0.93);
    }
  });

  test('cover each share of a population, and of parts of devices', () => {
    const rows = partEstimates(counts(reports), { p, q });
    for (const share of [0, 0.01, 0.1, 0.3, 0.5, 0.8, 1]) {
      const chance = q + (p - q) * share;
      const variance = reports * chance * (1 - chance);
      const covered = coverage(rows, countLaw(range(reports).map(() => chance)), share);
      expect(covered, `${share}`).toBeGreaterThan(variance < SMALL ? 0.95 : 0.93);
    }
  });

  test('are the score intervals where the count is large', () => {
    const many = 1_000 * reports;
    for (const share of [0.1, 0.5, 0.9]) {
      const cells = Float64Array.of(Math.round(many * (q + share * (p - q))));
      const [row] = pureEstimates({ reports: many, cells }, { p, q }, { p, q }, 1) as [Estimate];
      const gain = many * (p - q) ** 2;
      const { low, high } = scored(row.estimate, {
        constant: (q * (1 - q)) / gain,
        slope: (p * (1 - p) - q * (1 - q)) / gain,
        curve: 0,
      });
      expect(row.low).toBeCloseTo(low, 9);
      expect(row.high).toBeCloseTo(high, 9);
    }
  });
});

test('few reports that all say the same, as simulated, are covered', () => {
  const rounds = 1_000 * EFFORT;
  const { coverage95 } = simulateChoice({ answers: 2, epsilon: 6, clients: 60, shares: [1, 0], rounds, seed: 1 });
  expect(atMost(Math.round(coverage95 * rounds), rounds, 0.95)).toBeGreaterThan(FALSE_ALARM);
});

/** Sets of each device, of answers 0, 1, ..: the answer 0 counts atMost / length of each that is over the limit. */
const crowds: readonly (readonly [what: string, sizeOf: (device: number) => number])[] = [
  ['two answers each', () => 2],
  ['four answers of a third, one of another', (device) => [4, 1, 0][device % 3] as number],
];

describe.each(crowds)('sets with a limit of one answer, %s', (_what, sizeOf) => {
  test.each([1, 4])('at ε = %d: the interval covers, and errors are those of parts of devices', (epsilon) => {
    const question = choices(['a', 'b', 'c', 'd', 'e'], { atMost: 1, epsilon, description: 'x' });
    const law: PrivSetLaw = setLaw(5, 1, epsilon);
    const { randomize } = deviceOf(question, law, createCoins(words(seededRng(11))));
    const [reports, rounds] = [300, 150 * EFFORT];
    const sizes = range(reports).map(sizeOf);
    const parts = sizes.map((size) => (size === 0 ? 0 : 1 / size));
    const truth = parts.reduce((sum, part) => sum + part, 0) / reports;
    const { p, q } = privSet.support(law);
    const chances = parts.map((part) => q + (p - q) * part);
    const variance = chances.reduce((sum, chance) => sum + chance * (1 - chance), 0) / (reports * (p - q)) ** 2;
    let [covered, statistic] = [0, 0];
    for (let round = 0; round < rounds; round++) {
      const folder = folderOf(law);
      for (const size of sizes) folder.addReport(randomize(range(size)));
      const [row] = estimatesOf(law, { tallies: folder.tallies(), perDevice: 1, candidates: [] });
      const { low, high, estimate } = row as Estimate;
      covered += Number(low <= truth && truth <= high);
      statistic += (estimate - truth) ** 2 / variance;
    }
    expect(atMost(covered, rounds, 0.95)).toBeGreaterThan(FALSE_ALARM);
    const tail = upperTail({ statistic, degrees: rounds });
    expect(Math.min(tail, 1 - tail)).toBeGreaterThan(FALSE_ALARM);
  });
});
