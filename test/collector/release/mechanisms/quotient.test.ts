/** Intervals of shares: coverage by enumeration of the noise, for both laws, and how short they are. */

import { ratio } from '@murmuration/shared';
import { expect, test } from 'vitest';
import { gaussian } from '#collector/release/mechanisms/gaussian.ts';
import { cells, geometric } from '#collector/release/mechanisms/geometric.ts';
import type { WholeNoise } from '#collector/release/mechanisms/mechanism.ts';
import { type Quotient, quotients } from '#collector/release/mechanisms/quotient.ts';
import { around } from './frequencies.ts';

const BETA = 0.05;

/** All pairs of noise with their probabilities. What is left out has less than 1e-6. */
function pairs(noise: WholeNoise, step = 1): readonly (readonly [z: number, other: number, chance: number])[] {
  const most = Math.ceil(noise.accuracy(1e-6) / step);
  const atLeast = (z: number): number => (z > 0 ? noise.tail(z) : 1 - noise.tail(1 - z));
  const chances = around(most).map((i) => atLeast(i * step) - atLeast((i + 1) * step));
  return around(most).flatMap((i) =>
    around(most).map((j) => [i * step, j * step, (chances[i + most] as number) * (chances[j + most] as number)] as const),
  );
}

/** How often an interval holds the share and a value is within the stated bound, and the mean width. */
function measured(noise: WholeNoise, having: number, others: number, step = 1) {
  const { of, within } = quotients(noise, BETA);
  const [truth, stated] = [having / (having + others), within(having + others)];
  let [held, near, width] = [0, 0, 0];
  for (const [z, other, chance] of pairs(noise, step)) {
    if (chance < 1e-9) continue;
    const { value, low, high }: Quotient = of(having + z, others + other);
    expect(low <= value && value <= high && low >= 0 && high <= 1).toBe(true);
    held += low <= truth && truth <= high ? chance : 0;
    near += Math.abs(value - truth) <= stated + 1e-12 ? chance : 0;
    width += chance * (high - low);
  }
  return { held, near, width };
}

const epsilon = (numerator: bigint, denominator: bigint): WholeNoise =>
  geometric({ epsilon: ratio(numerator, denominator), sensitivity: 1 });
const rho = (numerator: bigint, denominator: bigint): WholeNoise =>
  gaussian({ rho: ratio(numerator, denominator), squaredSensitivity: 1n });

test.each([
  ['ε 1', epsilon(1n, 1n), 30, 70],
  ['ε 1', epsilon(1n, 1n), 0, 20],
  ['ε 1', epsilon(1n, 1n), 1, 2],
  ['ε 1', epsilon(1n, 1n), 0, 1],
  ['ε 3', epsilon(3n, 1n), 2, 198],
  ['ε 1/4', epsilon(1n, 4n), 11, 139],
  ['ρ 1/50', rho(1n, 50n), 11, 139],
  ['ε 3.7', epsilon(37n, 10n), 5, 5],
  ['ε 9', epsilon(9n, 1n), 3, 9],
  ['ρ 1/2', rho(1n, 2n), 30, 70],
  ['ρ 1/2', rho(1n, 2n), 0, 6],
  ['ρ 8', rho(8n, 1n), 2, 3],
] as const)(
  '%s, %o: of %d reports among %d others, the interval and the bound hold in 95 % of all draws',
  (_name, noise, having, others) => {
    const { held, near } = measured(noise, having, others);
    // Draws that are left out have less than 1e-5.
    expect(held).toBeGreaterThan(1 - BETA - 1e-5);
    expect(near).toBeGreaterThan(1 - BETA - 1e-5);
  },
);

test('the interval of an even share is at most 1/1.7 as wide as the quotients of both bounds', () => {
  for (const noise of [epsilon(1n, 10n), epsilon(1n, 5n), epsilon(1n, 2n), epsilon(1n, 1n), epsilon(2n, 1n)]) {
    const { of } = quotients(noise, BETA);
    const bound = cells(noise, 2).accuracy(BETA);
    for (const [having, others, times] of [
      [1_000, 1_000, 1.7],
      [600, 1_400, 1.55],
    ] as const) {
      const { low, high } = of(having, others);
      const before = (having + bound) / (having + others) - (having - bound) / (having + others);
      expect(before / (high - low)).toBeGreaterThan(times);
    }
  }
  // With smaller noise in blocks, too: the block's margin is small.
  const wide = quotients(epsilon(1n, 100n), BETA).of(20_000, 20_000);
  expect((wide.high - wide.low) / ((2 * cells(epsilon(1n, 100n), 2).accuracy(BETA)) / 40_000)).toBeLessThan(1 / 1.6);
});

test('noise that hides both numbers gives the whole range', () => {
  const { of, within } = quotients(epsilon(1n, 10n), BETA);
  expect(of(-3, 2)).toMatchObject({ low: 0, high: 1 });
  expect(of(-60, -60)).toEqual({ value: 1 / 2, low: 0, high: 1 });
  expect(within(1)).toBe(1);
  expect(within(100_000)).toBeLessThan(0.0005);
});
