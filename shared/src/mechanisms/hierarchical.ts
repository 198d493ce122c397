/**
 * Hierarchical intervals (HIO; HH, hierarchical histograms): Wang, Ding, Zhou, Hong, Huang, Li, Jha 2019, "Answering Multi-Dimensional
 * Analytical Queries under Local Differential Privacy", §4.2; with the branching of Cormode, Kulkarni, Srivastava 2019, "Answering Range
 * Queries Under Local Differential Privacy", §4.4.
 *
 * Law (d cells of a number's range, B branches, h levels, h the least with B^h >= d): level l divides the cells into nodes of B^(h-1-l)
 * cells; the last node may have fewer. A device draws a level uniformly, independently of its number, and reports which node of that level
 * holds its cell. It uses the law that chooser 1 gives to a list of that level's nodes, with the whole ε. A report is the level and a bit
 * for each cell. The nodes that the randomized answer names are ones (k-ary response names one), so
 *   e^ε = max over levels of the e^ε of the level's law
 * The share of a range is a sum of at most 2 (B - 1) nodes per level, instead of a sum of up to d cells, so its error grows only with the
 * logarithm of d.
 *
 * B is the least within a tenth of the least range variance: the mean variance over all ranges between two of the d + 1 edges, for evenly distributed numbers. It is
 * exact up to the rounding of levels' laws to integers (test/proofs/distribution-law.test.ts). At level l the components t of a range's
 * weights (collector/src/estimation/mechanisms/hierarchical.ts) have a mean square over cells of v_l = U_{l-1} - U_l on average over ranges, with U_l
 * the variance of weights inside the nodes of that level, which is for each node of n cells
 *   (n² - 1) (2d + 2 - n) / (6 d² (d + 1)),  and U_{-1} the same for one node of all d cells
 * because an end of a range splits a node into c and n - c cells, a part n/d of all, with a variance of c (n - c) / n². The law of level l
 * names m of its k nodes, so the covariances of a node's support with all supports add up to 0, and for nodes of equal width the mean over
 * devices of a report's variance is V_l k² / (k-1) v_l, with V_l the mean variance of k answers. Of unequal nodes only the last one has
 * fewer than its w cells. With x = k - d/w the part that it lacks, and T the mean over ranges of t², t its own component, it is
 *   V_l k² / (k-1) (v_l + T x² / k²) + β x (T (1 - 2x/k) - v_l),  β = [q(1-q) (k-1) - p(1-p) / (k-1)] / [(k-2) (p-q)²]
 * Here T = 2 [(d+1) Σ t_e² - (Σ t_e)²] / (d (d+1)), with t_e the component for the last e cells: min(1, e/n) - min(1, e/N), where the last
 * node has n cells and its parent N. One device in h reports on a level, and this draw adds variance too, so the range variance is
 *   Σ_l h (level l's variance + v_l) - v_l
 * For large ε few levels are best. With a single level the range variance is that of the list of all cells.
 */

import { coded } from './codec.ts';
import { type KAryLaw, kAry } from './k-ary.ts';
import { assertWhole, type Channel, type DistributionChannel } from './law.ts';
import { listLaw, listSubset } from './list.ts';
import { MOST_CELLS } from './square-wave.ts';
import { type SubsetLaw, subset, subsetIdeal } from './subset.ts';

/** The law of a level is the law of a list of its nodes. */
export type LevelLaw = KAryLaw | SubsetLaw;

/** The integers of hierarchical intervals. */
export type HierarchicalLaw = {
  readonly mechanism: 'hierarchical';
  /** d, the number of cells, which are the nodes of the last level. */
  readonly size: number;
  /** B, the number of nodes of a level that make up one node of the level above. */
  readonly branching: number;
  /** Ordered from the fewest nodes to the most. */
  readonly levels: readonly LevelLaw[];
};

/** The number of levels. */
function heightOf(size: number, branching: number): number {
  let height = 1;
  while (branching ** height < size) height++;
  return height;
}

/** The number of cells in a node of a level. */
export const widthOf = ({ branching, levels }: Pick<HierarchicalLaw, 'branching' | 'levels'>, level: number): number =>
  branching ** (levels.length - 1 - level);

