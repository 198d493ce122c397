/** Every random decision of the device. Each one compares integers from a single cryptographic source. */

/**
 * Fills bytes with cryptographically secure randomness, like `crypto.getRandomValues`. The parameter has the type that `Uint8Array.of`
 * returns: an array that shares no memory. Compilers before TypeScript 5.7 have no name for that type.
 */
export type Rng = (bytes: ReturnType<typeof Uint8Array.of>) => unknown;

/**
 * Coins and dice. A randomizer throws the same ones in the same order, whatever its input is and however they fall, and ignores those that
 * it does not need. The number of words drawn therefore says nothing about the input or the report. Only rejection sampling varies that
 * number, and it depends only on the number of sides of the dice.
 */
export interface Coins {
  /** True with probability threshold / 2^32. Uses one word. */
  readonly flip: (threshold: number) => boolean;
  /** A uniform whole number below n. A die with one side uses no word. */
  readonly uniform: (n: number) => number;
}

/**
 * Makes coins from words that are uniform below a power of two: 2^32 on a device. Proofs use a smaller power and enumerate all sequences of
 * words.
 */
export function createCoins(word: () => number): Coins {
  return {
    flip: (threshold) => word() < threshold,
    uniform: (n) => {
      if (n < 2) return 0;
      // Draws the fewest bits that hold n - 1 until they are below n. Taking a remainder would favour small numbers.
      const mask = -1 >>> Math.clz32(n - 1);
      let drawn: number;
      do drawn = (word() & mask) >>> 0;
      while (drawn >= n);
      return drawn;
    },
  };
}

const WORDS = 256; // one system call yields many coins

/** Uniform 32-bit words from an rng. Throws whatever the rng throws. */
export function words(rng: Rng): () => number {
  const buffer = new Uint32Array(WORDS);
  let used = WORDS;
  return () => {
    if (used === WORDS) {
      buffer.fill(0);
      rng(new Uint8Array(buffer.buffer));
      // An rng that fills asynchronously or returns bytes of its own would make all coins fall alike.
      if (buffer.every((filled) => filled === 0)) throw new RangeError('rng: expected random bytes, got zeros');
      used = 0;
    }
    return buffer[used++] as number;
  };
}

/** The platform's random source. Throws if the platform has none; then nothing is recorded. */
export const systemRng: Rng = (bytes) => crypto.getRandomValues(bytes);
