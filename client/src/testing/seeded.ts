/** Repeatable randomness for tests and simulations. Never for devices: whoever knows the seed knows every coin. */

import type { Rng } from '@murmuration/shared';

/**
 * An rng that gives the same bytes for the same seed: sfc32 (Doty-Humphrey, PractRand), seeded by a whole number.
 *
 * @example createTelemetry({ schema, endpoint, rng: seededRng(1) })
 */
export function seededRng(seed: number): Rng {
  let [a, b, c, counter] = [seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0, 0x9e3779b9, 1];
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  for (let i = 0; i < 16; i++) next();
  return (bytes) => {
    for (let i = 0; i < bytes.length; i += 4) {
      const word = next();
      for (let j = 0; j < 4 && i + j < bytes.length; j++) bytes[i + j] = (word >>> (8 * j)) & 255;
    }
  };
}
