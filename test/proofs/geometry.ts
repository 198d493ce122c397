/**
 * Vectors and points over small finite fields, by polynomials of their own: not the tables of the code that runs. GF(p^e) is
 * taken modulo the irreducible polynomial whose x generates the field and whose x^e, as a number in base p, is the least.
 */

import { distribution, indexReport, range } from './channel.ts';
import type { Distribution } from './enumerate.ts';
import { rational } from './rational.ts';

/** For each power of a prime that is no prime: p, e and the coefficients of x^e, the lowest first. */
const REDUCTIONS: { readonly [order: number]: readonly [prime: number, reduced: readonly number[]] } = {
  4: [2, [1, 1]],
  8: [2, [1, 1, 0]],
  9: [3, [1, 1]],
  16: [2, [1, 1, 0, 0]],
};

/** The product of two elements. */
function product(order: number, a: number, b: number): number {
  const [p, reduced] = REDUCTIONS[order] ?? [order, [0]];
  const e = reduced.length;
  const digits = (x: number): number[] => range(e).map((i) => Math.floor(x / p ** i) % p);
  const long = Array.from({ length: 2 * e - 1 }, () => 0);
  digits(a).forEach((x, i) => {
    digits(b).forEach((y, j) => {
      long[i + j] = (long[i + j] as number) + x * y;
    });
  });
  for (let at = 2 * e - 2; at >= e; at--) {
    reduced.forEach((coefficient, i) => {
      long[at - e + i] = (long[at - e + i] as number) + coefficient * (long[at] as number);
    });
  }
  return range(e).reduce((sum, i) => sum + ((long[i] as number) % p) * p ** i, 0);
}

/** The sum of two elements. */
function sumOf(order: number, a: number, b: number): number {
  const [p, reduced] = REDUCTIONS[order] ?? [order, [0]];
  return reduced.reduce((sum, _, i) => sum + (((Math.floor(a / p ** i) % p) + (Math.floor(b / p ** i) % p)) % p) * p ** i, 0);
}

/** All vectors, the first coordinate the slowest. */
export const vectorsOf = (order: number, dimension: number): readonly (readonly number[])[] =>
  dimension === 0 ? [[]] : vectorsOf(order, dimension - 1).flatMap((vector) => range(order).map((last) => [...vector, last]));

/** Those whose first coordinate that is not 0 is 1. */
export const pointsOf = (order: number, dimension: number): readonly (readonly number[])[] =>
  vectorsOf(order, dimension).filter((vector) => vector.find((coordinate) => coordinate !== 0) === 1);

/** u_1 v_1 + u_2 v_2 + .. */
const innerProduct = (order: number, u: readonly number[], v: readonly number[]): number =>
  u.reduce((sum, coordinate, i) => sumOf(order, sum, product(order, coordinate, v[i] as number)), 0);

/** Whether u_1 v_t + u_2 v_(t-1) + .. is 0. */
export const isOrthogonal = (order: number, u: readonly number[], v: readonly number[]): boolean =>
  innerProduct(order, u, v.toReversed()) === 0;

/** The row of an answer by the outputs in its set: with probability inside/T a uniform one of them, else a uniform one of the rest. */
export function setRow(isInSet: readonly boolean[], inside: number, T: number): Distribution {
  const count = isInSet.filter(Boolean).length;
  return distribution(
    isInSet.map((isIn, output) => [
      indexReport(output, isInSet.length),
      isIn ? rational(inside, T * count) : rational(T - inside, T * (isInSet.length - count)),
    ]),
  );
}

/** The bucket of an answer in each cohort: its vector's inner product with each point, of the fewest coordinates that tell answers apart. */
export function bucketsOf(order: number, size: number, answer: number): readonly number[] {
  let dimension = 1;
  while (order ** dimension < size) dimension++;
  return pointsOf(order, dimension).map((s) => innerProduct(order, s, vectorsOf(order, dimension)[answer] as readonly number[]));
}
