/** Every random decision of the device: integer comparisons of words from one cryptographic source. */

/** Fills bytes with cryptographically secure randomness, like `crypto.getRandomValues`. */
export type Rng = (bytes: Uint8Array<ArrayBuffer>) => unknown;

/** Coins and dice. */
export interface Coins {
  /** True with probability threshold / 2^32. */
  readonly flip: (threshold: number) => boolean;
  /** A whole number below n, each with the same probability. */
  readonly uniform: (n: number) => number;
}

/** Coins from words that are uniform below a power of two: 2^32 on a device; proofs take few, and run over all strings of them. */
export function createCoins(word: () => number): Coins {
  return {
    flip: (threshold) => word() < threshold,
    uniform: (n) => {
      // The fewest bits that hold n - 1, drawn until they are below n. A modulus would favour small numbers.
      const mask = n > 1 ? -1 >>> Math.clz32(n - 1) : 0;
      let drawn: number;
      do drawn = (word() & mask) >>> 0;
      while (drawn >= n);
      return drawn;
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
      buffer.fill(0);
      rng(new Uint8Array(buffer.buffer));
      // An rng that fills later, or returns bytes of its own, would leave coins that all fall alike.
      if (buffer.every((filled) => filled === 0)) throw new RangeError('rng: expected random bytes, got zeros');
      used = 0;
    }
    return buffer[used++] as number;
  };
}

/** The platform's source. Throws where there is none: then nothing is recorded. */
export const systemRng: Rng = (bytes) => crypto.getRandomValues(bytes);
