/**
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
export const eigenvalues = (design: RangeDesign): readonly number[] => {
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