/** 6 d² (d + 1) times the range variance, from the real ε, before the laws are rounded to integers. */
function rangeVariance(size: number, epsilon: number, branching: number): number {
  const within = (cells: number): number => (cells * cells - 1) * (2 * size + 2 - cells);
  const height = heightOf(size, branching);
  let [variance, left, parent] = [0, within(size), size];
  for (let level = 0; level < height; level++) {
    const width = branching ** (height - 1 - level);
    const nodes = Math.ceil(size / width);
    const last = size - (nodes - 1) * width;
    const inside = (nodes - 1) * within(width) + within(last);
    const own = left - inside;
    let [sum, squares] = [0, 0];
    for (let edge = 1; edge < parent; edge++) {
      const component = Math.min(1, edge / last) - edge / parent;
      sum += component;
      squares += component * component;
    }
    const ofLast = 12 * size * ((size + 1) * squares - sum * sum);
    const lacks = nodes - size / width;
    const [subset, mean] = listSubset(nodes, epsilon);
    const { p, q } = subsetIdeal(nodes, subset, epsilon);
    // Two nodes have no others: `own` and `ofLast` then cancel.
    const others = (q * (1 - q) * (nodes - 1) - (p * (1 - p)) / (nodes - 1)) / (Math.max(1, nodes - 2) * (p - q) * (p - q));
    const even = (mean * (nodes * nodes * own + ofLast * lacks * lacks)) / (nodes - 1);
    variance += height * (even + others * lacks * (ofLast * (1 - (2 * lacks) / nodes) - own) + own) - own;
    [left, parent] = [inside, last];
  }
  return variance;
}

/** The allowed ratio to the least range variance: 5 % of an error. */
const NEAR = 1.1;

/**
 * The least branching whose range variance is within a tenth of the least. Of branchings that are about as good for ranges, the one with the
 * most levels is better for the smoothed shape (collector/src/estimation/density.ts): more devices answer coarsely, where the shape's
 * error is made.
 */
export function bestBranching(size: number, epsilon: number): number {
  const variances = Array.from({ length: size - 1 }, (_, i) => rangeVariance(size, epsilon, i + 2));
  const most = NEAR * variances.reduce((a, b) => Math.min(a, b));
  // An ε that no law has makes variances that are no numbers. Its levels are refused then.
  return 2 + variances.findIndex((variance) => !(variance > most));
}

/**
 * The law over `size` cells whose ε is at most the requested one.
 *
 * @throws {RangeError} when 32 bits can't hold it to within 10 %, or there are not 2 to 256 cells, or no such branching
 */
export function hierarchicalLaw(size: number, epsilon: number, named?: number): HierarchicalLaw {
  // In production bundles too: one branch, or more cells, would keep a page busy for ever.
  assertWhole(size, 2, MOST_CELLS, 'hierarchical: cells');
  assertWhole(named ?? 2, 2, MOST_CELLS, 'hierarchical: branching');
  const branching = named ?? bestBranching(size, epsilon);
  const height = heightOf(size, branching);
  const levels = Array.from({ length: height }, (_, level) => listLaw(Math.ceil(size / branching ** (height - 1 - level)), epsilon));
  return { mechanism: 'hierarchical', size, branching, levels };
}

/** The channel of a level's law. */
const channelOf = (law: LevelLaw): Channel<LevelLaw> => (law.mechanism === 'k-ary' ? kAry : subset) as Channel<LevelLaw>;

export const hierarchical: DistributionChannel<HierarchicalLaw> = /* @__PURE__ */ coded<HierarchicalLaw>({
  name: 'hierarchical',
  tells: 'distribution',
  meaning: 'Hierarchical intervals: a device draws how finely it answers, and sends, randomized, which part of the range holds its number.',
  validate: (law) => {
    const { size, branching, levels } = law;
    assertWhole(size, 2, MOST_CELLS, 'hierarchical: size');
    assertWhole(branching, 2, MOST_CELLS, 'hierarchical: branching');
    const height = heightOf(size, branching);
    assertWhole(Array.isArray(levels) ? levels.length : undefined, height, height, 'hierarchical: levels');
    levels.forEach((level, i) => {
      if (!['k-ary', 'subset'].includes(level?.mechanism) || (level as KAryLaw).irr !== undefined) {
        throw new RangeError(`hierarchical: levels[${i}]: expected k-ary or subset, got ${JSON.stringify(level)}`);
      }
      channelOf(level).validate(level);
      const nodes = Math.ceil(size / widthOf(law, i));
      assertWhole(level.size, nodes, nodes, `hierarchical: levels[${i}].size`);
    });
  },
  odds: ({ levels }) => {
    const all = levels.map((level) => channelOf(level).odds(level).report);
    const larger = (a: (typeof all)[number], b: (typeof all)[number]): (typeof all)[number] =>
      a.numerator * b.denominator < b.numerator * a.denominator ? b : a;
    return { report: all.reduce(larger) };
  },
  cells: ({ size }) => size,
  shape: ({ size, levels }) => ({
    cohorts: levels.length,
    cells: size,
    form: 'bits',
    limits: levels.map((level) => ({ cells: level.size, ones: level.mechanism === 'subset' ? level.subset : 1 })),
  }),
});
