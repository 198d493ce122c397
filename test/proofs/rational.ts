/** Exact rationals, kept in lowest terms, so that equal numbers are equal objects. Proofs round nothing. */

/** A rational in lowest terms, its denominator positive. */
export interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

function gcd(a: bigint, b: bigint): bigint {
  while (b > SAFE) [a, b] = [b, a % b];
  if (b === 0n) return a;
  // Numbers divide faster.
  let [low, high] = [Number(a % b), Number(b)];
  while (low !== 0) [low, high] = [high % low, low];
  return BigInt(high);
}

/** `numerator / denominator`; whole numbers may come as numbers. */
export function rational(numerator: bigint | number, denominator: bigint | number = 1n): Rational {
  const [n, d] = [BigInt(numerator), BigInt(denominator)];
  if (d === 0n) throw new RangeError('rational: expected a denominator other than 0');
  const divisor = gcd(n < 0n ? -n : n, d < 0n ? -d : d) * (d < 0n ? -1n : 1n);
  return { numerator: n / divisor, denominator: d / divisor };
}

/** The very value of a double. */
export function exactly(double: number): Rational {
  let exponent = 0;
  while (!Number.isInteger(double * 2 ** exponent)) exponent++;
  return rational(BigInt(double * 2 ** exponent), 1n << BigInt(exponent));
}

export const ZERO: Rational = rational(0);
export const ONE: Rational = rational(1);

export const add = (a: Rational, b: Rational): Rational =>
  rational(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator);

export const subtract = (a: Rational, b: Rational): Rational =>
  rational(a.numerator * b.denominator - b.numerator * a.denominator, a.denominator * b.denominator);

export const multiply = (a: Rational, b: Rational): Rational => rational(a.numerator * b.numerator, a.denominator * b.denominator);

export const divide = (a: Rational, b: Rational): Rational => rational(a.numerator * b.denominator, a.denominator * b.numerator);

export const sum = (terms: Iterable<Rational>): Rational => [...terms].reduce(add, ZERO);

export const product = (factors: Iterable<Rational>): Rational => [...factors].reduce(multiply, ONE);

/** The least whole number that every denominator divides. */
export const commonDenominator = (terms: Iterable<Rational>): bigint =>
  [...terms].reduce((common, { denominator }) => (common / gcd(common, denominator)) * denominator, 1n);

export const power = ({ numerator, denominator }: Rational, exponent: number): Rational =>
  rational(numerator ** BigInt(exponent), denominator ** BigInt(exponent));

/** Whether a < b. */
export const less = (a: Rational, b: Rational): boolean => a.numerator * b.denominator < b.numerator * a.denominator;

/** The nearest double, or the one beside it. */
export const toNumber = ({ numerator, denominator }: Rational): number => Number((numerator << 200n) / denominator) / 2 ** 200;

/** |a - b| / |b|: how far a double is from the truth. */
export const relativeError = (double: number, truth: Rational): number =>
  Math.abs(toNumber(divide(subtract(exactly(double), truth), truth)));
