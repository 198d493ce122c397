/** Synthetic tables for marginals: the queries, the noise that they must beat, what each part spends, and that stated errors hold. */

import { seededRng, words } from '@murmuration/client/testing';
import { ratio } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { geometric } from '#collector/release/mechanisms/geometric.ts';
import { marginalTables } from '#collector/release/mechanisms/marginal-table.ts';
import { cellNoiseError, cellsOf, marginalsOf, queryAnswerOf, valuesOf } from '#collector/release/mechanisms/queries.ts';
import { createRandom, type Random } from '#collector/release/mechanisms/random.ts';
import { range } from '../../../proofs/channel.ts';

const random = (seed: number): Random => createRandom(words(seededRng(seed)));

test('the marginals are the values of each column and each pair of columns, as the cells of a table have them', () => {
  const sizes = [2, 3, 4];
  const columns = sizes.map((size, i) => ({ name: 'abc'[i] as string, values: range(size).map(String) }));
  const textOf = (query: readonly number[]): string => query.join();
  const found = marginalsOf(sizes).map(textOf);
  const expected = range(3).flatMap((first) =>
    range(3 - first).flatMap((more) => {
      const second = first + more;
      const groups = new Map<string, number[]>();
      for (const cell of range(cellsOf(columns))) {
        const values = valuesOf(columns, cell);
        const key = `${values[first]} ${values[second]}`;
        groups.set(key, [...(groups.get(key) ?? []), cell]);
      }
      return [...groups.values()].map(textOf);
    }),
  );
  expect(found.toSorted()).toEqual(expected.toSorted());
  expect(new Set(found).size).toBe(2 + 3 + 4 + 6 + 8 + 12);
});

describe('noise for each cell', () => {
  const epsilon = ratio(1n, 2n);

  test('keeps its bound, which is not far above what is measured', () => {
    const queries = marginalsOf([5, 8]);
    const noise = geometric({ epsilon, sensitivity: 2 });
    const bound = cellNoiseError(epsilon, 2, queries, 0.05);
    const draw = random(3);
    const worst = range(4000).map(() => {
      const cells = range(40).map(() => noise.sample(draw));
      return Math.max(...queries.map((query) => Math.abs(queryAnswerOf(query, cells))));
    });
    // The bound holds with 95 %: more than 300 of 4,000 runs beyond it have a probability below 1e-9.
    expect(worst.filter((error) => error > bound).length).toBeLessThan(300);
    expect(Math.max(...worst)).toBeGreaterThan(bound * 0.75);
  });

  test('is bounded for one cell by at least the exact tail, and by little more', () => {
    const exact = geometric({ epsilon, sensitivity: 1 }).accuracy(0.001);
    const bound = cellNoiseError(epsilon, 1, [[0]], 0.001);
    expect(bound).toBeGreaterThanOrEqual(exact);
    expect(bound).toBeLessThan(2 * exact);
  });
});

/** A table of so many records, crowded in the first cells. */
const crowded = (cells: number, records: number): readonly number[] => {
  const counts = range(cells).map(() => 0);
  for (const i of range(records)) {
    const cell = Math.floor(cells * ((i + 0.5) / records) ** 3);
    counts[cell] = (counts[cell] as number) + 1;
  }
  return counts;
};

const worstOf = (sizes: readonly number[], counts: readonly number[], weights: readonly number[]): number =>
  Math.max(...marginalsOf(sizes).map((query) => Math.abs(queryAnswerOf(query, counts) - queryAnswerOf(query, weights))));

