/** Randomness whose dice fall alike wherever they are thrown. */

import type { Rng } from '@murmuration/client';
import { seededRng } from '@murmuration/client/testing';

/** The highest bit, by which a device of a sample of one half is chosen, and the low 22, of which dice are thrown. */
const STEADY = 0x803fffff;

/**
 * Words whose high bit and low 22 bits are the device's own for ever, and whose other nine are seeded, so that ids differ. So two lives of
 * one device draw the same days, pauses and metrics, though one of them has drawn more words. The dice fall on a power of
 * two or on 0, which no die refuses: where n - 1 has that bit, the power is below n.
 *
 * @param seed a thousand times the device's, and the number of the page
 */
export function steadyRng(seed: number): Rng {
  const device = Math.floor(seed / 1_000);
  const steady = ((device & 1) << 31) | (device % 13 === 0 ? 0 : 1 << (device % 13));
  const fill = seededRng(seed);
  return (bytes) => {
    fill(bytes);
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
    for (let i = 0; i < words.length; i++) words[i] = ((words[i] as number) & ~STEADY) | steady;
  };
}
