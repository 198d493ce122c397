/**
 * Exact ratios of integers and their logarithm rounded up, which is how ε is stated. The device never needs these; reviewers, the audit and
 * the collector do.
 */

/** A positive rational in lowest terms. An ε is the logarithm of one. */
export interface Ratio {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

function gcd(a: bigint, b: bigint): bigint {
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

/** The ratio `numerator / denominator` in lowest terms; both must be positive. */
export function ratio(numerator: bigint, denominator: bigint): Ratio {
  if (numerator <= 0n || denominator <= 0n) {
    throw new RangeError(`ratio: expected two positive integers, got ${numerator}/${denominator}`);
  }
  const divisor = gcd(numerator, denominator);
  return { numerator: numerator / divisor, denominator: denominator / divisor };
}

/** `base` to a small whole power. */
export function power(base: Ratio, exponent: number): Ratio {
  const n = BigInt(exponent);
  return { numerator: base.numerator ** n, denominator: base.denominator ** n };
}

const SCALE = 128n; // binary digits after the point of the fixed-point logarithm
const ONE = 1n << SCALE;

/** An upper bound of 2 artanh(z / 2^128) in units of 2^-128, for 0 <= z <= 2^128 / 3: each term is rounded up. */
function twoArtanhUp(z: bigint): bigint {
  const square = (z * z) / ONE + 1n;
  let sum = 0n;
  let term = z;
  for (let k = 1n; term > 1n; k += 2n) {
    sum += term / k + 1n;
    term = (term * square) / ONE + 1n;
    if (k > 400n) break;
  }
  return 2n * (sum + 2n);
}

/** (a - b) / (a + b) in units of 2^-128, rounded up. */
const artanhArgument = (a: bigint, b: bigint): bigint => ((a - b) * ONE) / (a + b) + 1n;

/**
 * ln(r) rounded up at the given number of decimals, as a decimal string. Requires r >= 1.
 *
 * ln(m 2^e) = e ln 2 + 2 artanh((m - 1) / (m + 1)), 1 <= m < 2, in fixed point; each step rounds up, by less than
 * 2^-115 in all, so the result is an upper bound and differs from the rounded-up truth only within that of a decimal.
 *
 * @example lnUp(ratio(3n, 1n), 6) // '1.098613'
 */
export function lnUp(r: Ratio, decimals = 6): string {
  const { numerator, denominator } = r;
  if (numerator < denominator) {
    throw new RangeError(`lnUp: expected a ratio of at least 1, got ${numerator}/${denominator}`);
  }
  if (numerator === denominator) return `0.${'0'.repeat(decimals)}`;
  let exponent = numerator.toString(2).length - denominator.toString(2).length;
  if (numerator < denominator << BigInt(exponent)) exponent--;
  const shifted = denominator << BigInt(exponent);
  const mantissa = numerator === shifted ? 0n : twoArtanhUp(artanhArgument(numerator, shifted));
  const fixed = BigInt(exponent) * twoArtanhUp(artanhArgument(2n, 1n)) + mantissa;
  const unit = 10n ** BigInt(decimals);
  const digits = ((fixed * unit + ONE - 1n) / ONE).toString().padStart(decimals + 1, '0');
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
