/**
 * Counts by day, published so that the sum over any range of days can be asked: a noisy histogram or a consistent tree of noisy sums,
 * whichever errs less. Hay, Rastogi, Miklau, Suciu 2010; Qardaji, Yang, Li 2013.
 *
 * A device-day changes the sums of its h blocks by up to Δ each, so geometric noise that is made for hΔ spends ε once, and h times the ρ of
 * one sum that is moved by Δ. All that follows is computed from noisy sums y, which spends nothing. With z = the sum of the y of all blocks around a day, the least-squares days are
 *   x = Σ_{j<h-1} (P_j z - P_(j+1) z) / L_j + P_(h-1) z / L_(h-1)
 * by the eigenspaces of the design. A range is estimated by the sum of its days, which has no bias.
 * Usefulness of the worst range: Chebyshev's inequality.
 */

import { type Ratio, ratio } from '@murmuration/shared';
import { geometric } from './geometric.ts';
import { assertBeta, assertWhole, type ReleaseMechanism } from './mechanism.ts';
import { geometricRho } from './zcdp.ts';

/** Published sums with noise, and their consequences. */
export interface RangeRelease {
  readonly design: RangeDesign;
  /** The noisy sum of each block, by level. */
  readonly sums: readonly (readonly number[])[];
  /** The consistent estimate of each day. */
  readonly days: readonly number[];
  /** The estimate of the sum over the days from .. to - 1, and its standard error. */
  readonly range: (from: number, to: number) => { readonly estimate: number; readonly standardError: number };
}

/** Averages over blocks of so many cells. */
function averaged(cells: readonly number[], size: number): readonly number[] {
  const means = Array.from({ length: cells.length / size }, (_, block) => {
    let sum = 0;
    for (let i = block * size; i < (block + 1) * size; i++) sum += cells[i] as number;
    return sum / size;
  });
  return cells.map((_, i) => means[Math.floor(i / size)] as number);
}

/** The least-squares days from noisy sums. */
export function consistentDays(design: RangeDesign, sums: readonly (readonly number[])[]): readonly number[] {
  const [sizes, values] = [blockSizes(design), eigenvalues(design)];
  const around = (sums[0] as readonly number[]).map((_, day) =>
    sums.reduce((total, level, j) => total + (level[Math.floor(day / (sizes[j] as number))] as number), 0),
  );
  const means = sizes.map((size) => averaged(around, size));
  return around
    .slice(0, design.days)
    .map((_, day) => means.reduce((sum, mean, j) => sum + ((mean[day] as number) - (means[j + 1]?.[day] ?? 0)) / (values[j] as number), 0));
}

/** The sums of the blocks of each level, days that are missing in the last ones being 0. */
function blockSums(design: RangeDesign, counts: readonly number[]): readonly (readonly number[])[] {
  const sizes = blockSizes(design);
  const widest = sizes.at(-1) as number;
  const padded = Math.ceil(counts.length / widest) * widest;
  return sizes.map((size) =>
    Array.from({ length: padded / size }, (_, block) =>
      counts.slice(block * size, (block + 1) * size).reduce((sum, count) => sum + count, 0),
    ),
  );
}

/** The parameters of a release of ranges. */
export interface RangeOptions {
  readonly days: number;
  readonly epsilon: Ratio;
  /** The most reports of one device-day. */
  readonly sensitivity: number;
  /** The design, if it is not to be chosen. */
  readonly design?: RangeDesign;
}

/** Quadratic work for the worst range stays below a second. */
const MOST_DAYS = 4096;

/**
 * Releases sums over ranges of days from the counts by day.
 *
 * @throws {RangeError} unless there are 1 to 4,096 days
 */
export function ranges(
  of: RangeOptions,
): ReleaseMechanism<readonly number[], RangeRelease> & { readonly design: RangeDesign; readonly variance: number } {
  const { days, epsilon, sensitivity } = of;
  assertWhole(days, 'ranges: days', 1, MOST_DAYS);
  const noiseOf = (levels: number) => geometric({ epsilon, sensitivity: sensitivity * levels });
  const design = of.design ?? bestDesign(days, (levels) => noiseOf(levels).variance);
  const noise = noiseOf(design.levels);
  const levels = BigInt(design.levels);
  const rho = geometricRho(ratio(epsilon.numerator, epsilon.denominator * levels * BigInt(sensitivity)), sensitivity);
  let worst: number | undefined;
  return {
    name: design.levels === 1 ? 'noisy histogram of days' : 'consistent tree of days',
    rho: ratio(rho.numerator * levels, rho.denominator),
    epsilon,
    sensitivity: noise.sensitivity,
    design,
    variance: noise.variance,
    release: (counts, random) => {
      assertWhole(counts.length, 'ranges: the number of days', days, days);
      const sums = blockSums(design, counts).map((level) => level.map((sum) => noise.release(sum, random)));
      const estimates = consistentDays(design, sums);
      return {
        design,
        sums,
        days: estimates,
        range: (from, to) => {
          assertWhole(from, 'ranges: the first day', 0, days - 1);
          assertWhole(to, 'ranges: the day after the last', from + 1, days);
          return {
            estimate: estimates.slice(from, to).reduce((sum, day) => sum + day, 0),
            standardError: Math.sqrt(noise.variance * rangeVariance(design, from, to)),
          };
        },
      };
    },
    accuracy: (beta) => {
      assertBeta(beta);
      worst ??= worstRangeVariance(design);
      return Math.sqrt((noise.variance * worst) / beta);
    },
  };
}

