/** The multi-analyst mechanism: exact laws of neighbours, figures by definition, refusals, and why no question asks for it. */

import { seededRng, words } from '@murmuration/client/testing';
import { multiAnalyst } from '@murmuration/examples/attacks/multi-analyst';
import { ratio } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { createRandom } from '#collector/release/mechanisms/random.ts';
import { range } from '../../../proofs/channel.ts';
import { rational } from '../../../proofs/rational.ts';
import { binomial, upperTail } from '../../../proofs/statistics.ts';
import { exactLaw } from './branches.ts';
import { decayed, minus, signOf, term, timesSum } from './exponential-sums.ts';

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
    expect(() => multiAnalyst({ epsilon, sensitivity: 1, width: -1 })).toThrow('multi-analyst: the offsets’ width: expected');
    expect(() => mechanism.colluders(0, 0.1)).toThrow('multi-analyst: expected an error');
    expect(() => mechanism.divergence(7)).toThrow('multi-analyst: a distance: expected');
  });

  test('tells an analyst the offset for nothing: in one question about days on which everybody knows that there were no reports', () => {
    const random = createRandom(words(seededRng(12)));
    const [wide, days] = [multiAnalyst({ epsilon, sensitivity: 1, width: 100 }), 1000];
    let found = 0;
    for (const _ of range(200)) {
      const offset = wide.offset(random);
      const sum = range(days).reduce((total) => total + wide.release({ value: 0, offset }, random), 0);
      found += Number(Math.round(sum / days) === offset);
    }
    // The mean of 1,000 answers has a standard error of 0.089, so it rounds to another number with a probability of 2e-8.
    expect(found).toBe(200);
  });
});
