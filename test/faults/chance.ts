/** Reproducible randomness: the same seed gives the same run. */

/**
 * Whole numbers below a bound, uniform enough for mutations: the high bits of a linear congruential generator modulo 2^32 (Knuth, TAOCP 2,
 * §3.3.4, table 1, line 16).
 */
export function chance(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
