/** What a stream is made of: ε in two parts, the mechanism of the smaller stated error, and guesses that a wrong number of records does not break. */

import { seededRng, words } from '@murmuration/client/testing';
import { ratio } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { add, compare } from '#collector/release/budget/amount.ts';
import { mostHard } from '#collector/release/mechanisms/interactive.ts';
import { medianMechanism } from '#collector/release/mechanisms/median-mechanism.ts';
import { privateWeights } from '#collector/release/mechanisms/private-weights.ts';
import type { CountingQuery } from '#collector/release/mechanisms/queries.ts';
import { createRandom } from '#collector/release/mechanisms/random.ts';
import { type DesignOptions, designOf, drawThreshold, mechanismOf, totalNoise } from '#collector/release/streams/design.ts';
import { range } from '../../../proofs/channel.ts';
import { SILENT } from './table.ts';

const epsilon = ratio(1n, 1n);
const small: DesignOptions = { epsilon, sensitivity: 2, cells: 3, queries: 20, about: 10_000_000, mechanism: 'median' };

describe('a design', () => {
  test('spends ε exactly: a tenth for the number of records, the rest for the session', () => {
    const design = designOf(small);
    const session = mechanismOf(small, design, 9_000_000);
    expect(compare(add(totalNoise(small).epsilon ?? epsilon, session.epsilon ?? epsilon), epsilon)).toBe(0);
    expect([session.sensitivity, session.hard]).toEqual([2, design.hard]);
  });

  test('has the mechanism of the smaller stated error unless one is named, and says which', () => {
    const withins = (['median', 'weights'] as const).map((mechanism) => designOf({ ...small, mechanism }).within);
    expect(withins[0] as number).toBeLessThan(withins[1] as number);
    const { mechanism: _, ...unnamed } = small;
    expect(() => designOf(unnamed)).toThrow(/or name the mechanism median, got \d+ in 3 cells$/);
    const large = designOf({ ...unnamed, cells: 90_000, queries: 1_000, about: 10_000, hard: 10 });
    expect(large).toMatchObject({ mechanism: 'weights', hard: 10, lasts: false });
    expect(large.within).toBeLessThan(large.cellNoise);
    expect(() => designOf({ ...small, cells: 90_000 })).toThrow('expected at most 1000 cells, got 90000; use privateWeights instead');
  });

  test('states the same error before, and draws its threshold for it', () => {
    for (const hard of [undefined, 5]) {
      const options: DesignOptions = { ...small, ...(hard !== undefined && { hard }) };
      const design = designOf(options);
      expect(design.lasts).toBe(hard === undefined);
      // Without noise the threshold is T. The bound is T and the noises of threshold and comparison, which T has once already.
      const threshold = drawThreshold(options, design, SILENT);
      expect(threshold).toBeLessThan(design.within);
      if (hard !== undefined) expect(design.within).toBe(2 * threshold);
    }
  });

  test('learns from no more hard questions than take half a second, nor than noise can be drawn exactly for', () => {
    const many: DesignOptions = { ...small, mechanism: 'weights', cells: 50_000, queries: 10_000 };
    expect(() => designOf({ ...many, hard: 100 })).toThrow('hard: expected at most 31 hard questions, got 100');
    const fine = ratio(123_456_789n, 1_000_000_000n);
    const most = mostHard(fine, 1, 500);
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThan(500);
    expect(mostHard(epsilon, 1, 500)).toBe(500);
    expect(() => privateWeights({ epsilon: fine, sensitivity: 1, cells: 9, total: 10, queries: 9, hard: most })).not.toThrow();
  });
});

const CELLS = 6;
const TOTAL = 10_000_000;
const OFF = 3_000;
const counts = [7_000_000, 2_000_000, 600_000, 300_000, 100_000, 0];
const queries: readonly CountingQuery[] = range(60).map((i) => range(1 + (i % 4)).map((j) => (i % 3) + j));

test.each([-1, 1])('a session lasts, within its bound, although the published number of records is off by 3,000 times %d', (side) => {
  const options = {
    epsilon,
    sensitivity: 1,
    cells: CELLS,
    total: TOTAL + OFF,
    released: TOTAL + side * OFF,
    off: OFF,
    queries: queries.length,
  };
  for (const mechanism of [privateWeights(options), medianMechanism({ ...options, records: 12 })]) {
    const random = createRandom(words(seededRng(7)));
    let session = mechanism.open(random);
    expect(Math.round(session.guesses.guess(range(CELLS)))).toBe(options.released);
    for (const query of queries) {
      expect(session.left).toBeGreaterThan(0);
      const asked = mechanism.ask(session, query, counts, random);
      session = asked.session;
      const truth = query.reduce((sum, cell) => sum + (counts[cell] as number), 0);
      expect(Math.abs(asked.answer - truth)).toBeLessThanOrEqual(mechanism.accuracy(0.05));
    }
    mechanism.idle(random);
  }
  const exact = privateWeights({ ...options, off: 0 });
  expect(privateWeights(options).accuracy(0.05)).toBeGreaterThan(exact.accuracy(0.05) + OFF);
  for (const wrong of [{ released: 0 }, { off: -1 }, { total: 0.5 }])
    expect(() => privateWeights({ ...options, ...wrong })).toThrow(RangeError);
});
