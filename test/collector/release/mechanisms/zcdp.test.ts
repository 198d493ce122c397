/** ρ of pure mechanisms: Rényi divergences by enumeration against the closed forms, which are their supremum and never below it. */

import { type Ratio, ratio } from '@murmuration/shared';
import { expect, test } from 'vitest';
import { cells, geometric } from '#collector/release/mechanisms/geometric.ts';
import { pure, toDouble } from '#collector/release/mechanisms/mechanism.ts';
import { ranges } from '#collector/release/mechanisms/ranges.ts';
import { geometricRho, pureRho } from '#collector/release/mechanisms/zcdp.ts';
import { vectors } from './neighbours.ts';

/** D_α(P‖Q) of two laws, in double precision; for α = 1 the Kullback-Leibler divergence. */
function divergence(p: readonly number[], q: readonly number[], order: number): number {
  if (order === 1) return p.reduce((sum, chance, i) => sum + (chance === 0 ? 0 : chance * Math.log(chance / (q[i] as number))), 0);
  const moment = p.reduce(
    (sum, chance, i) => sum + (chance === 0 ? 0 : Math.exp(order * Math.log(chance) + (1 - order) * Math.log(q[i] as number))),
    0,
  );
  return Math.log(moment) / (order - 1);
}

const ORDERS = [1.001, 1.1, 1.3, 1.7, 2, 2.5, 3, 4, 6, 10, 30];

/** The law of two-sided geometric noise around a number, over so many values to each side of 0. */
const lawAt = (rate: number, at: number, most: number): readonly number[] => {
  const a = Math.exp(-rate);
  return Array.from({ length: 2 * most + 1 }, (_, i) => ((1 - a) / (1 + a)) * a ** Math.abs(i - most - at));
};

test('geometric noise spends ρ between neighbours: the divergence of no order is above αρ, and that of order 1 is ρ', () => {
  for (const epsilon of [ratio(1n, 10n), ratio(1n, 1n), ratio(2n, 1n), ratio(5n, 1n)]) {
    for (const sensitivity of [1, 2, 3, 8]) {
      const rate = toDouble(epsilon) / sensitivity;
      const rho = toDouble(geometric({ epsilon, sensitivity }).rho);
      const most = Math.ceil(30 / rate) + sensitivity;
      for (const moved of [1, sensitivity]) {
        const [p, q] = [lawAt(rate, 0, most), lawAt(rate, moved, most)];
        for (const order of ORDERS) expect(divergence(p, q, order)).toBeLessThanOrEqual(order * rho + 1e-9);
        if (moved === sensitivity) expect(Math.abs(divergence(p, q, 1) - rho)).toBeLessThan(1e-9);
      }
    }
  }
});

test('a histogram whose cells move by Δ in all spends no more than one number that moves by Δ', () => {
  const rate = ratio(2n, 5n);
  const rhoOf = (moved: number): number => (moved === 0 ? 0 : toDouble(geometricRho(rate, moved)));
  for (const moves of vectors(3, [0, 1, 2, 3, 4]))
    expect(moves.reduce((sum, moved) => sum + rhoOf(moved), 0)).toBeLessThanOrEqual(
      rhoOf(moves.reduce((sum, moved) => sum + moved, 0)) + 1e-11,
    );
  const noise = geometric({ epsilon: ratio(1n, 1n), sensitivity: 2 });
  expect(cells(noise, 5).rho).toEqual(noise.rho);
});

test('a tree spends the sum over its levels, which is less than one number that moves by as much', () => {
  const tree = ranges({ days: 30, epsilon: ratio(1n, 1n), sensitivity: 1, design: { days: 30, branches: 6, levels: 2 } });
  const law = [0, 1].map((at) => lawAt(0.5, at, 80)) as [readonly number[], readonly number[]];
  const [rho, whole] = [toDouble(tree.rho), toDouble(geometric({ epsilon: ratio(1n, 1n), sensitivity: 2 }).rho)];
  // Both levels have independent noise, so divergences add up.
  for (const order of ORDERS) expect(2 * divergence(...law, order)).toBeLessThanOrEqual(order * rho + 1e-9);
  expect(rho).toBeLessThan(0.63 * whole);
});

test('any mechanism with a pure ε spends at most the ρ of the coin with that ε', () => {
  for (const epsilon of [ratio(1n, 100n), ratio(1n, 2n), ratio(2n, 1n), ratio(9n, 1n)]) {
    const p = 1 / (1 + Math.exp(-toDouble(epsilon)));
    const rho = toDouble(pure(epsilon).rho);
    for (const order of ORDERS) expect(divergence([p, 1 - p], [1 - p, p], order)).toBeLessThanOrEqual(order * rho + 1e-9);
    expect(Math.abs(divergence([p, 1 - p], [1 - p, p], 1) - rho)).toBeLessThan(1e-9);
  }
});

test('ε²/2 would overcharge by 8 % at ε 1 and 31 % at ε 2', () => {
  const over = (epsilon: Ratio): number => toDouble(epsilon) ** 2 / 2 / toDouble(geometric({ epsilon, sensitivity: 1 }).rho);
  expect(over(ratio(1n, 1n))).toBeCloseTo(1.082, 3);
  expect(over(ratio(2n, 1n))).toBeCloseTo(1.313, 3);
});

test('ρ is rounded up to twelve decimals, and never down', () => {
  for (const epsilon of [ratio(1n, 10_000n), ratio(1n, 3n), ratio(7n, 1n), ratio(1_000n, 1n)]) {
    const exact = toDouble(epsilon) * Math.tanh(toDouble(epsilon) / 2);
    for (const rho of [pureRho(epsilon), geometricRho(epsilon, 1)]) {
      expect(10n ** 12n % rho.denominator).toBe(0n);
      expect(toDouble(rho)).toBeGreaterThanOrEqual(exact * (1 - 1e-15));
      expect(toDouble(rho) - exact).toBeLessThan(1.1e-12 + 1e-15 * exact);
    }
  }
});
