/** BLR and MWEM: the exact law of a small BLR, scores that are as sensitive as stated, MWEM's law of one round, and tables as CSV. */

import { seededRng, words } from '@murmuration/client/testing';
import { ratio } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { blr } from '#collector/release/mechanisms/blr.ts';
import { measured, mwem } from '#collector/release/mechanisms/mwem.ts';
import { permuteAndFlip } from '#collector/release/mechanisms/permute-and-flip.ts';
import type { CountingQuery } from '#collector/release/mechanisms/queries.ts';
import { cellsOf, databasesOf, enumerateDatabases, samplingError, syntheticCsv, valuesOf } from '#collector/release/mechanisms/queries.ts';
import { createRandom, type Random } from '#collector/release/mechanisms/random.ts';
import { range } from '../../../proofs/channel.ts';
import { exactLaw } from './branches.ts';
import { expectWithin, vectors } from './neighbours.ts';

describe('small databases', () => {
  test('are all multisets, each once, and counted', () => {
    for (const [cells, records] of [
      [1, 3],
      [2, 4],
      [3, 3],
      [4, 2],
    ] as const) {
      const flat = enumerateDatabases(cells, records);
      const all = range(flat.length / cells).map((i) => flat.slice(i * cells, (i + 1) * cells).join());
      expect(new Set(all).size).toBe(databasesOf(cells, records));
      expect(all).toHaveLength(databasesOf(cells, records));
      for (const database of all) expect(database.split(',').reduce((sum, count) => sum + Number(count), 0)).toBe(records);
    }
  });

  test('have one that answers all queries within the sampling error', () => {
    const [cells, records] = [3, 12];
    const queries: readonly CountingQuery[] = [[0], [1], [0, 2], [1, 2]];
    const flat = enumerateDatabases(cells, records);
    for (const shares of [
      [0.5, 0.3, 0.2],
      [0.91, 0.05, 0.04],
      [1 / 3, 1 / 3, 1 / 3],
    ]) {
      const errors = range(flat.length / cells).map((i) =>
        Math.max(
          ...queries.map((query) =>
            Math.abs(query.reduce((sum, cell) => sum + (shares[cell] as number) - (flat[i * cells + cell] as number) / records, 0)),
          ),
        ),
      );
      expect(Math.min(...errors)).toBeLessThanOrEqual(samplingError(records, queries.length));
    }
  });
});

describe('BLR', () => {
  const epsilon = ratio(3n, 2n);
  const queries: readonly CountingQuery[] = [[0], [1]];
  const mechanism = blr({ epsilon, sensitivity: 1, cells: 2, total: 3, queries, records: 2 });

  test('spends at most ε on neighbours, exactly', () => {
    const lawOf = (counts: readonly number[]) => exactLaw((random) => mechanism.release(counts, random)).outputs;
    let nearest = 0;
    for (const counts of vectors(2, [0, 1, 2, 3])) {
      const law = lawOf(counts);
      for (const cell of range(2)) {
        const more = lawOf(counts.with(cell, (counts[cell] as number) + 1));
        nearest = Math.max(nearest, expectWithin(law, more, epsilon), expectWithin(more, law, epsilon));
      }
    }
    expect(nearest).toBeGreaterThan(0.3);
  });

  test('selects by scores that one record changes by at most the number of records of a database', () => {
    const databases = [
      [0, 2],
      [1, 1],
      [2, 0],
    ];
    const scoresOf = (counts: readonly number[]) =>
      databases.map(
        (database) => 0 - Math.max(...queries.map(([cell = 0]) => Math.abs(2 * (counts[cell] as number) - 3 * (database[cell] as number)))),
      );
    const select = permuteAndFlip({ epsilon, sensitivity: 2, candidates: 3 });
    for (const counts of vectors(2, [0, 1, 2, 3])) {
      const seed = 1 + (counts[0] as number) + 10 * (counts[1] as number);
      for (const cell of range(2)) {
        const more = scoresOf(counts.with(cell, (counts[cell] as number) + 1));
        scoresOf(counts).forEach((score, i) => {
          expect(Math.abs(score - (more[i] as number))).toBeLessThanOrEqual(2);
        });
      }
      const [a, b] = [createRandom(words(seededRng(seed))), createRandom(words(seededRng(seed)))];
      for (const _ of range(50)) {
        const chosen = databases[select.release(scoresOf(counts), b)] as readonly number[];
        expect(mechanism.release(counts, a)).toEqual(chosen.map((count) => count * 1.5));
      }
    }
  });

  test('releases tables of the published number of records, and chooses how many are enumerated', () => {
    const random = createRandom(words(seededRng(6)));
    const wide = blr({ epsilon, sensitivity: 1, cells: 4, total: 1000, queries: [[0], [1, 2], [0, 3]] });
    const weights = wide.release([500, 300, 150, 50], random);
    expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1000, 9);
    expect(databasesOf(4, wide.records)).toBeLessThanOrEqual(1_000_000);
    expect(wide.records).toBeGreaterThan(1);
  });

  test('refuses more than a million databases, and says what to use', () => {
    expect(() => blr({ epsilon, sensitivity: 1, cells: 100, total: 10, queries, records: 4 })).toThrow(
      'expected at most 1000000 of them, got 4421275 with 100 cells and 4 records; use mwem instead',
    );
  });
});

