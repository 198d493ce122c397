/** The grid of ε that laws are proved on, and what a law owes to the ε that it was asked for. */

import { expect } from 'vitest';
import { enclosedExponential } from './exponential.ts';
import { exactly, less, multiply, type Rational, rational } from './rational.ts';

export const EPSILONS: readonly number[] = [0.01, 0.5, Math.log(3), 1, 2, 4, 8, 16];

/** (ε₁, ε∞) of permanent metrics. */
export const PERMANENT: readonly (readonly [epsilon: number, permanent: number])[] = [
  [0.01, 0.01],
  [0.01, 16],
  [0.5, 1],
  [1, 1],
  [1, 4],
  [Math.log(3), 2],
  [2, 8],
  [4, 16],
  [16, 16],
];

const below = (epsilon: Rational): Rational => enclosedExponential(epsilon)[0];
const above = (epsilon: Rational): Rational => enclosedExponential(epsilon)[1];

/** Fails unless `odds` < e^ε, truly, and ln odds >= 0.9 ε. */
export function expectHeld(odds: Rational, epsilon: number): void {
  expect(less(odds, below(exactly(epsilon))), `odds spend more than ${epsilon}`).toBe(true);
  expect(less(odds, above(multiply(exactly(epsilon), rational(9, 10)))), `odds spend less than 0.9 of ${epsilon}`).toBe(false);
}

/** Fails unless the next larger odds are beyond what the law aims at, e^ε (1 - 2^-46), and so the odds are the largest allowed. */
export function expectLargest(next: Rational, epsilon: number): void {
  const aim = multiply(below(exactly(epsilon)), rational(2 ** 45 - 1, 2 ** 45));
  expect(less(aim, next), `odds could be larger at ${epsilon}`).toBe(true);
}
