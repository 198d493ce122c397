/**
 * e^x to some hundred digits, in fixed point, to hold the library's exponential and logarithm against. It shares no
 * formula with either: Taylor's series of x / 2^10, then ten squarings.
 */

import { type Rational, rational } from './rational.ts';

const SCALE = 400n; // binary digits after the point
const HALVINGS = 10n;
const MARGIN = 340n; // some hundred truncations of 2^-400, doubled by each squaring, stay far below 2^-340 of the result

/** Two rationals that enclose e^x, a factor of 1 + 2^-340 apart, for 0 <= x <= 100. */
export function enclosedExponential({ numerator, denominator }: Rational): readonly [below: Rational, above: Rational] {
  const unit = 1n << SCALE;
  const x = (numerator << SCALE) / (denominator << HALVINGS);
  let total = 0n;
  for (let term = unit, k = 1n; term > 0n; k++) {
    total += term;
    term = (term * x) / (k * unit);
  }
  for (let i = 0n; i < HALVINGS; i++) total = (total * total) >> SCALE;
  // Every step rounds down.
  return [rational(total, unit), rational(total + (total >> MARGIN) + 1n, unit)];
}
