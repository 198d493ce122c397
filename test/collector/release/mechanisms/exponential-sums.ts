/**
 * Exact arithmetic on numbers Σ c e^-r with rational c and different rational r. By the theorem of Lindemann and Weierstrass such a number
 * is zero only if every c is, so equality is decided by the coefficients, and a sign by an evaluation between bounds.
 */

import { add, multiply, ONE, type Rational, rational } from '../../../proofs/rational.ts';

/** Terms by exponent. No coefficient is zero. */
export type ExponentialSum = ReadonlyMap<string, { readonly exponent: Rational; readonly coefficient: Rational }>;

type Term = readonly [exponent: Rational, coefficient: Rational];

function collected(terms: Iterable<Term>): ExponentialSum {
  const found = new Map<string, { exponent: Rational; coefficient: Rational }>();
  for (const [exponent, coefficient] of terms) {
    const key = `${exponent.numerator}/${exponent.denominator}`;
    const before = found.get(key)?.coefficient;
    const after = before ? add(before, coefficient) : coefficient;
    if (after.numerator === 0n) found.delete(key);
    else found.set(key, { exponent, coefficient: after });
  }
  return found;
}

const termsOf = (sum: ExponentialSum): readonly Term[] => [...sum.values()].map(({ exponent, coefficient }) => [exponent, coefficient]);

/** c e^-r. */
export const term = (coefficient: Rational, exponent: Rational = rational(0)): ExponentialSum => collected([[exponent, coefficient]]);

/** e^-(numerator / denominator). */
export const decayed = (numerator: bigint | number, denominator: bigint | number = 1): ExponentialSum =>
  term(ONE, rational(numerator, denominator));

export const none: ExponentialSum = new Map();
export const one: ExponentialSum = term(ONE);

export const plus = (a: ExponentialSum, b: ExponentialSum): ExponentialSum => collected([...termsOf(a), ...termsOf(b)]);

export const timesSum = (a: ExponentialSum, b: ExponentialSum): ExponentialSum =>
  collected(termsOf(a).flatMap(([r, c]) => termsOf(b).map(([s, d]): Term => [add(r, s), multiply(c, d)])));

export const minus = (a: ExponentialSum, b: ExponentialSum): ExponentialSum => plus(a, timesSum(term(rational(-1)), b));

export const equal = (a: ExponentialSum, b: ExponentialSum): boolean => minus(a, b).size === 0;

/** Bounds of e^-r in units of 2^-bits: by its series for r / 2^k <= 1/2, squared k times, each step rounded outwards. */
function bounds({ numerator, denominator }: Rational, bits: bigint): readonly [low: bigint, high: bigint] {
  const unit = 1n << bits;
  if (numerator < 0n) {
    const [low, high] = bounds({ numerator: -numerator, denominator }, bits);
    return [(unit * unit) / high, (unit * unit) / low + 1n];
  }
  let halvings = 0n;
  while (2n * numerator > denominator << halvings) halvings++;
  const x = (numerator << bits) / (denominator << halvings);
  // The terms alternate and fall. Rounding down loses less than 2 units each.
  let [sum, part, k] = [0n, unit, 0n];
  while (part > 0n) {
    sum += k % 2n === 0n ? part : -part;
    k++;
    part = (part * x) / (k * unit);
  }
  let [low, high] = [sum - 2n * k - 2n, sum + 2n * k + 2n];
  for (let i = 0n; i < halvings; i++) [low, high] = [(low * low) / unit, (high * high) / unit + 1n];
  return [low > 0n ? low : 0n, high];
}

/** -1, 0 or 1, exactly. */
export function signOf(sum: ExponentialSum): number {
  if (sum.size === 0) return 0;
  for (let bits = 128n; bits <= 8192n; bits *= 2n) {
    let [low, high] = [0n, 0n];
    for (const { exponent, coefficient } of sum.values()) {
      const [least, most] = bounds(exponent, bits);
      const { numerator: n, denominator: d } = coefficient;
      // BigInt division rounds towards zero, so one unit is added on either side.
      low += ((n > 0n ? least : most) * n) / d - 1n;
      high += ((n > 0n ? most : least) * n) / d + 1n;
    }
    if (low > 0n) return 1;
    if (high < 0n) return -1;
  }
  throw new Error('expected a sign within 8,192 bits');
}

/** Near enough for tests of frequencies. */
export function approximately(sum: ExponentialSum): number {
  const bits = 512n;
  let total = 0n;
  for (const { exponent, coefficient } of sum.values()) {
    total += (bounds(exponent, bits)[0] * coefficient.numerator) / coefficient.denominator;
  }
  return Number(total >> (bits - 200n)) / 2 ** 200;
}
