/** Discrete Gaussian noise: the sampler's exact law, ρ between neighbours by enumeration, bounds and frequencies. */

import { seededRng, words } from '@murmuration/client/testing';
import { ratio } from '@murmuration/shared';
import { expect, test } from 'vitest';
import { gaussian } from '#collector/release/mechanisms/gaussian.ts';
import { createRandom } from '#collector/release/mechanisms/random.ts';
import { range } from '../../../proofs/channel.ts';
import { rational } from '../../../proofs/rational.ts';
import { exactLaw } from './branches.ts';
import { decimal } from './decimal.ts';
import { decayed, type ExponentialSum, equal, minus, none, signOf, term, timesSum } from './exponential-sums.ts';
import { around, FALSE_ALARM, frequencies } from './frequencies.ts';

test.each([
  [ratio(1n, 2n), 1n],
  [ratio(1n, 1n), 1n],
  [ratio(1n, 8n), 1n],
  [ratio(1n, 3n), 2n],
] as const)('the sampler has the stated law, exactly: ρ = %o, Δ² = %d', (rho, squaredSensitivity) => {
  const { outputs, open } = exactLaw(gaussian({ rho, squaredSensitivity }).sample, { restarts: 'uniform', draws: 14 });
  // σ² = p/q.
  const [p, q] = [rho.denominator * squaredSensitivity, 2n * rho.numerator];
  for (const z of around(3)) {
    // P(z) e^0 = P(0) e^(-z²/(2σ²)).
    const weight = decayed(BigInt(z * z) * q, 2n * p);
    expect(equal(outputs.get(String(z)) ?? none, timesSum(outputs.get('0') as ExponentialSum, weight)), `P(Z = ${z})`).toBe(true);
  }
  expect(signOf(minus(term(rational(1, 100)), open))).toBe(1);
});

test('spends ρ between neighbours, and no less: no Rényi divergence of order α is above αρ', () => {
  for (const [rho, squared] of [
    [0.5, 1],
    [0.02, 1],
    [0.1, 4],
    [2, 1],
  ] as const) {
    const [variance, shift] = [squared / (2 * rho), Math.sqrt(squared)];
    const weight = (z: number): number => Math.exp((-z * z) / (2 * variance));
    const all = around(Math.ceil(60 * Math.sqrt(variance)) + 10);
    const mass = all.reduce((sum, z) => sum + weight(z), 0);
    for (const order of [1.1, 1.5, 2, 3, 5, 10]) {
      const moment = all.reduce((sum, z) => sum + Math.exp((-order * z * z + (order - 1) * (z - shift) ** 2) / (2 * variance)), 0) / mass;
      expect(Math.log(moment) / (order - 1)).toBeLessThan(order * rho * (1 + 1e-9));
    }
    expect(gaussian({ rho: decimal(rho, 'ρ'), squaredSensitivity: BigInt(squared) }).epsilon).toBeUndefined();
  }
});

test('has no bound and no tail that the law passes', () => {
  for (const rho of [8, 2, 0.5, 0.1, 0.01, 0.001, 0.00001]) {
    const { accuracy, variance, tail } = gaussian({ rho: decimal(rho.toFixed(5), 'ρ'), squaredSensitivity: 1n });
    const sigma = 1 / (2 * rho);
    const weights = range(3000).map((z) => Math.exp((-z * z) / (2 * sigma)));
    const mass = 2 * weights.reduce((sum, weight) => sum + weight, 0) - 1;
    const beyond = (z: number): number => weights.slice(z).reduce((sum, weight) => sum + weight, 0) / mass;
    for (const beta of [0.5, 0.1, 0.05, 0.001]) expect(2 * beyond(accuracy(beta) + 1)).toBeLessThanOrEqual(beta * (1 + 1e-12));
    for (const z of [1, 2, 5, 40, 300]) expect(tail(z)).toBeGreaterThanOrEqual(beyond(z) * (1 - 1e-9));
    expect(variance).toBeLessThanOrEqual(sigma * (1 + 1e-12));
  }
});

test('refuses what is no sensitivity, and noise that would not be exact', () => {
  expect(() => gaussian({ rho: ratio(1n, 2n), squaredSensitivity: 0n })).toThrow('a squared sensitivity from 1');
  expect(() => gaussian({ rho: ratio(1n, 2n ** 90n), squaredSensitivity: 1n })).toThrow('a deviation of at most 2^40');
});

test('samples have the frequencies of the law, and a test of that size sees one that is 2 % off', () => {
  for (const [i, rho] of [0.001, 0.07, 0.5, 3].entries()) {
    const noise = gaussian({ rho: decimal(rho, 'ρ'), squaredSensitivity: 1n });
    expect(frequencies(noise, (z) => Math.exp(-rho * z * z), 30_000, 10 + i)).toBeGreaterThan(FALSE_ALARM);
  }
  expect(
    frequencies(gaussian({ rho: decimal(0.07, 'ρ'), squaredSensitivity: 1n }), (z) => Math.exp(-0.0714 * z * z), 400_000, 1),
  ).toBeLessThan(FALSE_ALARM);
  // A deviation of 2^30: past what one word has.
  const { sample } = gaussian({ rho: ratio(1n, 2n ** 61n), squaredSensitivity: 1n });
  const random = createRandom(words(seededRng(2)));
  expect(range(50).filter(() => Math.abs(sample(random)) < 2 ** 33)).toHaveLength(50);
});
