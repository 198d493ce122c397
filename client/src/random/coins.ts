/** Every random decision of the device: integer comparisons of words from one cryptographic source. */

import { MODULUS } from '@murmuration/shared';

/** Fills bytes with cryptographically secure randomness, like `crypto.getRandomValues`. */
export type Rng = (bytes: Uint8Array<ArrayBuffer>) => unknown;

/** Coins and dice. */
export interface Coins {
  /** True with probability threshold / modulus. */
  readonly flip: (threshold: number) => boolean;
  /** A whole number below n, each with the same probability. */
  readonly uniform: (n: number) => number;
}

/**
 * Coins from uniform words below `modulus`. Proofs pass their own words and a small modulus, and so run this code over
 * every string of words there is.
 */
export function createCoins(word: () => number, modulus: number = MODULUS): Coins {
  return {
    flip: (threshold) => word() < threshold,
    uniform: (n) => {
      // Words at or above the largest multiple of n are drawn again: a modulus alone would favour small numbers.
      const limit = modulus - (modulus % n);
      let drawn = word();
      while (drawn >= limit) drawn = word();
      return drawn % n;
    },
  };
}

const WORDS = 256; // one call to the system for many coins

/** Uniform 32-bit words from an rng. Throws what the rng throws. */
export function words(rng: Rng): () => number {
  const buffer = new Uint32Array(WORDS);
  let used = WORDS;
  return () => {
    if (used === WORDS) {
      rng(new Uint8Array(buffer.buffer));
      used = 0;
    }
    return buffer[used++] as number;
  };
}

/** The platform's source. Throws where there is none: then nothing is recorded. */
export const systemRng: Rng = (bytes) => crypto.getRandomValues(bytes);
