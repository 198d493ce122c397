/**
 * The share of one number in the sum of two, from both with noise, and its confidence interval: Fieller 1954, "Some Problems in Interval
 * Estimation", with the exact law of the noise in place of the normal one.
 *
 * Law: X = A + Z and Y = B + Z' with independent noise of one law. For the true share p = A/(A+B),
 *   T(p) = (1-p) X - p Y = (1-p) Z - p Z'
 * whose law is known, whatever A and B are. So the p for which P(|(1-p) Z - p Z'| >= |T(p)|) > β hold the true one with a probability of
 * at least 1 - β. T(p) = X - p (X+Y) falls in a line, so for sums that are not small they are an interval around X/(X+Y). The least
 * interval that holds all of them is taken, found on a grid and then by bisection. For sums that are not above 0 it is all shares.
 *
 * P(a Z + b Z' >= t) with a >= b >= 0 is the sum over blocks of m values z' of P(Z' in the block) P(Z >= (t - b z')/a), z' being the block's
 * last value. It is exact for m = 1, and from above for more: m is a sixteenth of the standard deviation.
 *
 * Error beforehand, for n = A + B: the value is above p + w only if (1-p-w) Z - (p+w) Z' > w n, below p - w only if (p-w) Z' - (1-p+w) Z >
 * w n, and 1/2 for another reason only if neither number is above 0. The sum of these probabilities is at most β for the stated w, at each
 * number that is not above 100, and at larger ones in steps of 5 %.
 */

import type { WholeNoise } from './mechanism.ts';

/** A share, and the interval that holds it. */
export interface Quotient {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** Quotients of numbers with this noise. */
export interface Quotients {
  readonly of: (having: number, others: number) => Quotient;
  /** With a probability of 1 - β, the most by which a share of so many is off. At most 1. */
  readonly within: (total: number) => number;
}

/** Blocks in a standard deviation. */
const FINE = 16;
/** Less than this of the noise is left out of sums, and added to their result. */
const NOTHING = 1e-7;

/** P(a Z + b Z' >= t) for a, b >= 0, not both 0; never too small. */
function tailOf(noise: WholeNoise): (a: number, b: number, t: number) => number {
  const size = Math.max(1, Math.floor(Math.sqrt(noise.variance) / FINE));
  const atLeast = (z: number): number => (z > 0 ? noise.tail(z) : 1 - noise.tail(1 - z));
  let most = 1;
  while (noise.tail(most * size) > NOTHING) most++;
  const blocks = Array.from({ length: 2 * most }, (_, i) => {
    const from = (i - most) * size;
    return { last: from + size - 1, chance: atLeast(from) - atLeast(from + size) };
  });
  return (one, other, t) => {
    const [a, b] = one < other ? [other, one] : [one, other];
    if (b === 0) return atLeast(Math.ceil(t / a - 1e-9));
    return blocks.reduce((sum, { last, chance }) => sum + chance * atLeast(Math.ceil((t - b * last) / a - 1e-9)), NOTHING);
  };
}

/** The place where a test that holds at `inside` ends, towards `outside`, where it does not: a little beyond it. */
function endBetween(inside: number, outside: number, holds: (share: number) => boolean): number {
  let [kept, end] = [inside, outside];
  // To a thousandth of the distance from the value, which a bisection reaches in few steps even where that distance is small.
  for (let step = 0; step < 60 && Math.abs(end - kept) > 1e-3 * Math.abs(end - inside) + 1e-9; step++) {
    const middle = (kept + end) / 2;
    if (holds(middle)) kept = middle;
    else end = middle;
  }
  return end;
}

const GRID = Array.from({ length: 21 }, (_, i) => i / 20);

/** Numbers that are all tried, and the ratio of the larger ones. */
const [ALL, RATIO] = [100, 1.05];

/** Shares at which an error may be the largest: of all small numbers of so many, and of larger ones in steps, up to the half. */
function sharesOf(total: number): readonly number[] {
  const shares: number[] = [];
  for (let number = 0; number <= total / 2; number = number < ALL ? number + 1 : Math.ceil(number * RATIO)) shares.push(number / total);
  return [...shares, 1 / 2];
}

/** Quotients whose intervals hold with a probability of 1 - β. */
export function quotients(noise: WholeNoise, beta: number): Quotients {
  const tail = tailOf(noise);
  return {
    of: (having, others) => {
      const [x, y] = [Math.max(0, having), Math.max(0, others)];
      const value = x + y > 0 ? x / (x + y) : 1 / 2;
      const holds = (share: number): boolean => 2 * tail(1 - share, share, Math.abs(having - share * (having + others))) > beta;
      const held = [...GRID, value].sort((a, b) => a - b);
      const first = held.findIndex(holds);
      const last = held.findLastIndex(holds);
      if (first < 0 || having + others <= 0) return { value, low: 0, high: 1 };
      const [low, high] = [held[first] as number, held[last] as number];
      return {
        value,
        low: Math.min(value, first === 0 ? 0 : endBetween(low, held[first - 1] as number, holds)),
        high: Math.max(value, last === held.length - 1 ? 1 : endBetween(high, held[last + 1] as number, holds)),
      };
    },
    within: (total) => {
      const isOff = (within: number, share: number): boolean => {
        const neither = tail(1, 0, total * share) * tail(1, 0, total * (1 - share));
        const above = tail(Math.max(0, 1 - share - within), share + within, within * total);
        const below = tail(1 - share + within, Math.max(0, share - within), within * total);
        return neither + (share + within < 1 ? above : 0) + (share > within ? below : 0) > beta;
      };
      const shares = sharesOf(total);
      const mayBeOff = (within: number): boolean => shares.some((share) => isOff(within, share));
      return mayBeOff(1) ? 1 : mayBeOff(0) ? endBetween(0, 1, mayBeOff) : 0;
    },
  };
}
