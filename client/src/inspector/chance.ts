/**
 * How much a report reveals, in figures for people: how often it differs from the person's answer, and the most that anyone who sees it can
 * learn.
 */

import type { Law } from '@murmuration/shared';

/** The denominator of a law's integers. */
const MODULUS = 2 ** 32;

/**
 * Odds of an answer. `other`: the probability that a report does not name it. `of`: the number of answers that a report names, if
 * fixed.
 */
export interface Chance {
  readonly other: number;
  readonly of: number;
}

/** Undefined if a report names no answers of a list, but is a number or noisy bits. */
export function chanceOf(law: Law): Chance | undefined {
  if (law.mechanism === 'subset') return { other: 1 - law.include / MODULUS, of: law.subset };
  if (law.mechanism !== 'k-ary') return undefined;
  const first = law.truth / MODULUS;
  if (!law.irr) return { other: 1 - first, of: 1 };
  // Both stages keep the answer, or the second undoes the first.
  const second = law.irr.truth / MODULUS;
  return { other: 1 - first * second - ((1 - first) * (1 - second)) / (law.size - 1), of: 1 };
}

/** Two significant digits, rounded up: 2.8 for e, 55 for e⁴. No value is shown as less than it is. */
function roundedUp(value: number): number {
  const unit = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Number((Math.ceil(value / unit - 1e-9) * unit).toPrecision(2));
}

/** The largest factor by which a report with this ε changes the odds of one answer against another. */
export const factorOf = (epsilon: number): number => roundedUp(Math.exp(epsilon));

/** A probability as `count` of `cases`, rounded down: 26 of 100, or 1 of 5,000. */
export const casesOf = (probability: number): { readonly count: number; readonly cases: number } =>
  probability >= 0.01
    ? { count: Math.floor(100 * probability + 1e-9), cases: 100 }
    : { count: 1, cases: roundedUp(1 / Math.max(probability, 2 ** -32)) };
