/**
 * How often a string that nobody has looks as if it were there. The hash puts its places into random cells of each cohort, so its score T =
 * Σ g over its distinct cells, with g the weighted residuals, has a known law given these residuals: skewed, because strings on no list make
 * some cells high. Its tail comes from the saddlepoint approximation (statistics/saddlepoint.ts), once for all candidates.
 *
 * In a cohort of k cells, h uniform places hit a given set of d distinct cells, and no others, in d! S(h, d) of k^h ways, with S the Stirling
 * numbers of the second kind. So with e_d the elementary symmetric polynomials,
 *   E exp(s Σ g) = k^-h Σ_d d! S(h, d) e_d(exp(s g_1), ..., exp(s g_k)),
 * and its derivatives in s follow by the same recurrence.
 */

import type { Cumulants } from '../../estimation/statistics/saddlepoint.ts';
import { normalTail } from '../../estimation/statistics/tails.ts';
import type { Field } from './cells.ts';

/** d! S(h, d), the number of ways to map h places onto d cells, for d = 0..h. */
function surjections(hashes: number): Float64Array {
  let row = Float64Array.of(1);
  for (let h = 1; h <= hashes; h++) {
    const next = new Float64Array(h + 1);
    for (let d = 1; d <= h; d++) next[d] = d * ((row[d] ?? 0) + (row[d - 1] as number));
    row = next;
  }
  return row;
}

/** Adds one cohort's K, K' and K'' at s, for one hash: most decodes spend a good part of their time here. */
function addSingle(g: Field, from: number, cells: number, s: number, into: [number, number, number]): void {
  let [top, sum, first, second] = [0, 0, 0, 0];
  for (let at = from; at < from + cells; at++) top = Math.max(top, s * (g[at] as number));
  for (let at = from; at < from + cells; at++) {
    const x = g[at] as number;
    const e = Math.exp(s * x - top);
    sum += e;
    first += e * x;
    second += e * (x * x);
  }
  const mean = first / sum;
  into[0] += Math.log(sum) + top - Math.log(cells);
  into[1] += mean;
  into[2] += second / sum - mean * mean;
}

/** Adds one cohort's K, K' and K'' at s. */
function addCohort(
  g: Field,
  from: number,
  cells: number,
  s: number,
  ways: Float64Array,
  into: [number, number, number],
  work: readonly [Float64Array, Float64Array, Float64Array],
): void {
  const hashes = ways.length - 1;
  const [value, slope, bend] = work;
  let top = 0;
  for (let at = from; at < from + cells; at++) top = Math.max(top, s * (g[at] as number));
  value.fill(0);
  slope.fill(0);
  bend.fill(0);
  value[0] = 1;
  for (let at = from; at < from + cells; at++) {
    const x = g[at] as number;
    const e = Math.exp(s * x - top);
    for (let d = Math.min(hashes, at - from + 1); d > 0; d--) {
      const v = value[d - 1] as number;
      const f = slope[d - 1] as number;
      value[d] = (value[d] as number) + e * v;
      slope[d] = (slope[d] as number) + e * (f + x * v);
      bend[d] = (bend[d] as number) + e * ((bend[d - 1] as number) + 2 * x * f + x * x * v);
    }
  }
  let [sum, first, second] = [0, 0, 0];
  for (let d = 1; d <= hashes; d++) {
    const scale = (ways[d] as number) * Math.exp((d - hashes) * top);
    sum += scale * (value[d] as number);
    first += scale * (slope[d] as number);
    second += scale * (bend[d] as number);
  }
  const mean = first / sum;
  into[0] += Math.log(sum) + hashes * (top - Math.log(cells));
  into[1] += mean;
  into[2] += second / sum - mean * mean;
}

/** K(s), K'(s) and K''(s) of T, over cohorts with a weight. */
export function cumulantsOf(g: Field, weights: Field, width: number, hashes: number): (s: number) => Cumulants {
  const ways = surjections(hashes);
  const work = [new Float64Array(hashes + 1), new Float64Array(hashes + 1), new Float64Array(hashes + 1)] as const;
  return (s) => {
    const into: [number, number, number] = [0, 0, 0];
    for (let from = 0; from < g.length; from += width) {
      if (weights[from] === 0) continue;
      if (hashes === 1) addSingle(g, from, width - 1, s, into);
      else addCohort(g, from, width - 1, s, ways, into, work);
    }
    return into;
  };
}

/** Scores and the normal variables that are exceeded as rarely. */
export interface NullLaw {
  readonly mean: number;
  readonly deviation: number;
  readonly scores: Float64Array;
  readonly normals: Float64Array;
}

/** Saddlepoints in units of T's own standard deviations. Near 0 the formula cancels; the curve is smooth there. */
const UPPER: readonly number[] = Array.from({ length: 25 }, (_, i) => 0.4 * 60 ** (i / 24));
export const FINELY: readonly number[] = [...UPPER.map((x) => -x).reverse(), ...UPPER];
/** Enough for a fit. */
export const ROUGHLY: readonly number[] = [-1, -0.4, 0.4, 0.8, 1.2, 1.7, 2.3, 3, 4, 5.5, 8, 13];

/** The curve from score to normal variable, by these saddlepoints. */
export function nullLaw(cumulantsAt: (s: number) => Cumulants, points: readonly number[]): NullLaw {
  const [, mean, variance] = cumulantsAt(0);
  if (!(variance > 0)) return { mean, deviation: 1, scores: Float64Array.of(mean - 1, mean + 1), normals: Float64Array.of(-1, 1) };
  const deviation = Math.sqrt(variance);
  const found: (readonly [number, number])[] = [];
  for (const point of points) {
    const s = point / deviation;
    const [value, slope, bend] = cumulantsAt(s);
    const w = Math.sign(s) * Math.sqrt(2 * Math.max(0, s * slope - value));
    const u = s * Math.sqrt(bend);
    // Past the end of its range T hardly moves, and doubles hold no difference.
    if (w === 0 || !(u / w > 1e-6)) continue;
    const normal = w + Math.log(u / w) / w;
    const last = found.at(-1);
    if (last === undefined || (slope > last[0] && normal > last[1])) found.push([slope, normal]);
  }
  if (found.length < 2)
    return { mean, deviation, scores: Float64Array.of(mean - deviation, mean + deviation), normals: Float64Array.of(-1, 1) };
  return {
    mean,
    deviation,
    scores: Float64Array.from(found, ([score]) => score),
    normals: Float64Array.from(found, ([, normal]) => normal),
  };
}

/** The y at x on a rising curve, straight between its points and beyond its ends. */
function along(xs: Float64Array, ys: Float64Array, x: number): number {
  let [low, high] = [0, xs.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((xs[middle] as number) <= x) low = middle;
    else high = middle;
  }
  const [x0, y0] = [xs[low] as number, ys[low] as number];
  return y0 + ((x - x0) * ((ys[high] as number) - y0)) / ((xs[high] as number) - x0);
}

/** The normal variable that is exceeded as rarely as this score. */
export const normalAt = ({ scores, normals }: NullLaw, score: number): number => along(scores, normals, score);

/** The score that is exceeded as rarely as this normal variable. */
export const scoreAt = ({ scores, normals }: NullLaw, normal: number): number => along(normals, scores, normal);

/** P(a string that nobody has scores more). */
export const tailAt = (law: NullLaw, score: number): number => normalTail(normalAt(law, score));