describe('MWEM', () => {
  const epsilon = ratio(1n, 1n);
  const queries: readonly CountingQuery[] = [[0], [1, 2], [0, 3]];

  test('lowers the relative entropy to the truth by at least what its theorem says', () => {
    const truth = [500, 300, 150, 50];
    const entropy = (weights: Float64Array): number =>
      truth.reduce((sum, count, i) => sum + (count / 1000) * Math.log(count / (weights[i] as number)), 0);
    let weights = new Float64Array([250, 250, 250, 250]);
    for (const [i, noise] of [0, 20, -35, 5, 60, -80].entries()) {
      const query = queries[i % 3] as CountingQuery;
      const of = (all: ArrayLike<number>): number => query.reduce((sum, cell) => sum + (all[cell] as number), 0);
      const value = of(truth) + noise;
      const next = measured(weights, { query, value }, 1000);
      const fall = ((of(weights) - of(truth)) / 2000) ** 2 - (noise / 2000) ** 2;
      expect(entropy(weights) - entropy(next)).toBeGreaterThanOrEqual(fall - 1e-12);
      weights = new Float64Array(next);
    }
    expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1000, 9);
  });

  test('selects and measures with ε/(2T) each', () => {
    for (const rounds of [2, 5]) {
      const random = createRandom(words(seededRng(3)));
      const [sides, decays] = [new Set<number>(), new Set<string>()];
      const watched: Random = {
        ...random,
        uniform: (n) => {
          sides.add(n);
          return random.uniform(n);
        },
        decay: (numerator, denominator) => {
          if (typeof denominator === 'bigint') decays.add(String(denominator));
          return random.decay(numerator, denominator);
        },
      };
      mwem({ epsilon, sensitivity: 1, cells: 4, total: 100, queries, rounds }).release([60, 30, 8, 2], watched);
      // Two-sided geometric noise of rate 1/(2T) draws below 2T; permute-and-flip has the rate 1/(4T), and orders three queries.
      expect([...sides].filter((n) => n > queries.length)).toEqual([2 * rounds]);
      expect([...decays]).toEqual([String(4 * rounds)]);
    }
  });

  test('answers its queries better than even weights, and within its bound', () => {
    const counts = [60_000, 30_000, 8_000, 2_000];
    const mechanism = mwem({ epsilon, sensitivity: 1, cells: 4, total: 100_000, queries });
    expect(mechanism.epsilon).toEqual(epsilon);
    const random = createRandom(words(seededRng(8)));
    const weights = mechanism.release(counts, random);
    const worst = (all: readonly number[]): number =>
      Math.max(...queries.map((query) => Math.abs(query.reduce((sum, cell) => sum + (all[cell] as number) - (counts[cell] as number), 0))));
    expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(100_000, 6);
    expect(worst(weights)).toBeLessThan(worst([25_000, 25_000, 25_000, 25_000]));
    expect(worst(weights)).toBeLessThanOrEqual(mechanism.accuracy(0.05));
    expect(mechanism.accuracy(0.01)).toBeGreaterThan(mechanism.accuracy(0.05));
  });

  test('refuses queries without cells and tables of another size', () => {
    expect(() => mwem({ epsilon, sensitivity: 1, cells: 4, total: 10, queries: [[]] })).toThrow('query: the number of cells: expected');
    expect(() => mwem({ epsilon, sensitivity: 1, cells: 4, total: 10, queries: [] })).toThrow('MWEM: the number of queries: expected');
    const random = createRandom(words(seededRng(8)));
    expect(() => mwem({ epsilon, sensitivity: 1, cells: 4, total: 10, queries }).release([1, 2, 3], random)).toThrow(
      'table: the number of cells: expected',
    );
  });
});

test('a synthetic table is CSV with a row for each cell', () => {
  const columns = [
    { name: 'version', values: ['1', '2'] },
    { name: 'platform', values: ['web', 'a "b", c'] },
  ];
  expect(cellsOf(columns)).toBe(4);
  expect(valuesOf(columns, 2)).toEqual(['2', 'web']);
  expect(syntheticCsv(columns, [1, 2.5, 0, 1 / 3])).toBe(
    'version,platform,weight\r\n1,web,1\r\n1,"a ""b"", c",2.5\r\n2,web,0\r\n2,"a ""b"", c",0.333333\r\n',
  );
  expect(() => syntheticCsv(columns, [1])).toThrow('expected 4 weights, got 1');
});
