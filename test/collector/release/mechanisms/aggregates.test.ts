/** Sample and aggregate: how a table is dealt, exact laws of neighbours, and refusals. */

import { seededRng, words } from '@murmuration/client/testing';
import { ratio } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { chiSquaredTail } from '#collector/estimation/statistics/tails.ts';
import { geometric } from '#collector/release/mechanisms/geometric.ts';
import { quantile } from '#collector/release/mechanisms/permute-and-flip.ts';
import { createRandom, type Random } from '#collector/release/mechanisms/random.ts';
import { type Block, deal, heads, sampleAndAggregate } from '#collector/release/mechanisms/sample-and-aggregate.ts';
import { range } from '../../../proofs/channel.ts';
import { rational } from '../../../proofs/rational.ts';
import { exactLaw } from './branches.ts';
import { term } from './exponential-sums.ts';
import { expectWithin } from './neighbours.ts';

const FALSE_ALARM = 1e-6;
/** The sample space of so many choices of one of so many. */
const choices = (records: number, ways: number): readonly (readonly number[])[] =>
  range(ways ** records).map((i) => range(records).map((record) => Math.floor(i / ways ** record) % ways));

describe('dealing', () => {
  test('counts the heads of fair coins, exactly', () => {
    for (const count of [0, 1, 2, 5]) {
      const { outputs } = exactLaw((random) => heads(count, random));
      const ways = choices(count, 2).map((coins) => coins.reduce((sum, coin) => sum + coin, 0));
      for (const found of range(count + 1)) {
        const chance = ways.filter((each) => each === found).length;
        expect(outputs.get(`${found}`)).toEqual(term(rational(chance, 2 ** count)));
      }
    }
  });

  test('counts all coins of long words', () => {
    const drawn: number[] = [];
    const all: Random = {
      uniform: (n) => {
        drawn.push(n);
        return n - 1;
      },
      flip: () => false,
      decay: () => false,
    };
    expect(heads(75, all)).toBe(75);
    expect(drawn).toEqual([2 ** 32, 2 ** 32, 2 ** 11]);
    expect(heads(33, { ...all, uniform: () => 0 })).toBe(0);
    expect(heads(32, { ...all, uniform: () => 0b1010_0000_0000_0000_0000_0000_0000_0001 >>> 0 })).toBe(3);
  });

  test('puts each record into a uniform block, independently of all others', () => {
    const counts = [2, 0, 1];
    const { outputs } = exactLaw((random) => {
      const blocks: Block[] = [];
      deal(counts, 2, random, (block) => void blocks.push(block));
      return blocks.map(({ cells, counts: parts }) => [0, 1, 2].map((cell) => (cells.includes(cell) ? parts[cells.indexOf(cell)] : 0)));
    });
    const expected = new Map<string, number>();
    for (const [first, second, third] of choices(3, 4)) {
      const blocks = range(4).map((block) => [Number(first === block) + Number(second === block), 0, Number(third === block)]);
      const key = JSON.stringify(blocks);
      expected.set(key, (expected.get(key) ?? 0) + 1);
    }
    expect(new Set(outputs.keys())).toEqual(new Set(expected.keys()));
    for (const [key, ways] of expected) expect(outputs.get(key)).toEqual(term(rational(ways, 64)));
  });

  test('of many records gives blocks that are as even as chance makes them', () => {
    const random = createRandom(words(seededRng(3)));
    const found: number[] = [];
    deal([40_000, 24_000], 6, random, ({ counts }) => found.push(counts.reduce((sum, count) => sum + count, 0)));
    expect(found).toHaveLength(64);
    expect(found.reduce((sum, count) => sum + count, 0)).toBe(64_000);
    const chi = found.reduce((sum, count) => sum + (count - 1000) ** 2 / 1000, 0);
    expect(chiSquaredTail(chi, 63)).toBeGreaterThan(FALSE_ALARM);
    expect(1 - chiSquaredTail(chi, 63)).toBeGreaterThan(FALSE_ALARM);
  });
});

