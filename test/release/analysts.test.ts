/** The multi-analyst mechanism, and sample and aggregate: exact laws of neighbours, figures by definition, and refusals. */

import { seededRng, words } from '@murmuration/client/testing';
import { ratio } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { multiAnalyst } from '#collector/release/mechanisms/multi-analyst.ts';
import { quantile } from '#collector/release/mechanisms/quantile.ts';
import { createRandom } from '#collector/release/mechanisms/random.ts';
import { sampleAndAggregate } from '#collector/release/mechanisms/sample-and-aggregate.ts';
import { range } from '../proofs/channel.ts';
import { rational } from '../proofs/rational.ts';
import { binomial, upperTail } from '../proofs/statistics.ts';
import { exactLaw } from './branches.ts';
import { decayed, minus, signOf, term, timesSum } from './exponential-sums.ts';
import { expectWithin } from './neighbours.ts';

const FALSE_ALARM = 1e-6;

describe('the multi-analyst mechanism', () => {
  const epsilon = ratio(1n, 2n);
  const mechanism = multiAnalyst({ epsilon, sensitivity: 1, width: 3 });

  test('spends ε on each answer, whoever knows the offset', () => {
    const bound = term(rational(1), rational(-1, 2));
    for (const offset of [-3, 0, 3]) {
      for (const z of range(21).map((i) => i - 10)) {
        const slack = minus(timesSum(bound, decayed(Math.abs(z - offset - 1), 2)), decayed(Math.abs(z - offset), 2));
        expect(signOf(slack)).toBeGreaterThanOrEqual(0);
      }
    }
  });

  test('draws offsets evenly, and adds the same one to every answer of an analyst', () => {
    const { outputs } = exactLaw(mechanism.offset);
    expect([...outputs.keys()].map(Number).sort((a, b) => a - b)).toEqual([-3, -2, -1, 0, 1, 2, 3]);
    for (const chance of outputs.values()) expect(chance).toEqual(term(rational(1, 7)));
    const answersOf = (offset: number) => {
      const random = createRandom(words(seededRng(9)));
      return range(20).map(() => mechanism.release({ value: 50, offset }, random));
    };
    const [none, three] = [answersOf(0), answersOf(3)];
    expect(three).toEqual(none.map((answer) => answer + 3));
  });

  test('has the stated accuracy, variance and divergences', () => {
    const weight = (z: number): number => Math.exp(-Math.abs(z) / 2);
    const all = range(401).map((i) => i - 200);
    const mass = all.reduce((sum, z) => sum + weight(z), 0);
    for (const beta of [0.5, 0.1, 0.01]) {
      const beyond = (bound: number) => all.reduce((sum, z) => sum + (Math.abs(z + 3) > bound ? weight(z) : 0), 0) / mass;
      expect(beyond(mechanism.accuracy(beta))).toBeLessThanOrEqual(beta);
      expect(beyond(mechanism.accuracy(beta) - 1)).toBeGreaterThan(beta);
    }
    const square = all.reduce((sum, z) => sum + weight(z) * range(7).reduce((inner, m) => inner + (z + m - 3) ** 2 / 7, 0), 0) / mass;
    expect(Math.abs(mechanism.variance / square - 1)).toBeLessThan(1e-9);
    for (const distance of [0, 1, 4]) {
      const divergence = all.reduce((sum, z) => sum + (weight(z) / mass) * Math.log(weight(z) / weight(z - distance)), 0);
      expect(mechanism.divergence(distance).kullbackLeibler).toBeCloseTo(divergence, 9);
      expect(mechanism.divergence(distance).maximal).toBeCloseTo(distance / 2, 12);
    }
  });

  test('is averaged away by as many colluders as stated', () => {
    const [bound, beta, trials] = [0.5, 0.1, 1000];
    const { withOffsets, without } = mechanism.colluders(bound, beta);
    expect(withOffsets).toBeGreaterThan(without);
    const random = createRandom(words(seededRng(10)));
    let within = 0;
    for (let trial = 0; trial < trials; trial++) {
      let sum = 0;
      for (let i = 0; i < withOffsets; i++) sum += mechanism.release({ value: 0, offset: mechanism.offset(random) }, random);
      within += Number(Math.abs(sum / withOffsets) <= bound);
    }
    expect(upperTail(binomial(within, 1 - beta, trials))).toBeGreaterThan(FALSE_ALARM);
  });

  test('refuses offsets outside its width', () => {
    const random = createRandom(words(seededRng(1)));
    expect(() => mechanism.release({ value: 0, offset: 4 }, random)).toThrow('from -3 to 3');
    expect(() => multiAnalyst({ epsilon, sensitivity: 1, width: -1 })).toThrow(RangeError);
    expect(() => mechanism.colluders(0, 0.1)).toThrow(RangeError);
    expect(() => mechanism.divergence(7)).toThrow(RangeError);
  });
});

