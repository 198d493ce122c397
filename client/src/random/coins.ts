/** Every random decision of the device. Each one compares integers from a single cryptographic source, `shared/src/random/words.ts`. */

/**
 * Coins and dice. A randomizer throws the same ones in the same order, whatever its input is and however they fall, and ignores those that
 * it does not need. The number of words drawn therefore says nothing about the input or the report. Only rejection sampling varies that
 * number, and it depends only on the number of sides of the dice.
 */
export interface Coins {
  /** True with probability threshold / 2^32. Uses one word. */
  readonly flip: (threshold: number) => boolean;
  /** A uniform whole number below n. A die with one side, or none, gives 0 and uses no word. */
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
