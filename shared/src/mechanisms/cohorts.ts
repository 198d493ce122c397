/**
 * Families of cohorts: hash functions from a list's answers to g buckets, such that any two different answers collide in exactly the same
 * share of the functions. A device draws one function of the family. Its report names that function in a few bytes, so reports can be added
 * up in a tally.
 *
 * Let g be prime or 4, and k the least number with g^k >= d. Answers are vectors of GF(g)^k: the digits of their indices in base g. The
 * cohorts are the (g^k - 1)/(g - 1) non-zero vectors s whose most significant non-zero digit is 1, one on each line through the origin. The
 * bucket of answer v is <s, v> in GF(g). Two answers u != v share a bucket exactly where <s, u - v> = 0. This is a hyperplane with g^(k-1)
 * - 1 non-zero vectors, and it contains all g - 1 non-zero multiples of each s in it. So
 *   c = [(g^(k-1) - 1)/(g - 1)] / [(g^k - 1)/(g - 1)] = (g^(k-1) - 1) / (g^k - 1),  a little below 1/g.
 * These are the words of the simplex code. For d = g^k no family has a smaller c (Plotkin 1960, the bound on the mean distance of words).
 * In lowest terms the denominator of c is the number of cohorts, so no smaller family has this c. With g = d there is one cohort and each
 * answer is its own bucket. Then nothing collides, and g may be any number.
 *
 * Order: s = g^m + t for m = 0, 1 .. k - 1 and t = 0, 1 .. g^m - 1, so that cohort (g^m - 1)/(g - 1) + t is s, and <s, v> = v_m + Σ_i t_i
 * v_i over the digits i < m.
 */

import { type Field, isPrime } from '../arithmetic/field.ts';
import type { Support } from './law.ts';

/** The number of vectors g^k, the number of cohorts, and the share of cohorts in which two different answers collide. */
export interface Family {
  readonly vectors: number;
  readonly cohorts: number;
  readonly collisions: number;
}

/** The family of `size` answers in `buckets` buckets. `buckets` is the order of a field, or `size`. */
export function familyOf(size: number, buckets: number): Family {
  let cohorts = 1;
  let vectors = buckets;
  while (vectors < size) {
    cohorts += vectors;
    vectors *= buckets;
  }
  return { vectors, cohorts, collisions: (vectors / buckets - 1) / (vectors - 1) };
}

/**
 * True if a family with this number of buckets exists modulo that number: a prime below the number of answers, or the number of answers.
 */
export const isFamily = (size: number, buckets: number): boolean =>
  buckets === size || (Number.isInteger(buckets) && buckets > 1 && buckets < size && isPrime(buckets));

/** p and q over all cohorts, from those of one bucket against another. */
export const collide = ({ p, q }: Support, { collisions }: Family): Support => ({ p, q: collisions * p + (1 - collisions) * q });

type Plus = (sum: number, a: number, b: number) => number;

/**
 * sum + a b modulo g, or in GF(4) if g = 4, which is not prime. Elements 1, 2, 3 of GF(4) are the powers x^0, x^1, x^2 of a generator x.
 */
const plusIn = (buckets: number): Plus =>
  buckets === 4 ? (sum, a, b) => sum ^ (a * b && ((a + b - 2) % 3) + 1) : (sum, a, b) => (sum + a * b) % buckets;

/** The bucket of an answer in a cohort: <s, v>. `plus` is sum + a b in a field of g elements; the default handles primes and 4. */
export function bucketOf(buckets: number, cohort: number, answer: number, plus: Plus = plusIn(buckets)): number {
  let tail = cohort;
  let first = 1; // g^m
  for (; tail >= first; first *= buckets) tail -= first;
  let sum = 0;
  let rest = answer;
  for (let vector = first + tail; vector > 0; vector = Math.floor(vector / buckets)) {
    sum = plus(sum, vector % buckets, rest % buckets);
    rest = Math.floor(rest / buckets);
  }
  return sum;
}

/** The bucket of an answer in a cohort, over any field. */
export const bucketIn = ({ order, add, multiply }: Field, cohort: number, answer: number): number =>
  bucketOf(order, cohort, answer, (sum, a, b) => add(sum, multiply(a, b)));
