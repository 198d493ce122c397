/** Geometric and Laplace noise: the samplers' exact laws, ε by enumeration, moments, bounds and frequencies. */

import { seededRng, words } from '@murmuration/client/testing';
import { laplace } from '@murmuration/examples/attacks/laplace';
import { type Ratio, ratio } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { cells, geometric } from '#collector/release/mechanisms/geometric.ts';
import { withinSafe } from '#collector/release/mechanisms/mechanism.ts';
import { createRandom } from '#collector/release/mechanisms/random.ts';
import { range } from '../../../proofs/channel.ts';
import { rational } from '../../../proofs/rational.ts';
import { exactLaw } from './branches.ts';
import { decimal } from './decimal.ts';
import { type ExponentialSum, equal, minus, none, one, plus, signOf, term, timesSum } from './exponential-sums.ts';
import { around, FALSE_ALARM, frequencies } from './frequencies.ts';

/** a^z for a = e^-(ε/Δ), and the law (1-a) a^|z| / (1+a) without its denominator. */
const a = (epsilon: Ratio, sensitivity: number, z: number): ExponentialSum =>
  term(rational(1), rational(epsilon.numerator * BigInt(z), epsilon.denominator * BigInt(sensitivity)));
const geometricMass = (epsilon: Ratio, sensitivity: number, z: number): ExponentialSum =>
  timesSum(minus(one, a(epsilon, sensitivity, 1)), a(epsilon, sensitivity, Math.abs(z)));

describe('two-sided geometric noise', () => {
  test.each([
    [ratio(1n, 1n), 1],
    [ratio(1n, 2n), 1],
    [ratio(2n, 3n), 1],
    [ratio(3n, 1n), 1],
    [ratio(1n, 1n), 2],
    [ratio(3n, 2n), 2],
  ] as const)('has the stated law, exactly: ε = %o, Δ = %d', (epsilon, sensitivity) => {
    const { sample } = geometric({ epsilon, sensitivity });
    const { outputs, rejected, open } = exactLaw(sample, { restarts: 'uniform', draws: 14 });
    const accepted = minus(one, rejected);
    const denominator = plus(one, a(epsilon, sensitivity, 1));
    for (const z of around(2)) {
      const left = timesSum(outputs.get(JSON.stringify(z)) ?? none, denominator);
      expect(equal(left, timesSum(geometricMass(epsilon, sensitivity, z), accepted)), `P(Z = ${z})`).toBe(true);
    }
    expect(signOf(minus(term(rational(1, 1000)), open))).toBe(1);
  });

  test('spends ε on neighbours, and no less', () => {
    for (const [epsilon, sensitivity] of [
      [ratio(1n, 2n), 1],
      [ratio(7n, 5n), 3],
    ] as const) {
      const bound = term(rational(1), rational(-epsilon.numerator, epsilon.denominator));
      let tight = false;
      for (const distance of range(sensitivity + 1)) {
        for (const z of around(12)) {
          const slack = minus(timesSum(bound, geometricMass(epsilon, sensitivity, z - distance)), geometricMass(epsilon, sensitivity, z));
          expect(signOf(slack)).toBeGreaterThanOrEqual(0);
          tight ||= distance === sensitivity && slack.size === 0;
        }
      }
      expect(tight).toBe(true);
    }
  });

  test('refuses what is no sensitivity, and an ε that is no short fraction', () => {
    const epsilon = ratio(1n, 2n);
    for (const sensitivity of [0, -1, 0.5, Number.NaN])
      expect(() => geometric({ epsilon, sensitivity })).toThrow('geometric: sensitivity: expected');
    expect(() => geometric({ epsilon: ratio(1n, 2n ** 50n), sensitivity: 1 })).toThrow('a fraction of numbers up to 2^40');
    for (const beta of [0, 1, Number.NaN])
      expect(() => geometric({ epsilon, sensitivity: 1 }).accuracy(beta)).toThrow('accuracy: expected a probability');
  });
});

test('no mechanism for numbers refuses a secret one, since a refusal would tell of it', () => {
  const [epsilon, random] = [ratio(1n, 2n), createRandom(words(seededRng(1)))];
  const kinds = [geometric({ epsilon, sensitivity: 1 }), laplace({ epsilon, sensitivity: 1 })];
  for (const { release } of kinds)
    for (const secret of [2 ** 53, -(2 ** 60), 1e300, Number.POSITIVE_INFINITY, 0.5])
      expect(release(secret, random)).toEqual(expect.any(Number));
  // Moved together, and never apart.
  const pairs = [2 ** 53 - 1, 2 ** 53 + 2, -1e300, 0.4, 1.4].map(withinSafe);
  expect(pairs).toEqual([2 ** 53 - 1, 2 ** 53 - 1, 1 - 2 ** 53, 0, 1]);
});

