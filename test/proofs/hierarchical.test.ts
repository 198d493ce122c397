/** Proofs of hierarchical intervals: the law at every ε, its levels, its codec's limits, its parts and variances. */

import { createCoins, seededRng, words } from '@murmuration/client/testing';
import {
  type HierarchicalLaw,
  hierarchical,
  hierarchicalLaw,
  kAryLaw,
  type LevelLaw,
  listLaw,
  MODULUS,
  mechanismOf,
  subsetLaw,
} from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { randomizeHierarchical } from '#client/randomizers/hierarchical.ts';
import { hierarchicalDistribution, hierarchicalEven, nodeVariances, partsOf } from '#collector/estimation/mechanisms/hierarchical.ts';
import { consistentShares } from '#collector/estimation/shrunk.ts';
import { hierarchicalRow, levelRow } from '../conformance/specimens/hierarchical.ts';
import { EPSILONS, expectHeld } from './asked.ts';
import { largestRatio, range } from './channel.ts';
import type { Distribution } from './enumerate.ts';
import { ONE, sum, toNumber } from './rational.ts';
import { binomial, multinomial, pooled, upperTail } from './statistics.ts';

/** Cells and branches: one level, two, three, a last node that is smaller. */
const SHAPES = [
  [2, 2],
  [4, 2],
  [5, 2],
  [9, 3],
  [10, 4],
] as const;

const rowsOf = (law: HierarchicalLaw): readonly Distribution[] => range(law.size).map((cell) => hierarchicalRow(law, cell, MODULUS));

describe.each([1e-4, ...EPSILONS])('hierarchical intervals at ε = %d', (epsilon) => {
  test.each(SHAPES)(
    'over %i cells, %i branches, have rows that sum to 1 and the stated odds, below e^ε, as their largest ratio',
    (size, branching) => {
      const law = hierarchicalLaw(size, epsilon, branching);
      hierarchical.validate(law);
      const rows = rowsOf(law);
      for (const row of rows) expect(sum(row.values())).toEqual(ONE);
      expect(hierarchical.odds(law)).toEqual({ report: largestRatio(rows) });
      expectHeld(hierarchical.odds(law).report, epsilon);
    },
  );
});

test('levels have the laws of lists of their nodes, the last level a node for each cell', () => {
  expect(hierarchicalLaw(64, 1, 4).levels).toEqual([listLaw(4, 1), listLaw(16, 1), listLaw(64, 1)]);
  expect(hierarchicalLaw(10, 2, 4).levels).toEqual([listLaw(3, 2), listLaw(10, 2)]);
  expect(hierarchicalLaw(256, 1, 256).levels).toEqual([listLaw(256, 1)]);
});

test('what is no law is refused', () => {
  for (const epsilon of [1e-11, 30, 64, 700, 1e300]) expect(() => hierarchicalLaw(64, epsilon), String(epsilon)).toThrow(RangeError);
  for (const size of [0, 1, 257, 1.5, Number.NaN]) expect(() => hierarchicalLaw(size, 1, 4), String(size)).toThrow(RangeError);
  for (const branching of [0, 1, 1.5, 257]) expect(() => hierarchicalLaw(64, 1, branching), String(branching)).toThrow(RangeError);
  const law = hierarchicalLaw(16, 1, 4);
  const [top, leaf] = law.levels as [LevelLaw, LevelLaw];
  for (const wrong of [
    { levels: [top] },
    { levels: [leaf, top] },
    { levels: [top, { ...leaf, size: 17 }] },
    { levels: [{ ...top, irr: { truth: MODULUS - 1 } }, leaf] },
    { levels: [{ mechanism: 'rappor' }, leaf] },
    { levels: [undefined, leaf] },
    { levels: 'ab' },
    { size: 17 },
    { branching: 2 },
    { branching: 0 },
  ]) {
    expect(() => hierarchical.validate({ ...law, ...wrong } as HierarchicalLaw), JSON.stringify(wrong)).toThrow(RangeError);
  }
});

