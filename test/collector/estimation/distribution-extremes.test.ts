/** Distributions at the ends of what can come: no report, one, a thousand million, all alike, ε of a thousandth and of 16. Finite numbers, never NaN. */

import { cellsOf, type DistributionLaw, distributionLaw, hierarchicalLaw, mechanismOf, squareWaveLaw } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { describe as describeDistribution, USUAL } from '#collector/answers/distribution.ts';
import { interval, sharesBelow } from '#collector/estimation/distribution.ts';
import type { Estimate } from '#collector/estimation/estimate.ts';
import { distributionOf, estimatesOf, evenVariance } from '#collector/estimation/mechanisms/table.ts';
import { range } from '../../proofs/channel.ts';

const EPSILONS = [0.001, 0.1, 1, 4, 8, 16];
const REPORTS = [1, 2, 20, 1_000, 1_000_000, 1_000_000_000];
const CELLS = [2, 16, 64];

const laws: { readonly [name: string]: (cells: number, epsilon: number) => DistributionLaw } = {
  'the chosen law': distributionLaw,
  'the square wave': (cells, epsilon) => squareWaveLaw(cells, epsilon),
  'hierarchical intervals': (cells, epsilon) => hierarchicalLaw(cells, epsilon),
};

type Tallies = ReadonlyMap<number, { readonly reports: number; readonly cells: Float64Array }>;

/** Tallies in which every report is alike, and in which they are spread over the cells as evenly as whole counts can be. */
function talliesOf(law: DistributionLaw, reports: number): { readonly [name: string]: Tallies } {
  const { cohorts, cells, limits, ones = 1 } = mechanismOf(law).shape(law);
  const filled = (cohort: number, count: (cell: number, among: number, ones: number) => number) => {
    const limit = limits?.[cohort] ?? { cells, ones };
    return { reports, cells: Float64Array.from(range(cells), (cell) => (cell < limit.cells ? count(cell, limit.cells, limit.ones) : 0)) };
  };
  const alike = (at: number) =>
    new Map([[cohorts - 1, filled(cohorts - 1, (cell, among, ones) => ((cell - at + 2 * among) % among < ones ? reports : 0))]]);
  const spread = new Map(
    range(cohorts).map((cohort) => [cohort, filled(cohort, (cell, among, ones) => Math.floor((reports * ones + cell) / among))]),
  );
  return { 'all alike': alike(0), 'all alike, at the end': alike(cells - 1), spread };
}

const isSound = ({ estimate, standardError, low, high }: Estimate): boolean =>
  [estimate, standardError, low, high].every(Number.isFinite) && standardError >= 0 && low <= estimate && estimate <= high;

describe.each(Object.entries(laws))('%s', (_name, lawAt) => {
  test.each(EPSILONS)('at ε = %d has finite shares, intervals, quantiles and a mean of every number of reports', (epsilon) => {
    for (const size of CELLS) {
      const law = lawAt(size, epsilon);
      expect(Number.isFinite(evenVariance(law))).toBe(true);
      for (const reports of REPORTS) {
        for (const [how, tallies] of Object.entries(talliesOf(law, reports))) {
          const at = `${size} cells, ${reports} reports, ${how}`;
          const rows = estimatesOf(law, { tallies, perDevice: 1, candidates: [] });
          expect(rows, at).toHaveLength(cellsOf(law));
          expect(
            rows.filter((row) => !isSound(row)),
            at,
          ).toEqual([]);
          const found = distributionOf(law, tallies);
          if (found === undefined) throw new Error(`${at}: expected a distribution`);
          const { shares } = found.density();
          expect(Math.min(...shares), at).toBeGreaterThanOrEqual(0);
          expect(
            shares.reduce((sum, share) => sum + share, 0),
            at,
          ).toBeCloseTo(1, 6);
          expect(
            sharesBelow(found)
              .map(interval)
              .filter((row) => !isSound(row)),
            at,
          ).toEqual([]);
          const { mean, quantiles } = describeDistribution(
            { distribution: found, shares, range: [0, 100], reports, people: reports },
            { ...USUAL, quantiles: [0.001, 0.5, 0.999] },
          );
          expect(isSound(mean), at).toBe(true);
          for (const { estimate, low, high } of quantiles) {
            expect([estimate, low, high].every(Number.isFinite) && low <= high && low >= 0 && high <= 100, at).toBe(true);
          }
        }
      }
    }
  });

  test('says nothing of no report, whether no tally came or an empty one', () => {
    const law = lawAt(16, 1);
    const { cells, cohorts } = mechanismOf(law).shape(law);
    const empty = new Map(range(cohorts).map((cohort) => [cohort, { reports: 0, cells: new Float64Array(cells) }]));
    for (const tallies of [new Map(), empty]) {
      expect(distributionOf(law, tallies)).toBeUndefined();
      expect(estimatesOf(law, { tallies, perDevice: 1, candidates: [] })).toEqual([]);
    }
  });
});

test('a level that came without reports is one that nobody drew', () => {
  const law = hierarchicalLaw(16, 8, 4);
  const leaves = { reports: 50, cells: new Float64Array(16).fill(3) };
  const drawn = distributionOf(law, new Map([[1, leaves]]));
  const empty = distributionOf(
    law,
    new Map([
      [0, { reports: 0, cells: new Float64Array(16) }],
      [1, leaves],
    ]),
  );
  const weights = range(16).map((i) => Number(i < 4));
  expect(empty?.meanOf(weights)).toEqual(drawn?.meanOf(weights));
  expect(empty?.density()).toEqual(drawn?.density());
});
