/** MurmurHash3's finalizer for 32 bits (Appleby): a bijection in which each input bit moves every output bit. */
export const fmix32 = (x: number): number => {
  x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return x ^ (x >>> 16);
};