describe.each([
  ['BLR', [3, 5, 6], 100, ratio(1n, 10n)],
  ['MWEM', [10, 10, 12], 300, ratio(1n, 10n)],
] as const)('a table by %s', (name, sizes, records, epsilon) => {
  const cells = sizes.reduce((product, size) => product * size, 1);
  const tables = marginalTables({ epsilon, sensitivity: 1, sizes, beta: 0.05 });
  const counts = crowded(cells, records);

  test('is made of three releases that spend ε together, and carries what it states', () => {
    expect(tables.epsilon).toEqual(epsilon);
    expect(tables.promise(records)).toMatchObject({ mechanism: name });
    const { mechanism, total, weights } = tables.release(counts, random(5));
    expect(mechanism).toBe(name);
    const sum = weights.reduce((all, weight) => all + weight, 0);
    expect(Math.abs(sum - total)).toBeLessThanOrEqual(cells * 5e-7 + 1e-6);
  });

  test('is within the error that it states, before it is made and after', () => {
    const draw = random(7);
    const runs = range(200).map(() => {
      const { total, weights, within } = tables.release(counts, draw);
      const worst = worstOf(sizes, counts, weights);
      return { before: worst <= tables.promise(total).within, after: worst <= within };
    });
    // Each holds with 95 %: 28 or more of 200 fail with a probability below 1e-6.
    expect(runs.filter(({ before }) => !before).length).toBeLessThan(28);
    expect(runs.filter(({ after }) => !after).length).toBeLessThan(28);
  });
});

/** Coins that fall as if all noise were 0, and the first candidate were always taken. */
const SILENT: Random = { uniform: () => 0, flip: () => false, decay: (numerator) => Number(numerator) === 0 };

test('without noise the total and the measured error are those of the table, and one device-day moves them by the sensitivity at most', () => {
  const sizes = [7, 9, 10];
  const tables = marginalTables({ epsilon: ratio(1n, 1n), sensitivity: 3, sizes, beta: 0.05 });
  const counts = crowded(630, 400);
  const one = tables.release(counts, SILENT);
  const low = geometric({ epsilon: ratio(1n, 5n), sensitivity: 3 }).accuracy(0.1);
  expect(one.total).toBe(400);
  expect(one.within).toBe(Math.ceil(worstOf(sizes, counts, one.weights)) + low);
  for (const cell of [0, 300, 629]) {
    const more = counts.with(cell, (counts[cell] as number) + 3);
    const errors = [counts, more].map((table) =>
      Math.max(...marginalsOf(sizes).map((query) => Math.ceil(Math.abs(queryAnswerOf(query, table) - queryAnswerOf(query, one.weights))))),
    );
    expect(Math.abs((errors[1] as number) - (errors[0] as number))).toBeLessThanOrEqual(3);
  }
});

test('the parts draw with a fifth, three fifths and a fifth of ε, of which MWEM has half for its choice and half for its count', () => {
  const denominators: string[] = [];
  const watched: Random = {
    ...SILENT,
    decay: (numerator, denominator) => {
      if (Number(numerator) === 0) denominators.push(String(denominator));
      return SILENT.decay(numerator, denominator);
    },
  };
  // One round: a choice by gaps of rate 3/20, and a count with noise of rate 3/10.
  marginalTables({ epsilon: ratio(1n, 1n), sensitivity: 1, sizes: [7, 9, 10], beta: 0.05 }).release(crowded(630, 10), watched);
  expect(denominators).toEqual(['5', '20', '10', '5']);
});

test('MWEM has fewer rounds where its passes over the cells would take long, and states the error for those', () => {
  const tables = marginalTables({ epsilon: ratio(10n, 1n), sensitivity: 1, sizes: [100, 100], beta: 0.05 });
  expect(tables.promise(100_000_000).within).toBeLessThanOrEqual(100_000_100);
  expect(tables.promise(1).within).toBeGreaterThan(0);
  expect(() => marginalTables({ epsilon: ratio(1n, 1n), sensitivity: 1, sizes: [], beta: 0.05 })).toThrow(
    'synthetic table: the number of columns: expected',
  );
  expect(() => marginalsOf([2, 0])).toThrow('marginals: the values of a column: expected');
});

test('what can be promised can be released for any number of reports: an ε of many digits has fewer rounds', () => {
  const tables = marginalTables({ epsilon: ratio(123_456_789n, 10n ** 9n), sensitivity: 1, sizes: [30, 10, 3], beta: 0.05 });
  expect(tables.promise(100).within).toBeLessThan(tables.cellNoise);
  expect(
    tables.release(
      range(900).map(() => 2_000),
      random(1),
    ).weights,
  ).toHaveLength(900);
});
