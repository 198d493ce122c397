/**
 * Exact random decisions from uniform 32-bit words. No floating-point number decides anything: the low bits of floating-point noise reveal
 * what it was added to (Mironov 2012). `decay` is algorithm 1 of Canonne, Kamath, Steinke 2020, "The Discrete Gaussian for Differential
 * Privacy": for x <= 1 let K be the first k at which a coin of probability x/k fails. P(K > k) = x^k/k!, so P(K is odd) = e^-x.
 */

import { systemRng, words } from '@murmuration/shared';

/** A whole number. Numbers are for speed, and must be safe integers. */
export type Whole = number | bigint;

/** The decisions that mechanisms draw. All of them are independent. */
export interface Random {
  /** A uniform whole number below n, for 1 <= n <= 2^53. */
  readonly uniform: (n: number) => number;
  /** True with probability numerator / denominator, which is at most 1. */
  readonly flip: (numerator: Whole, denominator: Whole) => boolean;
  /** True with probability e^-(numerator / denominator). */
  readonly decay: (numerator: Whole, denominator: Whole) => boolean;
}

/** Words are compared with a fraction in pieces of so many bits. Products with the fraction's denominator must be exact in doubles. */
const PIECE = 26;
const PIECES = 2 ** PIECE;
const LARGE = 64n;

/**
 * Compares a uniform real number with numerator / denominator, piece by piece, as long as the pieces leave it open. The first one decides
 * with a probability of 1 - 2^-26.
 */
function flipSmall(word: () => number, numerator: number, denominator: number): boolean {
  let rest = numerator;
  while (rest > 0 && rest < denominator) {
    const scaled = rest * PIECES;
    const low = (word() >>> (32 - PIECE)) * denominator;
    if (low + denominator <= scaled) return true;
    if (low >= scaled) return false;
    rest = scaled - low;
  }
  return rest > 0;
}

/** As above, for numbers of any size. */
function flipLarge(word: () => number, numerator: bigint, denominator: bigint): boolean {
  let rest = numerator;
  while (rest > 0n && rest < denominator) {
    const scaled = rest << LARGE;
    const low = ((BigInt(word()) << 32n) | BigInt(word())) * denominator;
    if (low + denominator <= scaled) return true;
    if (low >= scaled) return false;
    rest = scaled - low;
  }
  return rest > 0n;
}

/** Algorithm 1 of the paper for numerator <= denominator. */
function decayUnit(flip: Random['flip'], numerator: Whole, denominator: Whole): boolean {
  let k = 1;
  if (typeof denominator === 'number' && denominator <= PIECES) while (flip(numerator, denominator * k)) k++;
  else while (flip(numerator, BigInt(denominator) * BigInt(k))) k++;
  return k % 2 === 1;
}

/** `decay` by a given coin. e^-x is e^-1 for each whole unit of x, times that of the rest; it stops at the first failure. */
export function decayBy(flip: Random['flip']): Random['decay'] {
  return (numerator, denominator) => {
    if (numerator < 0 || denominator <= 0)
      throw new RangeError(`decay: expected a rational of at least 0, got ${numerator}/${denominator}`);
    if (typeof numerator === 'number' && typeof denominator === 'number') {
      let rest = numerator;
      for (; rest > denominator; rest -= denominator) if (!decayUnit(flip, 1, 1)) return false;
      return decayUnit(flip, rest, denominator);
    }
    const unit = BigInt(denominator);
    let rest = BigInt(numerator);
    for (; rest > unit; rest -= unit) if (!decayUnit(flip, 1, 1)) return false;
    return decayUnit(flip, rest, unit);
  };
}

/** A uniform whole number below n, by rejection. A remainder would favour small numbers. */
function uniformOf(word: () => number): Random['uniform'] {
  return (n) => {
    if (!(Number.isSafeInteger(n - 1) && n >= 1)) throw new RangeError(`uniform: expected a whole number from 1 to 2^53, got ${n}`);
    if (n === 1) return 0;
    const highest = Math.floor((n - 1) / 2 ** 32);
    const high = highest === 0 ? 0 : -1 >>> Math.clz32(highest);
    const low = highest === 0 ? -1 >>> Math.clz32(n - 1) : -1 >>> 0;
    for (;;) {
      const drawn = (high === 0 ? 0 : ((word() & high) >>> 0) * 2 ** 32) + ((word() & low) >>> 0);
      if (drawn < n) return drawn;
    }
  };
}

/** Decisions from a source of uniform words in [0, 2^32). */
export function createRandom(word: () => number): Random {
  const flip: Random['flip'] = (numerator, denominator) =>
    typeof numerator === 'number' && typeof denominator === 'number' && denominator <= PIECES
      ? flipSmall(word, numerator, denominator)
      : flipLarge(word, BigInt(numerator), BigInt(denominator));
  return { uniform: uniformOf(word), flip, decay: decayBy(flip) };
}

/** Decisions from the system's cryptographically secure source, which devices use, too. @throws {RangeError} when that is plainly broken */
export const systemRandom = (): Random => createRandom(words(systemRng));
