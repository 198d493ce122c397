/**
 * The unbiased estimates of hierarchical intervals (HIO, HH); the law is in shared/src/mechanisms/hierarchical.ts.
 *
 * The weights of cells are split over the levels. A node's part is the mean weight of its cells minus that of its parent's cells, so the
 * parts t_l(x) of the nodes above a cell add up to its weight. (For the indicator of a range, nothing remains below nodes that lie inside
 * or outside of the range: Hay et al. 2010, §4.1, with fewer nodes.) The mean of t_l is estimated without bias from the n_l devices that
 * drew level l. The mean weight is the sum over levels.
 *
 * Given a device's node x, consider a level's report with weights w and W = Σ w. Let r_u be the covariance of the supports of two nodes of
 * which one is x, and r_uv that of two nodes of which neither is. The report's variance is
 *   [p(1-p) w_x² + q(1-q) (Σ w² - w_x²) + 2 r_u w_x (W - w_x) + r_uv ((W - w_x)² - (Σ w² - w_x²))] / (p - q)²
 * The random choice of levels adds to that: n_l of n devices draw level l, so with S² the variance over all devices, it adds Σ_l S²(t_l) /
 * n_l - S²(weight) / n, as for draws without replacement. A population's mean weight varies by S²(weight) / m more, with m the people who
 * were drawn from it (estimate.ts).
 *
 * The shares used in all of these are the consistent ones. For S², z² additional devices are counted, half at the largest and half at the
 * smallest weight (Agresti and Coull 1998), for rare nodes that no report has shown yet. They are counted beside the devices of a level,
 * which are at most m where devices report several times. There S²(weight) (1/m - 1/n) is positive, and has them too.
 *
 * The reports of the last level alone tell a cell's share by one binomial count, which has exact tests. The other levels add little to a
 * single cell: their parts of its weight are 1/width of a node and less.
 */

import { type HierarchicalLaw, hierarchicalLaw, type LevelLaw, mechanismOf, widthOf } from '@murmuration/shared';
import { densityOf, type Sight } from '../density.ts';
import { cautious, type Distribution } from '../distribution.ts';
import { THESE } from '../estimate.ts';
import type { DistributionEstimation } from '../estimation.ts';
import { cellsBy } from '../parts.ts';
import { consistentShares } from '../shrunk.ts';
import type { Tallies } from '../tally.ts';
import { reportsIn } from '../tally.ts';
import type { Bounds } from '../watch/bounds.ts';
import { ends, type Leverage } from '../watch/bounds.ts';
import { bySquares } from '../watch/fit.ts';
import { levelPairs, levelsFit } from '../watch/levels.ts';

/** The mean over the cells of each node of a level. */
const nodeMeans = (law: HierarchicalLaw, level: number, weights: ArrayLike<number>): readonly number[] => {
  const width = widthOf(law, level);
  return Array.from({ length: Math.ceil(weights.length / width) }, (_, node) => {
    const cells = Math.min(width, weights.length - node * width);
    let sum = 0;
    for (let i = 0; i < cells; i++) sum += weights[node * width + i] as number;
    return sum / cells;
  });
};

/** The part that each node of each level adds to a mean weight, and the mean over all cells, which every device adds. */
export function partsOf(
  law: HierarchicalLaw,
  weights: ArrayLike<number>,
): { readonly all: number; readonly parts: readonly (readonly number[])[] } {
  const means = law.levels.map((_, level) => nodeMeans(law, level, weights));
  const all = Array.from(weights).reduce((sum, weight) => sum + weight, 0) / weights.length;
  const above = (level: number, node: number): number =>
    level === 0 ? all : (means[level - 1]?.[Math.floor(node / law.branching)] as number);
  return { all, parts: means.map((level, l) => level.map((mean, node) => mean - above(l, node))) };
}

/** The variance of one report's estimate at a level, by the node of its device. */
export function nodeVariances(law: LevelLaw, weights: readonly number[]): readonly number[] {
  const { p, q } = mechanismOf(law).support(law);
  const { one, neither } = levelPairs(law);
  const total = weights.reduce((sum, w) => sum + w, 0);
  const squares = weights.reduce((sum, w) => sum + w * w, 0);
  return weights.map((own) => {
    const [others, otherSquares] = [total - own, squares - own * own];
    const both = 2 * (one - p * q) * own * others + (neither - q * q) * (others * others - otherSquares);
    return (p * (1 - p) * own * own + q * (1 - q) * otherSquares + both) / ((p - q) * (p - q));
  });
}

const mean = (shares: readonly number[], values: readonly number[]): number =>
  shares.reduce((sum, share, i) => sum + share * (values[i] as number), 0);

const variance = (shares: readonly number[], values: readonly number[]): number =>
  Math.max(
    0,
    mean(
      shares,
      values.map((value) => value * value),
    ) -
      mean(shares, values) ** 2,
  );

/** Sums over the cells of each node of a level. */
const nodeSums = (law: HierarchicalLaw, level: number, shares: readonly number[]): readonly number[] => {
  const sums = Array.from({ length: Math.ceil(shares.length / widthOf(law, level)) }, () => 0);
  for (const [i, share] of shares.entries())
    sums[Math.floor(i / widthOf(law, level))] = (sums[Math.floor(i / widthOf(law, level))] as number) + share;
  return sums;
};

