/** Amounts of ε and ρ as exact rationals, so that a hundred charges of 1/100 are 1 and a budget is neither exceeded nor wasted. */

import { type Ratio, ratio } from '@murmuration/shared';

/** A rational in lowest terms: what `Ratio` is, but it may be 0 or, as a difference, below 0. The denominator is positive. */
export interface Amount {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

export const ZERO: Amount = { numerator: 0n, denominator: 1n };

/** The ε of what no ε covers: more than any budget and any sum of charges that have one. It is exact in sums and differences, too. */
export const UNBOUNDED: Amount = { numerator: 10n ** 30n, denominator: 1n };

/**
 * Digits before and after the point, and the largest denominator of a fraction that comes from outside. So all sums have one common
 * denominator of a few hundred bits, however many amounts are added up, and adding them takes no time.
 */
const DIGITS = 12;
const MOST_DENOMINATOR = 100n;

/** In lowest terms. `ratio` has no zero and nothing below it. */
function lowest(numerator: bigint, denominator: bigint): Amount {
  if (numerator > 0n) return ratio(numerator, denominator);
  if (numerator === 0n) return ZERO;
  const opposite = ratio(-numerator, denominator);
  return { ...opposite, numerator: -opposite.numerator };
}

export const add = (a: Amount, b: Amount): Amount =>
  a.denominator === b.denominator
    ? lowest(a.numerator + b.numerator, a.denominator)
    : lowest(a.numerator * b.denominator + b.numerator * a.denominator, a.denominator * b.denominator);

export const minus = (a: Amount, b: Amount): Amount => add(a, { numerator: -b.numerator, denominator: b.denominator });

/** The product with a whole number. */
export const times = (a: Amount, factor: number): Amount => lowest(a.numerator * BigInt(factor), a.denominator);

/** Below 0, 0 or above 0, as a is below, at or above b. */
export const compare = (a: Amount, b: Amount): number => {
  const [left, right] = [a.numerator * b.denominator, b.numerator * a.denominator];
  return left < right ? -1 : left > right ? 1 : 0;
};

export const most = (a: Amount, b: Amount): Amount => (compare(a, b) < 0 ? b : a);
export const least = (a: Amount, b: Amount): Amount => (compare(a, b) < 0 ? a : b);

/** As it is stored and shown: a decimal where it has one of at most 12 places, else a fraction. */
export function amountText(amount: Amount): string {
  const { numerator, denominator } = amount;
  if (compare(amount, UNBOUNDED) >= 0) return 'unbounded';
  const unit = 10n ** 12n;
  if (unit % denominator !== 0n) return `${numerator}/${denominator}`;
  const scaled = numerator * (unit / denominator);
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(13, '0');
  const text = `${digits.slice(0, -12)}.${digits.slice(-12)}`.replace(/\.?0+$/, '');
  return scaled < 0n ? `-${text}` : text;
}

/** A decimal or a fraction, of any length; undefined if it is neither. */
function read(text: string): (Amount & { readonly digits: number; readonly isFraction: boolean }) | undefined {
  const [, whole, places = '', above, below] = /^(?:(\d+)(?:\.(\d+))?|(\d+)\/(\d+))$/.exec(text.trim()) ?? [];
  if (whole !== undefined) {
    const digits = Math.max(whole.length, places.length);
    return { numerator: BigInt(whole + places), denominator: 10n ** BigInt(places.length), digits, isFraction: false };
  }
  if (above === undefined || below === undefined) return undefined;
  return { numerator: BigInt(above), denominator: BigInt(below), digits: above.length, isFraction: true };
}

/**
 * Reads a decimal or a fraction: `0.1` is 1/10, and not the double beside it.
 *
 * @throws {RangeError} when it is neither, or not above 0, or longer than amounts need to be
 */
export function parseAmount(text: string, what: string): Ratio {
  const found = text.length > 80 ? undefined : read(text);
  if (found === undefined || found.numerator <= 0n || found.denominator <= 0n)
    throw new RangeError(`${what}: expected a number above 0, such as 0.1 or 1/3, got ${JSON.stringify(text.slice(0, 80))}`);
  if (
    found.digits > DIGITS ||
    (found.isFraction && found.denominator > MOST_DENOMINATOR && 10n ** BigInt(DIGITS) % found.denominator !== 0n)
  )
    throw new RangeError(
      `${what}: expected at most ${DIGITS} digits before and after the point, or a denominator of at most ${MOST_DENOMINATOR}, got ${JSON.stringify(text)}`,
    );
  return ratio(found.numerator, found.denominator);
}

/** Reads an amount that this program has written: of any length, since it may be a sum or a square, and it may be 0. */
export function readAmount(text: string): Amount {
  const found = read(text);
  if (found === undefined || found.denominator <= 0n)
    throw new RangeError(`expected a stored amount, got ${JSON.stringify(text.slice(0, 80))}`);
  return lowest(found.numerator, found.denominator);
}
