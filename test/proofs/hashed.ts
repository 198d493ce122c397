/** Local hashing from its definition: vectors, inner products, and the rows of its channel. Reports as docs/format.md, section 5, has them. */

import { distribution, indexReport, range } from './channel.ts';
import type { Distribution } from './enumerate.ts';
import { rational } from './rational.ts';

/** The least k with g^k >= size. */
export const dimension = (size: number, g: number): number => {
  let k = 1;
  while (g ** k < size) k++;
  return k;
};

/** The digits of n in base g, least first. */
const digits = (n: number, g: number, k: number): readonly number[] => range(k).map((i) => Math.floor(n / g ** i) % g);

/** The non-zero vectors of GF(g)^k whose most significant non-zero digit is 1, in the order of the numbers that they spell. */
export const cohortVectors = (size: number, g: number): readonly (readonly number[])[] => {
  const k = dimension(size, g);
  return range(g ** k)
    .map((n) => digits(n, g, k))
    .filter((s) => s.findLast((digit) => digit !== 0) === 1);
};

/** <s, answer> mod g. */
export const innerProduct = (s: readonly number[], answer: number, g: number): number =>
  digits(answer, g, s.length).reduce((sum, digit, i) => sum + digit * (s[i] as number), 0) % g;

/** The report of a cohort and a bucket. */
export const bucketReport = (cohorts: number, cohort: number, g: number, bucket: number): string =>
  `${cohorts > 1 ? indexReport(cohort, cohorts) : ''}${indexReport(bucket, g)}`;

/** The reports of a stored bucket, or of one of all cohorts: P(the bucket itself) = truth / T. */
export const bucketRow = (
  cohorts: number,
  drawn: readonly (readonly [cohort: number, bucket: number])[],
  g: number,
  truth: number,
  T: number,
): Distribution =>
  distribution(
    drawn.flatMap(([cohort, own]) =>
      range(g).map((bucket) => [
        bucketReport(cohorts, cohort, g, bucket),
        bucket === own ? rational(truth, T * drawn.length) : rational(T - truth, T * (g - 1) * drawn.length),
      ]),
    ),
  );

/** The row of an answer. */
export function localHashingRow(size: number, g: number, truth: number, T: number, answer: number): Distribution {
  const cohorts = g === size ? [[1]] : cohortVectors(size, g);
  return bucketRow(
    cohorts.length,
    cohorts.map((s, cohort) => [cohort, g === size ? answer : innerProduct(s, answer, g)]),
    g,
    truth,
    T,
  );
}