/** The variance of one report's estimate of a mean weight, for evenly spread numbers and equally frequent levels. */
export function hierarchicalEven(law: HierarchicalLaw, weights: readonly number[]): number {
  const even = weights.map(() => 1 / weights.length);
  const perLevel = partsOf(law, weights).parts.map((part, level) => {
    const shares = nodeSums(law, level, even);
    return mean(shares, nodeVariances(law.levels[level] as LevelLaw, part)) + variance(shares, part);
  });
  return law.levels.length * perLevel.reduce((sum, each) => sum + each, 0) - variance(even, weights);
}

/** The evidence of the levels: each node is the share of its cells. */
function sightsOf(law: HierarchicalLaw, tallies: Tallies): readonly Sight[] {
  return law.levels.flatMap((level, l) => {
    const tally = tallies.get(l);
    if (tally === undefined) return [];
    const { p, q } = mechanismOf(level).support(level);
    const [held, width] = [level.mechanism === 'subset' ? level.subset : 1, widthOf(law, l)];
    const spread = held === 1 ? 1 : ((1 - held / level.size) * level.size) / (level.size - 1);
    return Array.from({ length: level.size }, (_, node) => {
      const [from, to] = [node * width, Math.min(law.size, (node + 1) * width)];
      return { from, to, p, q, count: (tally.cells[node] as number) / spread, reports: tally.reports / spread };
    });
  });
}

/** The distribution estimated from a law's tallies; undefined without reports. */
export function hierarchicalDistribution(law: HierarchicalLaw, tallies: Tallies, people: number = THESE): Distribution | undefined {
  const reports = reportsIn(tallies);
  if (reports === 0) return undefined;
  const shares = consistentShares(law, tallies);
  return {
    cells: law.size,
    meanOf: (weights) => {
      const { all, parts } = partsOf(law, weights);
      const among = people < reports ? Array.from(cautious(shares, weights, people)) : shares;
      let [estimate, spread] = [all, variance(among, Array.from(weights)) * (1 / people - 1 / reports)];
      for (const [level, part] of parts.entries()) {
        const of = law.levels[level] as LevelLaw;
        const tally = tallies.get(level);
        if (tally === undefined || tally.reports === 0) {
          // No device drew this level, so its part may take any possible value.
          spread += (Math.max(...part) - Math.min(...part)) ** 2;
          continue;
        }
        const { p, q } = mechanismOf(of).support(of);
        const seen = Array.from(cautious(nodeSums(law, level, shares), part, Math.min(tally.reports, people)));
        estimate += mean(
          part,
          part.map((_, node) => ((tally.cells[node] as number) / tally.reports - q) / (p - q)),
        );
        spread += (mean(seen, nodeVariances(of, part)) + variance(seen, part)) / tally.reports;
      }
      return { estimate, variance: spread };
    },
    countOf: (from, to) => {
      const last = law.levels.length - 1;
      const tally = tallies.get(last);
      if (tally === undefined || to - from !== 1) return undefined;
      const level = law.levels[last] as LevelLaw;
      return { count: Math.round(tally.cells[from] as number), trials: tally.reports, support: mechanismOf(level).support(level) };
    },
    density: () => densityOf(law.size, sightsOf(law, tallies), people),
  };
}

/**
 * The leverage for a level's part t of a cell's share. t lies between the least and the largest of its nodes; the leverage is how far a
 * report can be beyond either.
 */
function ofLevel(law: LevelLaw, parts: readonly number[], drawn: number): Leverage {
  const { p, q } = mechanismOf(law).support(law);
  const held = law.mechanism === 'subset' ? law.subset : 1;
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  const score = (nodes: readonly number[]): number => (sum(nodes) - q * sum(parts)) / (p - q);
  const sorted = parts.toSorted((a, b) => a - b);
  const [least, most] = [sorted[0] as number, sorted.at(-1) as number];
  return { low: 1 + score(sorted.slice(0, held)) - most, high: score(sorted.slice(-held)) - least, drawn };
}

/** The leverage for the cells' shares: the largest over all cells and levels. */
function ofLevels(law: HierarchicalLaw): Leverage {
  const all = Array.from({ length: law.size }, (_, cell) => {
    const { parts } = partsOf(
      law,
      Array.from({ length: law.size }, (__, i) => Number(i === cell)),
    );
    return parts.map((part, level) => ofLevel(law.levels[level] as LevelLaw, part, 1 / law.levels.length));
  }).flat();
  return ends(
    all.flatMap(({ low, high }) => [low, high]),
    1 / law.levels.length,
  );
}

/** The bounds for the nodes of each level. A level is a cohort. */
function boundsOf({ levels }: HierarchicalLaw): Bounds {
  const supports = levels.map((level) => mechanismOf(level).support(level));
  return (level, node) => (node < (levels[level]?.size ?? 0) ? supports[level] : undefined);
}

export const hierarchical: DistributionEstimation<HierarchicalLaw> = {
  ...cellsBy<HierarchicalLaw>(hierarchicalDistribution, hierarchicalEven),
  named: ({ size, branching }) => [(e) => hierarchicalLaw(size, e), (e) => hierarchicalLaw(size, e, branching)],
  bounds: boundsOf,
  fit: bySquares(levelsFit),
  leverage: ofLevels,
  simulated: [{ of: 'distribution', name: 'hierarchical', client: 'hierarchical' }],
};