test('a decimal ε is the fraction that is written', () => {
  expect(decimal(0.1, 'ε')).toEqual(ratio(1n, 10n));
  expect(decimal('2.50', 'ε')).toEqual(ratio(5n, 2n));
  expect(decimal(1e-7, 'ε')).toEqual(ratio(1n, 10n ** 7n));
  expect(decimal('1e3', 'ε')).toEqual(ratio(1000n, 1n));
  for (const bad of ['0', '-1', '', 'x', '1e999', Number.NaN, Number.POSITIVE_INFINITY])
    expect(() => decimal(bad, 'ε')).toThrow('ε: expected');
});

describe('Laplace noise on a grid', () => {
  test('spends ε on any two numbers within the sensitivity, wherever the grid lies', () => {
    const epsilon = ratio(1n, 1n);
    const { step, release } = laplace({ epsilon, sensitivity: 0.75, step: 0.5 });
    const sensitivity = 2; // ceil(0.75 / 0.5) steps
    const bound = term(rational(1), rational(-epsilon.numerator, epsilon.denominator));
    const centre = (value: number): number => release(value, { uniform: () => 0, flip: () => false, decay: (p, q) => p !== 1 || q !== 1 });
    for (const x of [-0.25, 0, 0.2, 0.25, 0.49, 3]) {
      for (const y of [x, x + 0.3, x + 0.5, x + 0.75, x - 0.75]) {
        const [from, to] = [centre(x) / step, centre(y) / step];
        expect(Number.isInteger(from) && Number.isInteger(to)).toBe(true);
        for (const z of around(8)) {
          const slack = minus(timesSum(bound, geometricMass(epsilon, sensitivity, z - to)), geometricMass(epsilon, sensitivity, z - from));
          expect(signOf(slack)).toBeGreaterThanOrEqual(0);
        }
      }
    }
  });

  test('draws geometric noise for the sensitivity in steps, rounded up', () => {
    const epsilon = ratio(1n, 1n);
    const { sample } = laplace({ epsilon, sensitivity: 0.75, step: 0.5 });
    const { outputs, rejected } = exactLaw(sample, { restarts: 'uniform', draws: 14 });
    const denominator = plus(one, a(epsilon, 2, 1));
    for (const z of around(2)) {
      const left = timesSum(outputs.get(JSON.stringify(z * 0.5)) ?? none, denominator);
      expect(equal(left, timesSum(geometricMass(epsilon, 2, z), minus(one, rejected)))).toBe(true);
    }
  });

  test('tends to the Laplace mechanism as the grid gets finer', () => {
    for (const epsilon of [0.1, 1, 4]) {
      const { variance, accuracy } = laplace({ epsilon: decimal(epsilon, 'ε'), sensitivity: 10 });
      expect(Math.abs(variance / (2 * (10 / epsilon) ** 2) - 1)).toBeLessThan(0.01);
      expect(Math.abs(accuracy(0.05) / ((10 / epsilon) * Math.log(20)) - 1)).toBeLessThan(0.02);
    }
  });

  test('refuses what is no grid', () => {
    const epsilon = ratio(1n, 1n);
    for (const step of [0, 0.3, -1, Number.NaN]) expect(() => laplace({ epsilon, sensitivity: 1, step })).toThrow('a power of two');
    for (const sensitivity of [0, -1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => laplace({ epsilon, sensitivity })).toThrow('laplace: expected a sensitivity above');
    const random = createRandom(words(seededRng(1)));
    expect(() => laplace({ epsilon, sensitivity: 1 }).release(Number.NaN, random)).toThrow('expected a number, got NaN');
  });
});

test('samples have the frequencies of the law', () => {
  for (const [i, epsilon] of [0.05, 0.3, 1, 2.5].entries()) {
    const noise = geometric({ epsilon: decimal(epsilon, 'ε'), sensitivity: 1 });
    expect(frequencies(noise, (z) => Math.exp(-epsilon * Math.abs(z)), 100_000, i)).toBeGreaterThan(FALSE_ALARM);
  }
});

test('a frequency test of that size sees a law that is 2 % off', () => {
  const noise = geometric({ epsilon: ratio(1n, 2n), sensitivity: 1 });
  expect(frequencies(noise, (z) => Math.exp(-0.51 * Math.abs(z)), 200_000, 1)).toBeLessThan(FALSE_ALARM);
});

test('a histogram adds noise to each cell, and bounds the largest error', () => {
  const noise = geometric({ epsilon: ratio(1n, 1n), sensitivity: 2 });
  const mechanism = cells(noise, 3);
  const random = createRandom(words(seededRng(5)));
  expect(mechanism.release([5, 0, 100], random)).toHaveLength(3);
  expect(() => mechanism.release([1, 2], random)).toThrow('cells: the number of values: expected');
  const p = 1 - 0.95 ** (1 / 3);
  expect(mechanism.accuracy(0.05)).toBe(noise.accuracy(p));
  expect([mechanism.epsilon, mechanism.rho]).toEqual([ratio(1n, 1n), noise.rho]);
});
