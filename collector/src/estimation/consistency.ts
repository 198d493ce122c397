/**
 * Consistent shares of a hierarchy's cells: Hay, Rastogi, Miklau, Suciu 2010, "Boosting the Accuracy of Differentially Private Histograms
 * Through Consistency", §4.1 and theorem 3, with weights for levels of unequal precision.
 *
 * Upwards, a node combines its own estimate with the sum of its children's, each weighted by the inverse of its variance. Downwards, the
 * difference between a node and the sum of its children is distributed to the children in proportion to their variances, from a root that
 * is 1.
 * The shares of a node's children are then replaced by the nearest shares that are not negative and sum to the node's own (norm-sub). Doing
 * this over all cells at once would let the noise of the many cells drown the few nodes that are known well. Biased, without an interval.
 */

import { type HierarchicalLaw, type LevelLaw, mechanismOf } from '@murmuration/shared';
import type { Tallies } from './tally.ts';

/** The variance at a level that no device drew: far more than any share can vary. */
const UNKNOWN = 1e9;

interface Node {
  readonly value: number;
  readonly variance: number;
}

/** The estimates of a level's nodes from its own reports. */
function estimated(law: LevelLaw, tally: { readonly reports: number; readonly cells: Float64Array } | undefined): readonly Node[] {
  const { p, q } = mechanismOf(law).support(law);
  return Array.from({ length: law.size }, (_, node) =>
    tally === undefined || tally.reports === 0
      ? { value: 0, variance: UNKNOWN }
      : {
          value: ((tally.cells[node] as number) / tally.reports - q) / (p - q),
          variance: (q * (1 - q) + (p * (1 - p)) / law.size) / ((p - q) ** 2 * tally.reports),
        },
  );
}

/** The shares of the cells. */
export function consistentShares(law: HierarchicalLaw, tallies: Tallies): readonly number[] {
  const { branching, levels } = law;
  const childrenOf = (nodes: readonly Node[], parent: number): readonly Node[] => nodes.slice(parent * branching, (parent + 1) * branching);
  const sumOf = (nodes: readonly Node[]): Node =>
    nodes.reduce((sum, node) => ({ value: sum.value + node.value, variance: sum.variance + node.variance }), { value: 0, variance: 0 });
  const trees = levels.map((level, l) => estimated(level, tallies.get(l))) as (readonly Node[])[];
  for (let l = levels.length - 2; l >= 0; l--) {
    trees[l] = (trees[l] as readonly Node[]).map((own, parent) => {
      const below = sumOf(childrenOf(trees[l + 1] as readonly Node[], parent));
      const both = own.variance + below.variance;
      return { value: (own.value * below.variance + below.value * own.variance) / both, variance: (own.variance * below.variance) / both };
    });
  }
  let parents: readonly number[] = [1];
  for (const [l, nodes] of trees.entries()) {
    const families = l === 0 ? [nodes] : parents.map((_, parent) => childrenOf(nodes, parent));
    parents = families.flatMap((family, parent) => {
      const below = sumOf(family);
      const whole = parents[parent] as number;
      const agreed = family.map(({ value, variance }) => value + ((whole - below.value) * variance) / below.variance);
      return whole > 0 ? normSub(agreed.map((share) => share / whole)).map((share) => share * whole) : agreed.map(() => 0);
    });
  }
  return parents;
}

/*
 * Norm-sub (Wang et al. 2020, "Locally Differentially Private Frequency Estimation with Consistency", §4.3): the nearest shares, in
 * Euclidean distance, that are not negative and sum to 1 or to another known total. On long lists they are closer to the truth than the
 * estimates. They are biased and have no interval.
 */

/** Subtracts the one constant that makes the positive parts sum to `total`. */
export function normSub(estimates: readonly number[], total = 1): number[] {
  const falling = [...estimates].sort((a, b) => b - a);
  let sum = 0;
  let excess = 0;
  falling.forEach((estimate, i) => {
    sum += estimate;
    const shift = (sum - total) / (i + 1);
    if (estimate > shift) excess = shift;
  });
  return estimates.map((estimate) => Math.max(0, estimate - excess));
}