describe('sample and aggregate', () => {
  const epsilon = ratio(1n, 1n);
  const options = { epsilon, sensitivity: 1, blocks: 2, low: 0, high: 2, points: 3 } as const;
  /** As sensitive as a statistic can be. */
  const statistic = ({ cells, counts }: Block): number =>
    (cells.reduce((sum, cell, i) => sum + (cell + 1) * (counts[i] as number), 0) * 7) % 3;
  const tables = [
    [0, 0],
    [1, 0],
    [1, 1],
  ];

  test('by the median spends at most ε, exactly, whatever the statistic is', () => {
    for (const blocks of [2, 4]) {
      const { release } = sampleAndAggregate({ ...options, blocks, statistic, aggregator: 'median' });
      const lawOf = (counts: readonly number[]) => exactLaw((random) => release(counts, random)).outputs;
      for (const counts of tables) {
        const law = lawOf(counts);
        for (const cell of [0, 1]) {
          const other = lawOf(counts.with(cell, (counts[cell] as number) + 1));
          expectWithin(law, other, epsilon);
          expectWithin(other, law, epsilon);
        }
      }
    }
  });

  test('by the median covers as many records of one unit of privacy as are stated', () => {
    const { release } = sampleAndAggregate({ ...options, sensitivity: 2, statistic, aggregator: 'median' });
    const lawOf = (counts: readonly number[]) => exactLaw((random) => release(counts, random)).outputs;
    for (const more of [
      [2, 0],
      [1, 1],
      [0, 2],
    ]) {
      const [law, other] = [lawOf([1, 0]), lawOf([1 + (more[0] as number), more[1] as number])];
      expectWithin(law, other, epsilon);
      expectWithin(other, law, epsilon);
    }
  });

  test('by the mean moves the sum of results by at most their range for each record of one unit of privacy', () => {
    // Over every way in which three records can be dealt, the third one in another cell: with it and without it.
    const { release } = sampleAndAggregate({ ...options, blocks: 4, statistic, aggregator: 'mean' });
    const resultOf = (parts: readonly number[], block: number): number =>
      statistic({ cells: [0, 1], counts: [parts.slice(0, 2).filter((each) => each === block).length, Number(parts[2] === block)] });
    let most = 0;
    for (const dealt of choices(3, 4)) {
      const [three, two] = [dealt, dealt.slice(0, 2)].map((parts) => range(4).reduce((sum, block) => sum + resultOf(parts, block), 0));
      most = Math.max(most, Math.abs((three as number) - (two as number)));
    }
    expect(most).toBe(options.points - 1);
    // The shipped one adds geometric noise of that sensitivity, and divides by the blocks.
    const noise = geometric({ epsilon, sensitivity: options.points - 1 });
    const [a, b] = [createRandom(words(seededRng(8))), createRandom(words(seededRng(8)))];
    for (const _ of range(300)) expect(release([0, 0], a)).toBeCloseTo(noise.release(0, b) / 4, 12);
  });

  test('by the median is the quantile of results of which one may be replaced', () => {
    const { release } = sampleAndAggregate({ ...options, blocks: 4, points: 9, statistic: () => 1, aggregator: 'median' });
    const median = quantile({ epsilon, cells: 9, quantile: ratio(1n, 2n), sensitivity: 1, replaced: true });
    const counts = range(9).map((i) => (i === 4 ? 4 : 0));
    const [a, b] = [createRandom(words(seededRng(6))), createRandom(words(seededRng(6)))];
    for (const _ of range(300)) expect(release([], a)).toBe(median.release(counts, b) / 4);
  });

  test('by the mean adds noise for the whole range to the sum of the blocks', () => {
    const { release, accuracy } = sampleAndAggregate({ ...options, blocks: 4, statistic: () => 1.4, aggregator: 'mean' });
    // No noise: every block has 1.4, which is nearest to 1.
    expect(release([], { uniform: () => 0, flip: () => false, decay: (p, q) => p !== 1 || q !== 1 })).toBe(1);
    const errors = range(2000).map((seed) => Math.abs(release([1], createRandom(words(seededRng(seed)))) - 1));
    const beyond = errors.filter((error) => error > accuracy(0.1) + 1e-9).length;
    expect(beyond / errors.length).toBeLessThanOrEqual(0.13);
  });

  test('keeps results in the range, and takes no result for its low end', () => {
    const random = createRandom(words(seededRng(1)));
    for (const [value, at] of [
      [Number.NaN, 0],
      [1e9, 2],
      [-1e9, 0],
    ] as const) {
      const { release } = sampleAndAggregate({ ...options, blocks: 256, statistic: () => value, aggregator: 'median' });
      expect(release([], random)).toBe(at);
    }
  });

  test('takes a statistic that throws for no result, so that no error tells about records', () => {
    const thrower = ({ cells }: Block): number => {
      if (cells.includes(7)) throw new Error('seven');
      return 2;
    };
    const { release } = sampleAndAggregate({ ...options, blocks: 256, statistic: thrower, aggregator: 'median' });
    expect(
      release(
        range(8).map((cell) => Number(cell === 7)),
        createRandom(words(seededRng(1))),
      ),
    ).toBe(2);
  });

  test('refuses ranges and blocks that are none', () => {
    const of = { ...options, statistic, aggregator: 'mean' } as const;
    expect(() => sampleAndAggregate({ ...of, low: 2, high: 2 })).toThrow('its low end below its high end');
    expect(() => sampleAndAggregate({ ...of, high: Number.POSITIVE_INFINITY })).toThrow('a finite range');
    expect(() => sampleAndAggregate({ ...of, sensitivity: 4 })).toThrow('from 4 to');
    expect(() => sampleAndAggregate({ ...of, blocks: 40 })).toThrow('expected a power of two of blocks, got 40');
    expect(() => sampleAndAggregate({ ...of, points: 1 })).toThrow('sample and aggregate: points: expected');
  });
});
