/** Empirical-Bayes estimates: the prior that is learned, where it helps, and that it stays away where it does not. */

import { seededRng, words } from '@murmuration/client/testing';
import { describe, expect, test } from 'vitest';
import { crowding, fitPrior, likelihoodOf, normSub, type Observation, type Prior, shrunk } from '#collector/estimation/shrunk.ts';
import { simulateChoice } from '#collector/planning/simulate/choice.ts';
import { EFFORT } from '../../setup/effort.ts';

const uniforms = (seed: number): (() => number) => {
  const word = words(seededRng(seed));
  return () => (word() + 0.5) / 2 ** 32;
};

/** Truths with normal noise (Box and Muller 1958). */
function observe(truths: readonly number[], standardError: number, seed: number): Observation[] {
  const uniform = uniforms(seed);
  return truths.map((truth) => {
    const normal = Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
    return { estimate: truth + standardError * normal, standardError };
  });
}

const repeat = (length: number, value: number): number[] => Array.from({ length }, () => value);
const error = (shares: readonly number[], truths: readonly number[]): number =>
  shares.reduce((sum, share, i) => sum + (share - (truths[i] as number)) ** 2, 0) / truths.length;
const raw = (observations: readonly Observation[]): number[] => observations.map(({ estimate }) => estimate);

/** 900 answers with nothing, 100 with a hundredth each. */
const sparse = [...repeat(900, 0), ...repeat(100, 0.01)];

describe('the prior', () => {
  test('of two groups of shares has its mass at the two', () => {
    const { grid, weights } = fitPrior(observe(sparse, 0.002, 1));
    expect(weights.reduce((a, b) => a + b)).toBeCloseTo(1, 9);
    const mass = (low: number, high: number): number =>
      weights.reduce((sum, weight, k) => sum + ((grid[k] as number) >= low && (grid[k] as number) < high ? weight : 0), 0);
    expect(mass(0, 0.004)).toBeGreaterThan(0.85);
    expect(mass(0.006, 0.014)).toBeGreaterThan(0.08);
  });

  test('is likelier with each step, and in the end likelier than the truth, as the likeliest of all must be', () => {
    const observations = observe(sparse, 0.005, 2);
    const logLikelihood = ({ grid, weights }: Prior): number =>
      observations.reduce((sum, { estimate }) => {
        const density = weights.reduce((a, weight, k) => a + weight * Math.exp(-0.5 * ((estimate - (grid[k] as number)) / 0.005) ** 2), 0);
        return sum + Math.log(density);
      }, 0);
    const truth = logLikelihood({ grid: Float64Array.of(0, 0.01), weights: Float64Array.of(0.9, 0.1) });
    const reached = [1, 2, 4, 30, 100, 1000].map((steps) => logLikelihood(fitPrior(observations, steps)));
    expect([...reached].sort((a, b) => a - b)).toEqual(reached);
    expect(reached.at(-1)).toBeGreaterThan(truth);
  });

  test('counts a grid point for the estimates in its reach only', () => {
    const grid = Float64Array.from({ length: 101 }, (_, k) => k / 100);
    const { from, values } = likelihoodOf(grid, { estimate: 0.5, standardError: 0.01 });
    expect([from, values.length]).toEqual([44, 12]);
    expect(Math.max(...values)).toBe(1);
    expect(likelihoodOf(grid, { estimate: -0.3, standardError: 0.01 }).from).toBe(0);
    expect(likelihoodOf(grid, { estimate: 9, standardError: 0.01 })).toEqual({ from: 100, values: Float64Array.of(1) });
  });
});

describe('shrunk shares', () => {
  test('are not negative, sum to 1, and go with their answers whatever the order', () => {
    const observations = observe(sparse, 0.004, 3);
    const shares = shrunk(observations);
    expect(Math.min(...shares)).toBeGreaterThanOrEqual(0);
    expect(shares.reduce((a, b) => a + b)).toBeCloseTo(1, 9);
    shrunk([...observations].reverse())
      .reverse()
      .forEach((share, i) => {
        expect(share).toBeCloseTo(shares[i] as number, 9);
      });
  });

  test('have a tenth of the error of norm-sub where shares are alike, since they say so themselves', () => {
    const truths = repeat(500, 1 / 500);
    const observations = observe(truths, 0.001, 4);
    expect(error(shrunk(observations), truths)).toBeLessThan(0.1 * error(normSub(raw(observations)), truths));
  });

  test('are norm-sub alone where the noise leaves few estimates together', () => {
    const resolved = observe(
      Array.from({ length: 16 }, (_, i) => (i + 1) / 136),
      0.001,
      5,
    );
    expect(crowding(resolved)).toBeLessThan(2);
    expect(shrunk(resolved)).toEqual(normSub(raw(resolved)));
    expect(shrunk([])).toEqual([]);
  });

  test('crowding is the harmonic mean of how many estimates are within two standard errors', () => {
    const observations = [0, 0.001, 0.0015, 0.5].map((estimate) => ({ estimate, standardError: 0.001 }));
    expect(crowding(observations)).toBeCloseTo(4 / (1 / 3 + 1 / 3 + 1 / 3 + 1), 12);
    const uneven = [
      { estimate: 0, standardError: 1 },
      { estimate: 0.5, standardError: 0.1 },
      { estimate: 1, standardError: 1 },
    ];
    expect(crowding(uneven)).toBeCloseTo(3 / (1 / 3 + 1 + 1 / 3), 12);
  });

  test('are found of 100,000 answers', () => {
    const weights = Array.from({ length: 100_000 }, (_, i) => (i + 1) ** -1.1);
    const total = weights.reduce((a, b) => a + b);
    const observations = observe(
      weights.map((weight) => weight / total),
      1e-3,
      6,
    );
    expect(shrunk(observations)).toHaveLength(100_000);
  });
});

/**
 * Over 20 rounds, as in the deep tier, the ratios are near 0.58, 0.65, 0.71, 0.88 and 1, with standard errors of a hundredth or less; the rounds
 * are seeded, so they give the same numbers on every run.
 */
describe('with the shipping randomizer and 100,000 reports of Zipf 1.1 shares, beside norm-sub', () => {
  test.each([
    [1024, 1, 0.66],
    [1024, 4, 0.68],
    [128, 1, 0.8],
    [128, 4, 0.9],
    [16, 0.5, 1.02],
    [16, 2, 1.02],
  ])('%i answers at ε = %f have at most %f of its squared error', (answers, epsilon, most) => {
    const weights = Array.from({ length: answers }, (_, i) => (i + 1) ** -1.1);
    const total = weights.reduce((a, b) => a + b);
    const { mse } = simulateChoice({
      answers,
      epsilon,
      clients: 100_000,
      shares: weights.map((weight) => weight / total),
      rounds: 5 * EFFORT,
      seed: 1,
    });
    expect(mse.shrunk / mse.normSub).toBeLessThan(most);
  });
});
