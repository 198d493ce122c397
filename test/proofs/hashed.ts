/** Local hashing from its definition: vectors, inner products, and the rows of its channel. Reports as docs/format.md, section 2, has them. */

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

/** Products in GF(4) = {0, 1, x, x + 1}, where x² = x + 1; elements add bit by bit. */
const FOUR = [
  [0, 0, 0, 0],
  [0, 1, 2, 3],
  [0, 2, 3, 1],
  [0, 3, 1, 2],
] as const;

/** <s, answer> in GF(g), g a prime or 4. */
export const innerProduct = (s: readonly number[], answer: number, g: number): number =>
  digits(answer, g, s.length).reduce((sum, digit, i) => {
    const other = s[i] as number;
    return g === 4 ? sum ^ (FOUR[digit]?.[other] as number) : (sum + digit * other) % g;
  }, 0);

/** The report of a cohort and a bucket. */
type ReportOf = (cohorts: number, cohort: number, g: number, bucket: number) => string;

/** Of a string: two numbers. */
export const stringReport: ReportOf = (cohorts, cohort, g, bucket) =>
  `${cohorts > 1 ? indexReport(cohort, cohorts) : ''}${indexReport(bucket, g)}`;

/** Of a list: one number. */
export const bucketReport: ReportOf = (cohorts, cohort, g, bucket) => indexReport(cohort * g + bucket, cohorts * g);

/** The reports of a stored bucket, or of one of all cohorts: P(the bucket itself) = truth / T. */
export const bucketRow = (
  cohorts: number,
  drawn: readonly (readonly [cohort: number, bucket: number])[],
  g: number,
  truth: number,
  T: number,
  reportOf: ReportOf = bucketReport,
): Distribution =>
  distribution(
    drawn.flatMap(([cohort, own]) =>
      range(g).map((bucket) => [
        reportOf(cohorts, cohort, g, bucket),
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
