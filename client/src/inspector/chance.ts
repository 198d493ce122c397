/**
 * How much a report reveals, in figures for people: how often it differs from the person's answer, and the most that anyone who sees it can
 * learn.
 */

import type { Law } from '@murmuration/shared';

/** The denominator of a law's integers. */
const MODULUS = 2 ** 32;

/**
 * Odds of an answer. `other`: the probability that a report does not name it. `of`: the number of answers that a report names, if it is
 * the same for all.
 */
export interface Chance {
  readonly other: number;
  readonly of?: number;
}

/** The probability that two stages together keep a bit, an answer or a bucket. */
const twice = (first: number, kept: number, returned: number): number => first * kept + (1 - first) * returned;

/** The exact odds, from a law's integers; undefined if a report names no answers, but is a number or noise. */
export function chanceOf(law: Law): Chance | undefined {
  switch (law.mechanism) {
    case 'subset':
      return { other: 1 - law.include / MODULUS, of: law.subset };
    case 'k-ary':
    case 'local-hashing': {
      // A report of local hashing names all answers in its bucket.
      const size = law.mechanism === 'k-ary' ? law.size : law.buckets;
      const first = law.truth / MODULUS;
      const kept = (law.irr?.truth ?? MODULUS) / MODULUS;
      return { other: 1 - twice(first, kept, (1 - kept) / (size - 1)), ...(law.mechanism === 'k-ary' && { of: 1 }) };
    }
    case 'unary': {
      const { one, zero } = law.irr ?? { one: MODULUS, zero: 0 };
      return { other: 1 - twice(law.one / MODULUS, one / MODULUS, zero / MODULUS) };
    }
    default:
      return undefined;
  }
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
