/** Seeded random numbers for simulated sets: fast, the same in every run, and good enough for counts (Doty-Humphrey's sfc32). */

import { binomialAt } from './coverage/multinomial.ts';

/** Numbers in [0, 1), of 53 bits. */
export type Uniform = () => number;

export function uniforms(seed: number): Uniform {
  let [a, b, c, d] = [0x9e3779b9, 0x243f6a88, seed | 0, 1];
  const word = (): number => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return t >>> 0;
  };
  for (let i = 0; i < 16; i++) word();
  return () => ((word() >>> 5) * 2 ** 26 + (word() >>> 6)) / 2 ** 53;
}

/** Spreads so many devices over so many places, evenly. */
export function spread(devices: number, places: number, uniform: Uniform): Float64Array {
  const found = new Float64Array(places);
  if (devices < 8 * places) {
    for (let i = 0; i < devices; i++) {
      const place = Math.floor(uniform() * places);
      found[place] = (found[place] as number) + 1;
    }
    return found;
  }
  let left = devices;
  for (let place = 0; place < places - 1; place++) {
    found[place] = binomialAt(left, 1 / (places - place), uniform());
    left -= found[place] as number;
  }
  found[places - 1] = left;
  return found;
}

const between = (low: number, high: number, uniform: Uniform): number => low + (high - low) * uniform();

/** Evenly in the logarithm. */
export const logBetween = (low: number, high: number, uniform: Uniform): number =>
  Math.exp(between(Math.log(low), Math.log(high), uniform));

export const oneOf = <T>(list: readonly T[], uniform: Uniform): T => list[Math.floor(uniform() * list.length)] as T;
