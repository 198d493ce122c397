/**
 * Uniform random words, from a cryptographic source whose health is tested: the only source of the coins of devices, and of the noise of
 * releases.
 */

/**
 * Fills bytes with cryptographically secure randomness, like `crypto.getRandomValues`. The parameter has the type that `Uint8Array.of`
 * returns: an array that shares no memory. Compilers before TypeScript 5.7 have no name for that type.
 */
export type Rng = (bytes: ReturnType<typeof Uint8Array.of>) => unknown;

const WORDS = 256; // one system call yields many coins

/** Words are compared with those so many places on, which finds periods of 1, 2, 4 and 8 words, and with those of the last fill. */
const APART = 8;
/** The most words that may be equal to one of these. More of them are in less than one of 2^70 uniform fills. */
const MOST_ALIKE = 2;

/**
 * Uniform 32-bit words from an rng. Throws whatever the rng throws, and where the rng is plainly broken: it fills later or only a part,
 * stands still, or repeats itself. All coins would fall alike then, and the first outcome of a coin is often the truth. This is a test
 * of health (NIST SP 800-90B, section 4.4), not of quality. Words that are left at the end of a task are dropped: copies of a running
 * program (a virtual machine, a startup snapshot) would use them again, and their reports together would tell more than each.
 */
export function words(rng: Rng): () => number {
  const buffer = new Uint32Array(WORDS);
  let used = WORDS;
  return () => {
    if (used === WORDS) {
      const before = buffer.slice();
      rng(new Uint8Array(buffer.fill(0).buffer));
      if (buffer.filter((word, i) => word === before[i] || word === buffer[i + APART]).length > MOST_ALIKE)
        throw new RangeError('rng: expected random bytes');
      used = 0;
      void Promise.resolve().then(() => {
        used = WORDS;
      });
    }
    return buffer[used++] as number;
  };
}

/** The platform's random source. Throws if the platform has none; then nothing is recorded. */
export const systemRng: Rng = (bytes) => crypto.getRandomValues(bytes);
