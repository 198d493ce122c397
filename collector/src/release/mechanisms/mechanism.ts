/**
 * The types of all release mechanisms, their spending as exact rationals, and the checks of parameters that they share. They publish what the collector knows exactly, under central differential privacy: Dwork, McSherry,
 * Nissim, Smith 2006, "Calibrating Noise to Sensitivity in Private Data Analysis". Neighbours are two tables that differ by one unit of
 * privacy. Inputs and draws are integers or rationals. Floating-point numbers occur only in bounds, and in what is computed from outputs.
 */

import { type Ratio, ratio } from '@murmuration/shared';
import type { Random } from './random.ts';
import { pureRho } from './zcdp.ts';

/** Privacy loss of a release, whatever the data are. */
export interface Spending {
  /** Pure ε, exact; undefined for Gaussian noise, which none covers. */
  readonly epsilon: Ratio | undefined;
  /** ρ of zero-concentrated differential privacy. */
  readonly rho: Ratio;
}

/** A mechanism whose parameters are chosen. It holds no data. */
export interface ReleaseMechanism<Input, Output> extends Spending {
  readonly name: string;
  /** The most by which one unit of privacy changes the input, in the input's units and the norm that the mechanism's file names. */
  readonly sensitivity: number;
  /** Draws one output. Each call spends once more. */
  readonly release: (input: Input, random: Random) => Output;
  /** (λ, δ)-usefulness: the least stated λ such that the error is above λ with a probability of at most `beta`, whatever the data are. */
  readonly accuracy: (beta: number) => number;
}

/** A mechanism that adds noise to a number. Its error does not depend on the number. */
export interface NoiseMechanism extends ReleaseMechanism<number, number> {
  /** The noise alone, in the number's units. */
  readonly sample: (random: Random) => number;
  /** Of the noise. Its mean is 0. */
  readonly variance: number;
  readonly meanAbsoluteError: number;
}

/** Noise of whole numbers, symmetric around 0. */
export interface WholeNoise extends NoiseMechanism {
  /** P(Z >= z), for z from 1. Of Gaussian noise, a bound from above. */
  readonly tail: (z: number) => number;
}

/** Spending of any mechanism with a pure ε. */
export const pure = (epsilon: Ratio): { readonly epsilon: Ratio; readonly rho: Ratio } => ({ epsilon, rho: pureRho(epsilon) });

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