test('reports of no level, of another length or form are refused', () => {
  const law = hierarchicalLaw(64, 1, 4);
  const rest = [0, 0, 0, 0, 0, 0, 0];
  expect(hierarchical.decode(law, Uint8Array.of(0, 8, ...rest))).toEqual({ cohort: 0, cells: [3] });
  for (const wrong of [
    [],
    [0],
    [0, 8],
    [3, 8, ...rest],
    [0, 16, ...rest],
    [0, 0, 1, 0, 0, 0, 0, 0, 0],
    [0, 3, ...rest],
    [0, 0, ...rest],
    [1, 1, ...rest],
    [0, 8, ...rest, 0],
  ]) {
    expect(() => hierarchical.decode(law, Uint8Array.from(wrong)), String(wrong)).toThrow(RangeError);
  }
});

test('levels, and nodes of each, come as often as the law says', () => {
  const law = hierarchicalLaw(16, 1.5, 4);
  const coins = createCoins(words(seededRng(23)));
  const reports = 400_000;
  const levels = law.levels.map(({ size }) => ({ reports: 0, cells: range(size).map(() => 0) }));
  for (let i = 0; i < reports; i++) {
    const { cohort, cells } = hierarchical.decode(law, randomizeHierarchical(law, 6, coins));
    const level = levels[cohort] as (typeof levels)[number];
    level.reports++;
    for (const cell of cells) level.cells[cell] = (level.cells[cell] as number) + 1;
  }
  const drawn = multinomial(
    levels.map((level) => level.reports),
    [0.5, 0.5],
    reports,
  );
  const pValue = (factor: number): number =>
    upperTail(
      pooled([
        drawn,
        ...levels.map(({ reports: n, cells }, level) => {
          const { p } = mechanismOf(law.levels[level] as LevelLaw).support(law.levels[level] as LevelLaw);
          const own = [1, 6][level] as number;
          return binomial(cells[own] as number, p * factor, n);
        }),
      ]),
    );
  expect(pValue(1)).toBeGreaterThan(1e-6);
  expect(pValue(0.98)).toBeLessThan(1e-6);
});

