/**
 * The exponential function computed with only + - * /, so that every engine derives the same law from the same ε. `Math.exp` is
 * implementation-defined (ECMA-262 §21.3.2.14) and differs in its last bits between engines.
 */

// fdlibm's split of ln 2: n * HIGH is exact for the n that occur here.
const LN2_HIGH = 6.931471803691238e-1;
const LN2_LOW = 1.9082149292705877e-10;
const TERMS = 14; // |r| <= ln(2)/2, and r^15/15! < 2^-63

/**
 * e^x with a relative error below 2^-50, for 0 <= x <= 64.
 *
 * @example exp(0) // 1
 */
export function exp(x: number): number {
  const n = Math.floor(x / Math.LN2 + 0.5);
  const r = x - n * LN2_HIGH - n * LN2_LOW;
  let sum = 1;
  for (let i = TERMS; i > 0; i--) sum = 1 + (r * sum) / i;
  return sum * 2 ** n;
}

/** A number strictly below e^x. It stays below e^x even after the few rounding errors of a law's comparison with it. */
export function expBelow(x: number): number {
  return exp(x) * (1 - 2 ** -46);
}
