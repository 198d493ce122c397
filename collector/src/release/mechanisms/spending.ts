/** What a mechanism spends as exact rationals, and the checks of its parameters that all mechanisms share. */

import { type Ratio, ratio } from '@murmuration/shared';
import type { Spending } from './index.ts';

/** A pure mechanism's spending: ρ = ε²/2 (Bun and Steinke 2016, proposition 1.4). */
export const pure = (epsilon: Ratio): Spending & { readonly epsilon: Ratio } => ({
  epsilon,
  rho: ratio(epsilon.numerator ** 2n, 2n * epsilon.denominator ** 2n),
});

/** The product with numerator / denominator. */
export const times = (of: Ratio, numerator: bigint | number, denominator: bigint | number = 1n): Ratio =>
  ratio(of.numerator * BigInt(numerator), of.denominator * BigInt(denominator));

/** As a double, for bounds. */
export const toDouble = ({ numerator, denominator }: Ratio): number => Number(numerator) / Number(denominator);

/** Throws a RangeError unless the value is a whole number from `low` to `high`. */
export function assertWhole(value: unknown, what: string, low = 1, high: number = Number.MAX_SAFE_INTEGER): void {
  if (!(Number.isInteger(value) && (value as number) >= low && (value as number) <= high)) {
    throw new RangeError(`${what}: expected a whole number from ${low} to ${high}, got ${String(value)}`);
  }
}

/**
 * The nearest safe integer to a secret number, so that no number is refused: a refusal would depend on the data, and its message could name
 * the number. Two numbers never move apart by it, so the sensitivity holds.
 */
export function withinSafe(secret: number): number {
  if (Number.isNaN(secret)) throw new RangeError('expected a number, got NaN');
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(Number.MIN_SAFE_INTEGER, Math.round(secret)));
}

/** Throws a RangeError unless the value is a probability strictly between 0 and 1. */
export function assertBeta(beta: number): void {
  if (!(beta > 0 && beta < 1)) throw new RangeError(`accuracy: expected a probability above 0 and below 1, got ${beta}`);
}
