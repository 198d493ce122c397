/** How the supports of two different answers vary together: Σ_x n_x P(u and v supported | x), for each kind of list mechanism. */

import { type Field, familyOf, fieldOf, kAry, type ListLaw, type LocalHashingLaw, mechanismOf, overBuckets } from '@murmuration/shared';
import { Matrix } from 'ml-matrix';
import type { Pairs } from './estimation.ts';

/** P(both cells are supported | true answer): when the true answer is one of them, and when it is neither. */
export interface PairChances {
  readonly one: number;
  readonly neither: number;
}

/** For mechanisms in which all answers are alike: one probability when the truth is one of the two, another when it is neither. */
export function pairsBy({ one, neither }: PairChances, counts: readonly number[]): Pairs {
  const n = counts.reduce((sum, count) => sum + count, 0);
  return (u, v) => {
    const either = (counts[u] as number) + (counts[v] as number);
    return either * one + (n - either) * neither;
  };
}

/*
 * How the supports of two answers vary together when a report is one cell of one cohort, as in Hadamard and projective geometry response
 * and the Hadamard sketch. A report supports both answers when its cell is in both sets. With D the expected cells of a population,
 *   Σ_x n_x P(u and v supported | x) = Σ D(cell) over the cells in both S_u and S_v.
 * Given x, a cell of S_x has probability p / |S_x|, and any other cell (1 - p) / (K - |S_x|).
 */

/** The expected number of reports that support both u and v, in a population with these counts of answers. */
export function jointSupports(law: ListLaw, counts: readonly number[]): Pairs {
  const { shape, support, supporting = (_law, _cohort, answer) => [answer] } = mechanismOf(law);
  const { cohorts, cells } = shape(law);
  const { p } = support(law);
  const n = counts.reduce((sum, count) => sum + count, 0);
  const sets = counts.map((_, answer) =>
    Array.from({ length: cohorts }, (_, cohort) => supporting(law, cohort, answer).map((cell) => cohort * cells + cell)).flat(),
  );
  const set = (sets[0] as readonly number[]).length;
  const [inside, outside] = [p / set, (1 - p) / (cohorts * cells - set)];
  const expected = new Float64Array(cohorts * cells).fill(n * outside);
  sets.forEach((own, answer) => {
    for (const cell of own) expected[cell] = (expected[cell] as number) + (counts[answer] as number) * (inside - outside);
  });
  const joint = new Matrix(law.size, law.size);
  sets.forEach((own, u) => {
    const members = new Set(own);
    for (let v = 0; v <= u; v++) {
      const both = (sets[v] as readonly number[])
        .filter((cell) => members.has(cell))
        .reduce((sum, cell) => sum + (expected[cell] as number), 0);
      joint.set(u, v, both);
      joint.set(v, u, both);
    }
  });
  return (u, v) => joint.get(u, v);
}

/*
 * Pairs of local hashing. A report supports both u and v when its cohort puts them in one bucket and the report names
 * that bucket. The probability of that is a if the true answer x is in the bucket too, else b. Let c be the share of cohorts (cohorts.ts)
 * in which u and v share a bucket. If x lies on the line through u and v, x - u is a multiple of v - u, and x is in that bucket in all of
 * these cohorts. Otherwise it is there in the share c' = (g^(k-2) - 1) / (g^k - 1), the cohorts whose vectors are orthogonal to both. So
 *   Σ_x n_x P(u, v | x) = n c b + (a - b) (c L + c' (n - L)),  L the devices whose answers are on the line.
 */

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
