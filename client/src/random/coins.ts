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

/** Words are compared with those so many places on, which finds periods of 1, 2, 4 and 8 words, and with those of the last fill. */
const APART = 8;
/** The most words that may be equal to one of these. More of them are in less than one of 2^400 uniform fills. */
const MOST_ALIKE = 16;

/**
 * Uniform 32-bit words from an rng. Throws whatever the rng throws, and where the rng is plainly broken: it fills later or only a part,
 * stands still, or repeats itself. All coins would fall alike then, and the first outcome of a coin is often the truth. This is a test
 * of health (NIST SP 800-90B, section 4.4), not of quality. Words that are left at the end of a task are dropped: copies of a running
 * program (a virtual machine, a startup snapshot) would use them again, and their reports together would tell more than each.
 */
export function words(rng: Rng): () => number {
  const buffer = new Uint32Array(WORDS);
  let used = WORDS;
  let willDrop = false;
  return () => {
    if (used === WORDS) {
      const before = buffer.slice();
      rng(new Uint8Array(buffer.fill(0).buffer));
      if (buffer.filter((word, i) => word === before[i] || word === buffer[i + APART]).length > MOST_ALIKE)
        throw new RangeError('rng: expected random bytes');
      used = 0;
      if (!willDrop)
        void Promise.resolve().then(() => {
          used = WORDS;
          willDrop = false;
        });
      willDrop = true;
    }
    return buffer[used++] as number;
  };
}

/** The platform's random source. Throws if the platform has none; then nothing is recorded. */
export const systemRng: Rng = (bytes) => crypto.getRandomValues(bytes);
