/** Every random decision of the device: integer comparisons of words from one cryptographic source. */

/**
 * Fills bytes with cryptographically secure randomness, like `crypto.getRandomValues`. The type is what `Uint8Array.of` returns: an
 * array that shares no memory, in compilers before TypeScript 5.7 too, which have no name for it.
 */
export type Rng = (bytes: ReturnType<typeof Uint8Array.of>) => unknown;

/**
 * Coins and dice. A randomizer throws the same ones in the same order, whatever the input is and however they fall, and leaves
 * aside those that it does not need: then the number of words that it draws says nothing about the input or the report. Only
 * rejection varies that number, and it depends on nothing but the sides of the dice.
 */
export interface Coins {
  /** True with probability threshold / 2^32; takes one word. */
  readonly flip: (threshold: number) => boolean;
  /** A whole number below n, each with the same probability; a die of one side takes no word. */
  readonly uniform: (n: number) => number;
}

/** Coins from words that are uniform below a power of two: 2^32 on a device; proofs take few, and run over all strings of them. */
export function createCoins(word: () => number): Coins {
  return {
    flip: (threshold) => word() < threshold,
    uniform: (n) => {
      if (n < 2) return 0;
      // The fewest bits that hold n - 1, drawn until they are below n. A modulus would favour small numbers.
      const mask = -1 >>> Math.clz32(n - 1);
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
