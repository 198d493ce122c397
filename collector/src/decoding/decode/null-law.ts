/**
 * How often a string that nobody has looks as if it were there. The hash puts its places into random cells of each cohort, so its score T =
 * Σ g over its distinct cells, with g the weighted residuals, has a known law given these residuals: skewed, because strings on no list make
 * some cells high. Fits use its tail by the saddlepoint approximation (statistics/saddlepoint.ts), tests the exact one, once for all
 * candidates.
 *
 * In a cohort of k cells, h uniform places hit a given set of d distinct cells, and no others, in d! S(h, d) of k^h ways, with S the Stirling
 * numbers of the second kind. So with e_d the elementary symmetric polynomials,
 *   E exp(s Σ g) = k^-h Σ_d d! S(h, d) e_d(exp(s g_1), ..., exp(s g_k)),
 * and its derivatives in s follow by the same recurrence.
 */

import type { Cumulants } from '../../estimation/statistics/saddlepoint.ts';
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
const POINTS: readonly number[] = [-1, -0.4, 0.4, 0.8, 1.2, 1.7, 2.3, 3, 4, 5.5, 8, 13];

/** The curve from score to normal variable. */
export function nullLaw(cumulantsAt: (s: number) => Cumulants): NullLaw {
  const [, mean, variance] = cumulantsAt(0);
  if (!(variance > 0)) return { mean, deviation: 1, scores: Float64Array.of(mean - 1, mean + 1), normals: Float64Array.of(-1, 1) };
  const deviation = Math.sqrt(variance);
  const found: (readonly [number, number])[] = [];
  for (const point of POINTS) {
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

/*
 * The exact tail. A few reports leave few cells with a count. Then a score is a sum of one or two large terms, whose tail neither a normal law
 * nor a saddlepoint has. The law of each cohort's part is put on a lattice, and the parts are convolved. No term is negative, so small tails
 * have as many digits as large ones. Rounding to the lattice keeps the mean of each cohort, and the lattice is scaled to keep the variance of T.
 * A score is looked up half a step below itself, the most by which one large term is rounded. So where scores have probabilities of their own,
 * a p-value holds all of that of the score itself.
 */

/** Steps of the lattice in a standard deviation of T. The more cohorts and hashes, the fewer steps: the time is then about the same. */
const stepsFor = (cohorts: number, hashes: number): number => 1_100 / cohorts ** 0.25 / hashes;
/** Probabilities above the window are rarer than any p-value that decides. So much below it is counted at its lower end, for each cohort. */
const [RAREST, LEFT_OUT] = [1e-20, 1e-14];

/** ln P(T >= t), at t = `origin` + i `step`. */
export interface ExactLaw {
  readonly origin: number;
  readonly step: number;
  readonly logTails: Float64Array;
}

/** e_d of x^q over the cells' places q, as polynomials in x, for d = 0..h, from how many cells lie at each place. */
function elementary(counts: Float64Array, hashes: number): readonly Float64Array[] {
  const most = counts.length - 1;
  const found = Array.from({ length: hashes + 1 }, (_, d) => new Float64Array(d * most + 1));
  (found[0] as Float64Array)[0] = 1;
  for (let q = 0; q <= most; q++) {
    for (let d = hashes; d > 0; d--) {
      let ways = 1;
      for (let taken = 1; taken <= d; taken++) {
        ways *= ((counts[q] as number) - taken + 1) / taken;
        if (ways <= 0) break;
        const [rest, into] = [found[d - taken] as Float64Array, found[d] as Float64Array];
        for (let i = 0; i < rest.length && i + taken * q < into.length; i++)
          into[i + taken * q] = (into[i + taken * q] as number) + ways * (rest[i] as number);
      }
    }
  }
  return found;
}

/** The law of a cohort's part of T, from some place of the lattice on. */
function cohortLaw(g: Field, step: number, ways: Float64Array): Float64Array {
  const [hashes, cells] = [ways.length - 1, g.length];
  let [least, most] = [0, 0];
  for (let j = 0; j < cells; j++) {
    const q = Math.round((g[j] as number) / step);
    least = Math.min(least, q);
    most = Math.max(most, q);
  }
  const counts = new Float64Array(most - least + 1);
  for (let j = 0; j < cells; j++) {
    const at = Math.round((g[j] as number) / step) - least;
    counts[at] = (counts[at] as number) + 1;
  }
  const chances = new Float64Array(hashes * (most - least) + 1);
  for (const [d, sums] of elementary(counts, hashes).entries()) {
    const scale = (ways[d] as number) / cells ** hashes;
    const from = (d - hashes) * least;
    if (scale > 0) for (let i = 0; i < sums.length; i++) chances[from + i] = (chances[from + i] as number) + scale * (sums[i] as number);
  }
  return chances;
}

/** The law of two independent numbers' sum. */
function convolved(law: Float64Array, other: Float64Array): Float64Array {
  const found = new Float64Array(law.length + other.length - 1);
  for (let q = 0; q < other.length; q++) {
    const chance = other[q] as number;
    if (chance > 0) for (let i = 0; i < law.length; i++) found[i + q] = (found[i + q] as number) + chance * (law[i] as number);
  }
  return found;
}

const momentsOf = (law: Float64Array): readonly [mean: number, variance: number] => {
  const mean = law.reduce((sum, chance, i) => sum + chance * i, 0);
  return [mean, law.reduce((sum, chance, i) => sum + chance * (i - mean) ** 2, 0)];
};

/** The law of T, over cohorts with a weight. */
export function exactLaw(g: Field, weights: Field, width: number, hashes: number): ExactLaw {
  const [, mean, variance] = cumulantsOf(g, weights, width, hashes)(0);
  const ways = surjections(hashes);
  let cohorts = 0;
  for (let start = 0; start < g.length; start += width) cohorts += Number(weights[start] !== 0);
  const step = variance > 0 ? Math.sqrt(variance) / stepsFor(cohorts, hashes) : 1;
  let law: Float64Array = Float64Array.of(1);
  let [middle, spread] = [0, 0];
  for (let start = 0; start < g.length; start += width) {
    if (weights[start] === 0) continue;
    const chances = cohortLaw(g.subarray(start, start + width - 1), step, ways);
    const [own, square] = momentsOf(chances);
    middle += own;
    spread += square;
    const next = convolved(law, chances);
    let [low, high, left] = [0, next.length, 0];
    while ((next[high - 1] as number) < RAREST) high--;
    while (left + (next[low] as number) < LEFT_OUT) left += next[low++] as number;
    next[low] = (next[low] as number) + left;
    middle -= low;
    law = next.subarray(low, high);
  }
  const fine = step * (spread > 0 ? Math.min(1, Math.sqrt(variance / spread) / step) : 1);
  const logTails = new Float64Array(law.length);
  let tail = 0;
  for (let i = law.length - 1; i >= 0; i--) {
    tail += law[i] as number;
    logTails[i] = Math.log(Math.min(1, tail));
  }
  return { origin: mean - middle * fine, step: fine, logTails };
}

/** In steps, how far a score may lie from its place. */
const ROUNDED = 0.5;

/** The fall of the logarithm in a step beyond the window: at least that on average within it. */
const fallOf = (logTails: Float64Array): number => Math.max(1e-3, -(logTails.at(-1) as number) / logTails.length);

/** ln P(a string that nobody has scores at least as much). */
export function logTailAt({ origin, step, logTails }: ExactLaw, score: number): number {
  const place = (score - origin) / step - ROUNDED;
  const last = logTails.length - 1;
  if (place <= 0) return 0;
  if (place >= last) return (logTails[last] as number) - (place - last) * fallOf(logTails);
  const row = Math.floor(place);
  const [here, next] = [logTails[row] as number, logTails[row + 1] as number];
  return here + (place - row) * (next - here);
}

/** The least score with such a tail. */
export function scoreOf({ origin, step, logTails }: ExactLaw, logTail: number): number {
  const last = logTails.length - 1;
  const end = logTails[last] as number;
  if (logTail < end || last === 0) return origin + (last + ROUNDED + (end - logTail) / fallOf(logTails)) * step;
  let [low, high] = [0, last];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((logTails[middle] as number) > logTail) low = middle;
    else high = middle;
  }
  const [here, next] = [logTails[low] as number, logTails[high] as number];
  const part = here > next ? Math.min(1, Math.max(0, (here - logTail) / (here - next))) : 0;
  return origin + (low + ROUNDED + part) * step;
}