describe('sample and aggregate', () => {
  const epsilon = ratio(1n, 1n);
  const options = { epsilon, sensitivity: 1, blocks: 3, low: 0, high: 2, points: 3 } as const;
  /** As sensitive as a statistic can be. */
  const statistic = (records: readonly number[]): number => (records.reduce((sum, record) => sum + record, 0) * 7) % 3;

  test('by the median spends at most ε, exactly, whatever the statistic is', () => {
    const { release } = sampleAndAggregate<number>({ ...options, statistic, aggregator: 'median' });
    const lawOf = (records: readonly number[]) => exactLaw((random) => release(records, random)).outputs;
    for (const records of [[], [1], [1, 5]]) {
      const law = lawOf(records);
      for (const more of [0, 1, 2]) {
        const other = lawOf([...records, more]);
        expectWithin(law, other, epsilon);
        expectWithin(other, law, epsilon);
      }
    }
  });

  test('by the median is the quantile of results of which one may be replaced', () => {
    const { release } = sampleAndAggregate<number>({ ...options, blocks: 4, points: 9, statistic: () => 1, aggregator: 'median' });
    const median = quantile({ epsilon, cells: 9, quantile: ratio(1n, 2n), sensitivity: 1, replaced: true });
    const counts = range(9).map((i) => (i === 4 ? 4 : 0));
    const [a, b] = [createRandom(words(seededRng(6))), createRandom(words(seededRng(6)))];
    for (const _ of range(300)) expect(release([], a)).toBe(median.release(counts, b) / 4);
  });

  test('by the mean adds noise for the whole range to the sum of the blocks', () => {
    const { release, accuracy } = sampleAndAggregate<number>({ ...options, statistic: () => 1.4, aggregator: 'mean' });
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
      const { release } = sampleAndAggregate({ ...options, blocks: 200, statistic: () => value, aggregator: 'median' });
      expect(release([], random)).toBe(at);
    }
  });

  test('takes a statistic that throws for no result, so that no error tells about records', () => {
    const statistic = (records: readonly number[]): number => {
      if (records.includes(7)) throw new Error('seven');
      return 2;
    };
    const { release } = sampleAndAggregate({ ...options, blocks: 200, statistic, aggregator: 'median' });
    expect(release([7], createRandom(words(seededRng(1))))).toBe(2);
  });

  test('refuses ranges and blocks that are none', () => {
    const of = { ...options, statistic, aggregator: 'mean' } as const;
    expect(() => sampleAndAggregate({ ...of, low: 2, high: 2 })).toThrow('its low end below its high end');
    expect(() => sampleAndAggregate({ ...of, high: Number.POSITIVE_INFINITY })).toThrow('a finite range');
    expect(() => sampleAndAggregate({ ...of, sensitivity: 4 })).toThrow('from 4 to');
    expect(() => sampleAndAggregate({ ...of, points: 1 })).toThrow(RangeError);
  });
});
