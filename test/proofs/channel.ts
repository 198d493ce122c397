/**
 * Channels: for each input the exact distribution of reports, written down from the definition of each law and not from
 * the code that runs it. T is the modulus; reports are encoded here once more, by docs/format.md, section 2.
 */

import { type Distribution, hex } from './enumerate.ts';
import { add, divide, less, multiply, ONE, product, type Rational, rational, subtract, sum, ZERO } from './rational.ts';

/** 0 .. n - 1. */
export const range = (n: number): readonly number[] => Array.from({ length: n }, (_, i) => i);

/** Probabilities by key, those that are zero left out, those of one key added. */
export function distribution(entries: Iterable<readonly [string, Rational]>): Distribution {
  const found = new Map<string, Rational>();
  for (const [key, probability] of entries) {
    if (probability.numerator !== 0n) found.set(key, add(found.get(key) ?? ZERO, probability));
  }
  return found;
}

/** Through one channel, then through another. */
export const compose = (first: Distribution, second: (symbol: string) => Distribution): Distribution =>
  distribution([...first].flatMap(([symbol, p]) => [...second(symbol)].map(([report, q]) => [report, multiply(p, q)] as const)));

/** The largest ratio of the probabilities of one output, over all outputs and all ordered pairs of inputs. */
export function largestRatio(rows: readonly Distribution[]): Rational {
  let largest = ONE;
  for (const output of new Set(rows.flatMap((row) => [...row.keys()]))) {
    const column = rows.map((row) => row.get(output) ?? ZERO);
    const [low, high] = [column.reduce((a, b) => (less(a, b) ? a : b)), column.reduce((a, b) => (less(a, b) ? b : a))];
    const ratio = divide(high, low);
    if (less(largest, ratio)) largest = ratio;
  }
  return largest;
}

/** How many subsets of k an n-set has. */
export const choose = (n: number, k: number): bigint =>
  k < 0 || k > n ? 0n : range(k).reduce((ways, i) => (ways * BigInt(n - i)) / BigInt(i + 1), 1n);

/** All subsets of m of 0 .. n - 1. */
export const subsetsOf = (n: number, m: number): readonly (readonly number[])[] =>
  m === 0 ? [[]] : range(n).flatMap((last) => subsetsOf(last, m - 1).map((rest) => [...rest, last]));

/** The report that an index is. */
export const indexReport = (index: number, size: number): string => index.toString(16).padStart(size > 256 ? 4 : 2, '0');

/** The report that a set of bits is, behind a cohort where there are several. */
export function bitsReport(set: readonly number[], bits: number, cohort?: number): string {
  const bytes = range(Math.ceil(bits / 8)).map((byte) =>
    sum(set.filter((bit) => bit >> 3 === byte).map((bit) => rational(1 << (bit & 7)))),
  );
  const front = cohort === undefined ? [] : [cohort];
  return hex(Uint8Array.from([...front, ...bytes.map(({ numerator }) => Number(numerator))]));
}

/** The row of an answer in a k-ary response. */
export const kAryRow = (size: number, truth: number, T: number, answer: number): Distribution =>
  distribution(range(size).map((i) => [indexReport(i, size), i === answer ? rational(truth, T) : rational(T - truth, T * (size - 1))]));

/** The row of an answer in subset selection. */
export const subsetRow = (size: number, m: number, include: number, T: number, answer: number): Distribution =>
  distribution(
    subsetsOf(size, m).map((set) => [
      bitsReport(set, size),
      set.includes(answer)
        ? rational(BigInt(include), BigInt(T) * choose(size - 1, m - 1))
        : rational(BigInt(T - include), BigInt(T) * choose(size - 1, m)),
    ]),
  );

/** The row of a set of one-bits through independent bits: a one stays one with probability `one`, a zero becomes one with `zero`. */
export function bitsRow(bits: number, one: Rational, zero: Rational, set: readonly number[], cohort?: number): Distribution {
  const chance = (bit: number, report: readonly number[]): Rational => {
    const p = set.includes(bit) ? one : zero;
    return report.includes(bit) ? p : subtract(ONE, p);
  };
  const reports = range(bits + 1).flatMap((count) => subsetsOf(bits, count));
  return distribution(reports.map((report) => [bitsReport(report, bits, cohort), product(range(bits).map((bit) => chance(bit, report)))]));
}