/*
 * How to publish counts by day so that sums over ranges of days err least: a noisy histogram, or a tree of b branches whose levels are made
 * consistent. Hay, Rastogi, Miklau, Suciu 2010, "Boosting the Accuracy of Differentially Private Histograms Through Consistency"; Qardaji,
 * Yang, Li 2013, "Understanding Hierarchical Methods for Differentially Private Histograms". The choice is by closed form.
 *
 * Level j = 0 .. h-1 parts the days into blocks of b^j days, the last ones padded with zeros. Every block's sum gets independent noise of
 * variance V. A device-day is in h blocks, so V is that of h sums. h = 1 is the noisy histogram.
 *
 * Variance. Let P_j average over blocks of level j. The least-squares estimate x minimizes Σ_blocks (sum - noisy sum)², and the matrix of
 * that problem is Σ_j b^j P_j. The images of P_j - P_(j+1) are its eigenspaces, with eigenvalue L_j = 1 + b + .. + b^j. So the sum over a
 * range with indicator w has the variance
 *   V (Σ_{j<h-1} (|P_j w|² - |P_(j+1) w|²) / L_j + |P_(h-1) w|² / L_(h-1)),   |P_j w|² = Σ_blocks overlap² / b^j
 * which is V Σ_j (1/L_j - 1/L_(j-1)) |P_j w|², with 0 for 1/L_(-1). Over all n(n+1)/2 ranges, the mean of overlap² with the days s .. s+m-1
 * is
 *   Σ_{x,y} (min(x,y) + 1)(n - max(x,y)) / (n(n+1)/2)
 * since that many ranges hold both days; the sum over x, y is a polynomial.
 */

/** A tree of levels, the lowest one the days themselves. One level is a histogram. */
export interface RangeDesign {
  readonly days: number;
  readonly branches: number;
  readonly levels: number;
}

/** b^j for each level: the days of a block. */
export const blockSizes = ({ branches, levels }: RangeDesign): readonly number[] =>
  Array.from({ length: levels }, (_, level) => branches ** level);

/** L_j for each level. */
const eigenvalues = (design: RangeDesign): readonly number[] => {
  let sum = 0;
  return blockSizes(design).map((size) => {
    sum += size;
    return sum;
  });
};

/** The weight of each |P_j w|² in the variance, in units of V: 1/L_j - 1/L_(j-1). */
const weightsOf = (design: RangeDesign): readonly number[] =>
  eigenvalues(design).map((value, j, values) => 1 / value - (j === 0 ? 0 : 1 / (values[j - 1] as number)));

/** |P_j w|² for blocks of that size. */
function normOf(size: number, from: number, to: number): number {
  const [first, last] = [Math.floor(from / size), Math.floor((to - 1) / size)];
  if (first === last) return (to - from) ** 2 / size;
  return (((first + 1) * size - from) ** 2 + (to - last * size) ** 2) / size + (last - first - 1) * size;
}

/** The variance of the sum over the days from .. to - 1, in units of V. */
export function rangeVariance(design: RangeDesign, from: number, to: number): number {
  const weights = weightsOf(design);
  return blockSizes(design).reduce((sum, size, j) => sum + (weights[j] as number) * normOf(size, from, to), 0);
}

/** Σ over x, y of (min + 1)(n - max), for the m days from s on. */
function pairsOf(n: number, s: number, m: number): number {
  const [before, after] = [s + 1, n - s];
  const least = ((m - 1) * m * (2 * m - 1)) / 6;
  return m * m * before * after + after * least - before * (m * m * (m - 1) - least) - ((m * (m - 1)) / 2) ** 2;
}

/** The mean variance over all ranges, in units of V. */
export function meanRangeVariance(design: RangeDesign): number {
  const n = design.days;
  const weights = weightsOf(design);
  return blockSizes(design).reduce((total, size, j) => {
    let sum = 0;
    for (let start = 0; start < n; start += size) sum += pairsOf(n, start, Math.min(size, n - start));
    return total + ((weights[j] as number) * sum) / size / ((n * (n + 1)) / 2);
  }, 0);
}

/** The largest variance of a range, in units of V. The loops are plain because there are millions of ranges. */
export function worstRangeVariance(design: RangeDesign): number {
  const [sizes, weights] = [blockSizes(design), weightsOf(design)];
  let worst = 0;
  for (let from = 0; from < design.days; from++) {
    for (let to = from + 1; to <= design.days; to++) {
      let variance = 0;
      for (let j = 0; j < sizes.length; j++) variance += (weights[j] as number) * normOf(sizes[j] as number, from, to);
      if (variance > worst) worst = variance;
    }
  }
  return worst;
}

/** Every tree of up to so many branches, the histogram first. A tree's highest block is the first that holds all days, or a smaller one. */
export function designsOf(days: number, mostBranches = 64): readonly RangeDesign[] {
  const trees: RangeDesign[] = [{ days, branches: 2, levels: 1 }];
  for (let branches = 2; branches <= Math.min(days, mostBranches); branches++) {
    for (let levels = 2; branches ** (levels - 2) < days; levels++) trees.push({ days, branches, levels });
  }
  return trees;
}

/** The design of the least mean variance over all ranges, if a block of so many levels has noise of variance V. */
export function bestDesign(days: number, varianceOf: (levels: number) => number): RangeDesign {
  const cost = (design: RangeDesign): number => meanRangeVariance(design) * varianceOf(design.levels);
  const [first, ...rest] = designsOf(days).map((design) => ({ design, cost: cost(design) }));
  return rest.reduce((best, each) => (each.cost < best.cost ? each : best), first as { design: RangeDesign; cost: number }).design;
}
