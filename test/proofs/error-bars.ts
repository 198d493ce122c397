/** Error bars of a share, against what they are made of: a variance that is quadratic in the share, and the law of a small count. */

import { expect } from 'vitest';
import type { Estimate } from '#collector/estimation/estimate.ts';
import { Z95 } from '#collector/estimation/statistics/tails.ts';
import { type Rational, rational, toNumber } from './rational.ts';

/** A count, and of each report the chance that it counts where the share is so large. */
interface Counted {
  readonly count: number;
  readonly chances: (share: number) => readonly number[];
}

/** P(at most so many count). */
function atMost({ count, chances }: Counted, share: number, most: number = count): number {
  let law = [1];
  for (const chance of chances(share)) law = [...law, 0].map((p, k) => p * (1 - chance) + (law[k - 1] ?? 0) * chance);
  return law.slice(0, most + 1).reduce((sum, p) => sum + p, 0);
}

/** The ends of the score interval, each variance developed at the estimate, and at the nearest share; and the middle of the latter. */
function scoreEnds(estimate: number, variance: (f: Rational) => Rational): readonly [low: number, high: number, middle: number] {
  const [atZero, atHalf, atOne] = [0, 0.5, 1].map((f) => toNumber(variance(rational(2 * f, 2)))) as [number, number, number];
  const bend = 2 * (atZero + atOne - 2 * atHalf);
  const slope = atOne - atZero - bend;
  let middle = estimate;
  const ends = [estimate, Math.min(1, Math.max(0, estimate))].flatMap((near) => {
    // off² = z² (v(near) + v'(near) off + bend off²)
    const [a, b] = [1 - Z95 * Z95 * bend, (Z95 * Z95 * (slope + 2 * bend * near)) / 2];
    middle = estimate + b / a;
    const square = b * b + a * Z95 * Z95 * (atZero + slope * near + bend * near * near);
    return square < 0 ? [] : [-1, 1].map((side) => estimate + (b + side * Math.sqrt(square)) / a);
  });
  return [Math.min(...ends), Math.max(...ends), middle];
}

const TAIL = 0.025;

/**
 * Fails unless the interval is that of the variance and the standard error that in its middle, and of a count whose law is known, here of few
 * reports, each end is moved outwards as far as the exact test of size 2.5 % allows.
 */
export function expectErrorBars(row: Estimate, variance: (f: Rational) => Rational, counted?: Counted): void {
  const { estimate, standardError, low, high } = row;
  const units = 2 ** 40;
  expect(low < estimate && estimate < high).toBe(true);
  const [scoreLow, scoreHigh, middle] = scoreEnds(estimate, variance);
  const share = Math.min(1, Math.max(0, middle));
  expect(Math.abs(standardError ** 2 / toNumber(variance(rational(Math.round(share * units), units))) - 1)).toBeLessThan(1e-9);
  const near = (a: number, b: number): boolean => Math.abs(a - b) < 1e-6 * (high - low);
  const sides = [
    [low, scoreLow, 0, (share: number) => 1 - atMost(counted as Counted, share, (counted as Counted).count - 1)],
    [high, scoreHigh, 1, (share: number) => atMost(counted as Counted, share)],
  ] as const;
  for (const [end, score, limit, tail] of sides) {
    const from = Math.min(1, Math.max(0, score));
    if (counted === undefined || from === limit || tail(from) <= TAIL) expect(near(end, score)).toBe(true);
    else if (end === limit) expect(tail(end)).toBeGreaterThan(TAIL);
    else expect(Math.abs(tail(end) / TAIL - 1)).toBeLessThan(1e-6);
  }
}
