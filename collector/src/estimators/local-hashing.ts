/**
 * The supports of all answers under local hashing, by a transform: S(v) = Σ_s C_s[<s, v>], C_s the counts of cohort s.
 *
 * Cohorts g^m + t, t < g^m, see of v only its last m + 1 digits (cohorts.ts): S_m(v) = Σ_t C_t[v_m + Σ_i t_i v_i]. With
 * one digit of t after the other summed away, and a digit of v in its place, the array keeps its g^(m+1) numbers:
 *   A'(.. v_i .., b) = Σ_{t_i} A(.. t_i .., b + t_i v_i),  A(t, b) = C_t[b] at first, and S_m(v) = A(v_0 .. v_{m-1}, v_m) at last.
 * That is m g^(m+2) additions, and about (k - 1) g^(k+1) for all m, where cohort by cohort it is d of them for each cohort.
 */

import { familyOf, type LocalHashingLaw } from '@murmuration/shared';
import type { Tallies } from '../store/store.ts';

/** One digit, of weight `place` in t, summed away; b is the fastest index. */
function sumDigit(counts: Float64Array, buckets: number, place: number): Float64Array {
  const summed = new Float64Array(counts.length);
  const stride = place * buckets;
  for (let block = 0; block < counts.length; block += stride * buckets) {
    for (let inner = block; inner < block + stride; inner += buckets) {
      for (let digit = 0; digit < buckets; digit++) {
        const from = inner + digit * stride;
        for (let answer = 0; answer < buckets; answer++) {
          const to = inner + answer * stride;
          let bucket = (digit * answer) % buckets;
          for (let b = 0; b < buckets; b++) {
            summed[to + b] = (summed[to + b] as number) + (counts[from + bucket] as number);
            bucket = bucket + 1 === buckets ? 0 : bucket + 1;
          }
        }
      }
    }
  }
  return summed;
}

/** How many reports support each answer. */
export function localHashingSupports({ size, buckets }: LocalHashingLaw, tallies: Tallies): Float64Array {
  const supports = new Float64Array(size);
  const { cohorts } = familyOf(size, buckets);
  for (let [first, vectors] = [0, 1]; first < cohorts; first += vectors, vectors *= buckets) {
    let counts: Float64Array = new Float64Array(vectors * buckets);
    for (let t = 0; t < vectors; t++) counts.set(tallies.get(first + t)?.cells ?? [], t * buckets);
    for (let place = 1; place < vectors; place *= buckets) counts = sumDigit(counts, buckets, place);
    for (let answer = 0; answer < size; answer++) {
      const digits = answer % (vectors * buckets); // v_0 .. v_m
      const tail = digits % vectors;
      const lead = (digits - tail) / vectors;
      supports[answer] = (supports[answer] as number) + (counts[tail * buckets + lead] as number);
    }
  }
  return supports;
}
