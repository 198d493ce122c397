/** Laws of neighbours: no output is more than e^ε times as probable under one as under the other, decided exactly. */

import type { Ratio } from '@murmuration/shared';
import { expect } from 'vitest';
import { rational } from '../../../proofs/rational.ts';
import { approximately, type ExponentialSum, minus, none, signOf, term, timesSum } from './exponential-sums.ts';

/** All vectors of so many entries out of these. */
export const vectors = (length: number, entries: readonly number[]): readonly (readonly number[])[] =>
  length === 0 ? [[]] : vectors(length - 1, entries).flatMap((rest) => entries.map((entry) => [...rest, entry]));

/**
 * Fails unless first(output) <= e^ε second(output) for all outputs. Returns the largest log-ratio in units of ε, so that a test can ask for
 * one that is not far below 1.
 */
export function expectWithin(
  first: ReadonlyMap<string, ExponentialSum>,
  second: ReadonlyMap<string, ExponentialSum>,
  { numerator, denominator }: Ratio,
): number {
  const bound = term(rational(1), rational(-numerator, denominator));
  let largest = 0;
  for (const [output, chance] of first) {
    const other = second.get(output) ?? none;
    expect(signOf(minus(timesSum(bound, other), chance)), `the probability of ${output}`).toBeGreaterThanOrEqual(0);
    largest = Math.max(largest, Math.log(approximately(chance) / approximately(other)));
  }
  return largest / (Number(numerator) / Number(denominator));
}