describe('the estimator', () => {
  const weights = [3, -1, 0.5, 2, 0, 0, 1, 1, -4, 0.25];

  test('splits weights so that the parts above a cell add up to its own', () => {
    for (const branching of [2, 3, 4, 10]) {
      const law = hierarchicalLaw(10, 1, branching);
      const { all, parts } = partsOf(law, weights);
      for (const [cell, weight] of weights.entries()) {
        const nodes = parts.map((part, level) => part[Math.floor(cell / branching ** (parts.length - 1 - level))] as number);
        expect(nodes.reduce((total, part) => total + part, all)).toBeCloseTo(weight, 12);
      }
    }
  });

  test('has, from tallies that are just what is expected, just the mean weight', () => {
    for (const epsilon of [0.5, 2, 8]) {
      const law = hierarchicalLaw(10, epsilon, 3);
      const cell = 7;
      const tallies = new Map(
        law.levels.map((level, l) => {
          const { p, q } = mechanismOf(level).support(level);
          const node = Math.floor(cell / 3 ** (law.levels.length - 1 - l));
          return [l, { reports: 100, cells: Float64Array.from(range(10), (i) => 100 * (i === node ? p : q)) }] as const;
        }),
      );
      expect(hierarchicalDistribution(law, tallies)?.meanOf(weights).estimate).toBeCloseTo(weights[cell] as number, 9);
      expect(consistentShares(law, tallies).map((share) => Math.round(share * 1e9) / 1e9)).toEqual(
        range(10).map((i) => Number(i === cell)),
      );
    }
  });

  test('states, for each node, the variance of the very channel', () => {
    const laws: readonly LevelLaw[] = [kAryLaw(4, 1), subsetLaw(5, 2, 1), subsetLaw(4, 3, 0.3)];
    for (const law of laws) {
      const own = weights.slice(0, law.size);
      const { p, q } = mechanismOf(law).support(law);
      const stated = nodeVariances(law, own);
      for (const node of range(law.size)) {
        let [mean, square] = [0, 0];
        for (const [report, chance] of levelRow(law, MODULUS, node)) {
          const { cells } = mechanismOf(law).decode(law, Uint8Array.from(Buffer.from(report, 'hex')));
          const score = own.reduce((total, weight, u) => total + (weight * (Number(cells.includes(u)) - q)) / (p - q), 0);
          mean += toNumber(chance) * score;
          square += toNumber(chance) * score * score;
        }
        expect(mean).toBeCloseTo(own[node] as number, 9);
        expect((square - mean * mean) / (stated[node] as number)).toBeCloseTo(1, 9);
      }
    }
  });

  test('errs as is stated for numbers that are spread evenly, over the draw of levels too', () => {
    const law = hierarchicalLaw(10, 2, 4);
    const coins = createCoins(words(seededRng(99)));
    const [reports, rounds] = [200, 1500];
    const truth = weights.reduce((total, weight) => total + weight, 0) / 10;
    let statistic = 0;
    for (let round = 0; round < rounds; round++) {
      const tallies = new Map<number, { reports: number; readonly cells: Float64Array }>();
      for (const i of range(reports)) {
        const { cohort, cells } = hierarchical.decode(law, randomizeHierarchical(law, i % 10, coins));
        const tally = tallies.get(cohort) ?? { reports: 0, cells: new Float64Array(10) };
        tally.reports++;
        for (const cell of cells) tally.cells[cell] = (tally.cells[cell] as number) + 1;
        tallies.set(cohort, tally);
      }
      const { estimate = 0 } = hierarchicalDistribution(law, tallies)?.meanOf(weights) ?? {};
      statistic += ((estimate - truth) ** 2 * reports) / hierarchicalEven(law, weights);
    }
    // n_l varies, so the variance is on average a little above that of levels that are equally frequent.
    const tail = upperTail({ statistic: statistic * 0.99, degrees: rounds });
    expect(tail).toBeGreaterThan(1e-6);
    expect(1 - upperTail({ statistic, degrees: rounds })).toBeGreaterThan(1e-6);
  });

  test('knows nothing of a level that nobody drew, and says so', () => {
    const law = hierarchicalLaw(16, 8, 4);
    const found = hierarchicalDistribution(law, new Map([[1, { reports: 50, cells: new Float64Array(16).fill(3) }]]));
    const { estimate, variance } = found?.meanOf(range(16).map((i) => Number(i < 4))) ?? { estimate: Number.NaN, variance: 0 };
    expect(estimate).toBeCloseTo(0.25, 9);
    expect(Math.sqrt(variance)).toBeGreaterThan(0.99);
    expect(hierarchicalDistribution(law, new Map())).toBeUndefined();
  });

  test('has consistent shares that are not negative and sum to 1, at every ε without NaN', () => {
    for (const epsilon of [1e-4, ...EPSILONS]) {
      for (const [size, branching] of [...SHAPES, [64, 4], [256, 16]] as const) {
        const law = hierarchicalLaw(size, epsilon, branching);
        const cells = Float64Array.from(range(size), (i) => (i * 7) % 5);
        for (const tallies of [new Map([[0, { reports: 40, cells }]]), new Map([[law.levels.length - 1, { reports: 40, cells }]])]) {
          const shares = consistentShares(law, tallies);
          expect(shares).toHaveLength(size);
          expect(Math.min(...shares)).toBeGreaterThanOrEqual(0);
          expect(shares.reduce((total, share) => total + share, 0)).toBeCloseTo(1, 9);
        }
      }
    }
  });
});
