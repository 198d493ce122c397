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
 * B minimizes the range variance: the mean variance over all ranges, for evenly distributed numbers. At level l the components of a range's
 * weights (collector/src/estimators/hierarchical.ts) have a variance over cells of v_l = (U_{l-1} - U_l) / 6 on average over ranges, where
 * U_l is the part left inside the nodes of widths w (as fractions of the range):
 *   U_l = Σ_w (2 w² - w³),  U_{-1} = 1
 * because the two ends of a range fall either into different nodes or both into one, and within a node the variance of a fraction a is a (1
 * - a). The law of the k nodes of level l has mean variance V_l, and by symmetry V_l k² / (k-1) v_l for such weights. One device in h
 * reports on a level, and this draw adds variance too, so the range variance is
 *   Σ_l (h (V_l k_l² / (k_l - 1) + 1) - 1) v_l
 * For large ε few levels are best. With a single level the range variance is that of the list of all cells.
 */

import { coded } from './codec.ts';
import { type KAryLaw, kAry } from './k-ary.ts';
import { assertWhole, type Channel, type DistributionChannel } from './law.ts';
import { listLaw, listSubset } from './list.ts';
import { MOST_CELLS } from './square-wave.ts';
import { type SubsetLaw, subset } from './subset.ts';

declare const process: { readonly env: { readonly NODE_ENV?: string } };

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

/** Six times the range variance, from the real ε, before the laws are rounded to integers. */
function rangeVariance(size: number, epsilon: number, branching: number): number {
  const within = (cells: number): number => (2 - cells / size) * (cells / size) * (cells / size);
  const height = heightOf(size, branching);
  let [variance, left] = [0, 1];
  for (let level = 0; level < height; level++) {
    const width = branching ** (height - 1 - level);
    const nodes = Math.ceil(size / width);
    const inside = (nodes - 1) * within(width) + within(size - (nodes - 1) * width);
    variance += (height * ((listSubset(nodes, epsilon)[1] * nodes * nodes) / (nodes - 1) + 1) - 1) * (left - inside);
    left = inside;
  }
  return variance;
}

/**
 * The branching with the least range variance among the least branchings for 1, 2, 3 ... levels. On a tie, the one with the fewest levels.
 */
export function bestBranching(size: number, epsilon: number): number {
  let [best, least, branching] = [size, Number.POSITIVE_INFINITY, size];
  for (let height = 1; branching > 2 || height === 1; height++) {
    branching = 2;
    while (branching ** height < size) branching++;
    const variance = rangeVariance(size, epsilon, branching);
    if (variance < least) [best, least] = [branching, variance];
  }
  return best;
}

/**
 * The law over `size` cells whose ε is at most the requested one.
 *
 * @throws {RangeError} when 32 bits can't hold it to within 10 %, or there are not 2 to 256 cells, or no such branching
 */
export function hierarchicalLaw(size: number, epsilon: number, named?: number): HierarchicalLaw {
  // No ε depends on these checks, so a production bundle drops them, like the schema checks in checks.ts.
  if (process.env.NODE_ENV !== 'production') {
    assertWhole(size, 2, MOST_CELLS, 'hierarchical: cells');
    assertWhole(named ?? 2, 2, MOST_CELLS, 'hierarchical: branching');
  }
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
