/**
 * Evidence by ranks. The hash of a level takes a prefix to a place as if by chance. So where nobody has a prefix, the devices at its place
 * are a random draw of the devices at all places, whatever those hold: noise, rare strings, frequent ones that share the place. The rank
 * among all places is therefore uniform, and its normal score (van der Waerden 1952) is a normal variable. Counts themselves would not do:
 * one place that a frequent prefix shares would outweigh all other levels.
 */

import { logUpperTail } from '../../estimation/statistics/normal-tail.ts';

const STEPS = 2;
const known = new Map<number, Float64Array>();

/** Φ⁻¹((i + 1/2) / d) for i = 0 .. d - 1, by Newton steps on the logarithm of the tail, from the middle outwards. */
function normalScores(d: number): Float64Array {
  const found = known.get(d);
  if (found !== undefined) return found;
  const scores = new Float64Array(d);
  for (let [i, z] = [Math.ceil(d / 2), 0]; i < d; i++) {
    const wanted = Math.log((d - i - 0.5) / d);
    for (let step = 0; step < STEPS; step++) {
      const log = logUpperTail(z);
      z += (log - wanted) * Math.sqrt(2 * Math.PI) * Math.exp((z * z) / 2 + log);
    }
    scores[i] = z;
    scores[d - 1 - i] = -z;
  }
  known.set(d, scores);
  return scores;
}

/** The first index at which ascending numbers are at least a value, or above it. */
function firstAt(sorted: Float64Array, value: number, isAbove: boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const there = sorted[middle] as number;
    if (there < value || (isAbove && there === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The ranks of a level. */
export class Ranks {
  readonly #sorted: Float64Array;
  readonly #scores: Float64Array;

  /** @param values the devices by place */
  constructor(values: Float64Array) {
    this.#sorted = values.slice().sort();
    this.#scores = normalScores(values.length);
  }

  /** The normal score of a number of devices; equal ones have the score of their mean rank. */
  scoreOf(value: number): number {
    const sorted = this.#sorted;
    const last = sorted.length - 1;
    const first = firstAt(sorted, value, false);
    // Most values are there once, which needs no second search.
    const after = sorted[first] !== value ? first : sorted[first + 1] !== value ? first + 1 : firstAt(sorted, value, true);
    const rank = Math.min(last, Math.max(0, (first + after - 1) / 2));
    return ((this.#scores[Math.floor(rank)] as number) + (this.#scores[Math.ceil(rank)] as number)) / 2;
  }
}
