/** Randomness whose dice have the same result however many words were drawn before. */

import type { Rng } from '@murmuration/client';
import { seededRng } from '@murmuration/client/testing';

/** The highest bit, which selects a device for a sample of one half, and the low 22 bits, which are used for dice. */
const STEADY = 0x803fffff;

/** The lowest of the other bits. */
const STEP = 0x400000;

/**
 * Words whose high bit and low 22 bits are fixed for the device; the other nine bits are seeded, so that ids differ. So two lives of one
 * device draw the same days, pauses and metrics, even if one of them has drawn more words. A die always lands on a power of two or on 0,
 * which no die rejects: if n - 1 has that bit, the power is below n.
 *
 * @param seed a thousand times the device's seed, plus the number of the page
 */
export function steadyRng(seed: number): Rng {
  const device = Math.floor(seed / 1_000);
  const steady = ((device & 1) << 31) | (device % 13 === 0 ? 0 : 1 << (device % 13));
  const fill = seededRng(seed);
  let last = new Uint32Array();
  return (bytes) => {
    fill(bytes);
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    for (let i = 0; i < words.length; i++) {
      let word = words[i] as number;
      // Nine bits are often equal, and the client takes a source for broken that repeats its words (shared/src/random/words.ts).
      do {
        word = (((word + STEP) & ~STEADY) | steady) >>> 0;
      } while (word === words[i - 8] || word === last[i]);
      words[i] = word;
    }
    last = words.slice();
  };
}
