/** How much a report gives away, in figures for people: how often it is not what they said, and what whoever sees it learns at most. */

import type { Law } from '@murmuration/shared';

/** The integers of a law are of so many. */
const MODULUS = 2 ** 32;

/** What happens to an answer. `other`: how likely a report does not name it; `of`: how many answers it names, where that is fixed. */
export interface Chance {
  readonly other: number;
  readonly of: number;
}

/** Undefined where a report names no answers of a list, and is a number or bits with noise. */
export function chanceOf(law: Law): Chance | undefined {
  if (law.mechanism === 'subset') return { other: 1 - law.include / MODULUS, of: law.subset };
  if (law.mechanism !== 'k-ary') return undefined;
  const first = law.truth / MODULUS;
  if (!law.irr) return { other: 1 - first, of: 1 };
  // Both stages keep it, or the second undoes what the first did.
  const second = law.irr.truth / MODULUS;
  return { other: 1 - first * second - ((1 - first) * (1 - second)) / (law.size - 1), of: 1 };
}

/** Two significant digits, rounded up: 2.8 for e, 55 for e⁴. Nothing is shown as less than it is. */
function roundedUp(value: number): number {
  const unit = 10 ** (Math.floor(Math.log10(value)) - 1);
  return Number((Math.ceil(value / unit - 1e-9) * unit).toPrecision(2));
}

/** The most that a report of so much ε changes the odds of one answer against another. */
export const factorOf = (epsilon: number): number => roundedUp(Math.exp(epsilon));

/** A probability as `count` of `cases`, rounded down: 26 of 100, or 1 of 5,000. */
export const casesOf = (probability: number): { readonly count: number; readonly cases: number } =>
  probability >= 0.01
    ? { count: Math.floor(100 * probability + 1e-9), cases: 100 }
    : { count: 1, cases: roundedUp(1 / Math.max(probability, 2 ** -32)) };
