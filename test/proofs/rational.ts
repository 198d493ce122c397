/** Exact rationals, kept in lowest terms, so that equal numbers are equal objects. Proofs round nothing. */

/** A rational in lowest terms, its denominator positive. */
export interface Rational {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

function gcd(a: bigint, b: bigint): bigint {
  const either = a | b;
  if (b !== 0n && (b & (b - 1n)) === 0n) return either & -either; // of a power of two: the lowest bit of both
  while (b > SAFE) [a, b] = [b, a % b];
  if (b === 0n) return a;
  // Numbers divide faster.
  let [low, high] = [Number(a % b), Number(b)];
  while (low !== 0) [low, high] = [high % low, low];
  return BigInt(high);
}

const magnitude = (a: bigint): bigint => (a < 0n ? -a : a);

/** `numerator / denominator`; whole numbers may come as numbers. */
export function rational(numerator: bigint | number, denominator: bigint | number = 1n): Rational {
  const [n, d] = [BigInt(numerator), BigInt(denominator)];
  if (d === 0n) throw new RangeError('rational: expected a denominator other than 0');
  const divisor = gcd(magnitude(n), magnitude(d)) * (d < 0n ? -1n : 1n);
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

/** Numbers in lowest terms share few factors with each other's denominators: Knuth, The Art of Computer Programming 2, section 4.5.1. */
export function add(a: Rational, b: Rational): Rational {
  const shared = gcd(a.denominator, b.denominator);
  const numerator = a.numerator * (b.denominator / shared) + b.numerator * (a.denominator / shared);
  const left = gcd(magnitude(numerator), shared);
  return { numerator: numerator / left, denominator: (a.denominator / shared) * (b.denominator / left) };
}

export const subtract = (a: Rational, b: Rational): Rational => add(a, { ...b, numerator: -b.numerator });

/** As in `add`. */
export function multiply(a: Rational, b: Rational): Rational {
  const [one, other] = [gcd(magnitude(a.numerator), b.denominator), gcd(magnitude(b.numerator), a.denominator)];
  return { numerator: (a.numerator / one) * (b.numerator / other), denominator: (a.denominator / other) * (b.denominator / one) };
}

export const divide = (a: Rational, b: Rational): Rational => multiply(a, rational(b.denominator, b.numerator));

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
