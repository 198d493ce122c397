/**
 * The least worst-case variance that any mechanism has for a mean or a count: number-bounds.py beside this file finds multipliers of a linear
 * program, and here each set of them is a proof, whatever found it.
 */

import { readFileSync } from 'node:fs';
import type { Scores } from '#collector/estimation/number.ts';
import { range } from './channel.ts';

/** A program's multipliers at places x >= 0 of [-1, 1], those at x and -x together: a and g even in x, b odd. */
export interface Row {
  /** Of a count; null of a mean. */
  readonly max: number | null;
  readonly epsilon: number;
  readonly places: readonly number[];
  readonly a: readonly number[];
  readonly b: readonly number[];
  readonly g: readonly number[];
}

/** The committed multipliers. */
export const rows = JSON.parse(readFileSync(new URL('number-bounds.json', import.meta.url), 'utf8')) as readonly Row[];

/** The line or parabola a + b y + g y² of a place. */
type Term = readonly [x: number, a: number, b: number, g: number];

/** All places, the multipliers scaled so that those of the variances add up to -1. */
function termsOf({ places, a, b, g }: Row): readonly Term[] {
  const terms = places.flatMap((x, i): Term[] => {
    const [even, odd, square] = [a[i] as number, b[i] as number, Math.min(0, g[i] as number)];
    return x === 0
      ? [[x, even, 0, square]]
      : [
          [x, even, odd, square],
          [-x, even, -odd, square],
        ];
  });
  const scale = -terms.reduce((sum, [, , , square]) => sum + square, 0);
  return terms.map(([x, ...rest]) => [x, ...rest.map((value) => value / scale)] as unknown as Term);
}

/** Where a term changes its sign. */
function rootsOf([, a, b, g]: Term): readonly number[] {
  if (g === 0) return b === 0 ? [] : [-a / b];
  const square = b * b - 4 * a * g;
  return square < 0 ? [] : [-1, 1].map((sign) => (-b + sign * Math.sqrt(square)) / (2 * g));
}

/**
 * The largest of sum M(x) (a + b y + g y²) over all scores y and all columns M of 1 and e^ε: between two changes of a sign the best column
 * is one and the same, and its parabola opens downwards.
 */
function largestColumn(terms: readonly Term[], epsilon: number): number {
  const far = 1e6;
  const ends = [-far, ...terms.flatMap(rootsOf).filter((root) => Math.abs(root) < far), far].sort((one, other) => one - other);
  const largest = ends.slice(1).map((end, i) => {
    const start = ends[i] as number;
    const y = (start + end) / 2;
    const [a, b, g] = [1, 2, 3].map((k) =>
      terms.reduce((sum, term) => sum + (term[k] as number) * (term[1] + term[2] * y + term[3] * y * y > 0 ? Math.exp(epsilon) : 1), 0),
    ) as [number, number, number];
    const top = g < 0 ? Math.min(end, Math.max(start, -b / (2 * g))) : start;
    return Math.max(...[start, top, end].map((at) => a + b * at + g * at * at));
  });
  return Math.max(...largest);
}

/**
 * A variance that no unbiased estimate from one report at ε stays below at all places. Weights of columns add up to at most 1, as
 * those of a row with entries of at least 1 add up to 1.
 */
export function boundOf(row: Row): number {
  const terms = termsOf(row);
  const value = terms.reduce((sum, [x, a, b, g]) => sum + a + b * x + g * x * x, 0);
  return value - Math.max(0, largestColumn(terms, row.epsilon));
}

/** The largest variance of these scores on [-1, 1]: over all numbers of the range, or over all counts. */
export function worstOf({ max }: Row, { worst, varianceAt }: Scores): number {
  return 4 * (max === null ? worst : Math.max(...range(max + 1).map((count) => varianceAt(count / max))));
}
