/**
 * The part of covariance.ts for local hashing. A report supports both u and v when its cohort puts them in one bucket and the report names
 * that bucket. The probability of that is a if the true answer x is in the bucket too, else b. Let c be the share of cohorts (cohorts.ts)
 * in which u and v share a bucket. If x lies on the line through u and v, x - u is a multiple of v - u, and x is in that bucket in all of
 * these cohorts. Otherwise it is there in the share c' = (g^(k-2) - 1) / (g^k - 1), the cohorts whose vectors are orthogonal to both. So
 *   Σ_x n_x P(u, v | x) = n c b + (a - b) (c L + c' (n - L)),  L the devices whose answers are on the line.
 */

import { type Field, familyOf, fieldOf, kAry, type LocalHashingLaw, overBuckets } from '@murmuration/shared';

/** The number of devices whose answers are on the line through two answers: u + λ (v - u), digit by digit in base g. */
function onLine(counts: readonly number[], { order, add, negative, multiply }: Field, u: number, v: number): number {
  let sum = 0;
  for (let factor = 0; factor < order; factor++) {
    let point = 0;
    for (let [unit, a, b] = [1, u, v]; a > 0 || b > 0; unit *= order, a = Math.floor(a / order), b = Math.floor(b / order)) {
      const digit = a % order;
      point += add(digit, multiply(factor, add(b % order, negative(digit)))) * unit;
    }
    sum += counts[point] ?? 0;
  }
  return sum;
}

/** Σ_x n_x P(u, v | x) for two different answers. */
export function hashedPairs(law: LocalHashingLaw, counts: readonly number[]): (u: number, v: number) => number {
  const { size, buckets } = law;
  const { p: a, q: b } = kAry.support(overBuckets(law));
  const n = counts.reduce((sum, count) => sum + count, 0);
  const { vectors, collisions: c } = familyOf(size, buckets);
  if (c === 0) return () => 0;
  const field = fieldOf(buckets);
  const three = (vectors / buckets ** 2 - 1) / (vectors - 1);
  return (u, v) => {
    const line = onLine(counts, field, u, v);
    return n * c * b + (a - b) * (c * line + three * (n - line));
  };
}
