/**
 * Tests the fit of hierarchical intervals: the nodes of a level must agree with their parents one level above.
 *
 * A report is a level l, one of h with equal probability, and a set of its nodes. A node u is in the set of a cell x with probability P(u |
 * x) of the level's law. Take a direction w that sums to zero over each level and is orthogonal to the columns of all cells. A report adds
 * w·Y with mean 0. Let r_u be the probability of a pair of nodes of which one is x, and r_uv that of a pair of which neither is. Then
 *   E (w·Y)² = (1/h) Σ_l Σ_u w_u² v_u,  v_u = (q - r_uv) + f_u (p - q - 2 (r_u - r_uv))
 * because the contribution of pairs is the same for all but x, and Σ w = 0 cancels it. So least squares with these weights, over the cells'
 * columns and a column of ones for each level, leave chi-squared with Σ_l (d_l - 1) - (d - 1) degrees.
 */

import { type HierarchicalLaw, type LevelLaw, mechanismOf, type SubsetLaw, widthOf } from '@murmuration/shared';
import { ONE_CELL } from '../mechanisms/k-ary.ts';
import { subsetPairs } from '../mechanisms/subset.ts';
import type { PairChances } from '../pairs.ts';
import { consistentShares } from '../shrunk.ts';
import { reportsIn, type Tallies } from '../tally.ts';
import { pooled, type Squares, sumsOf } from './fit.ts';
import { basisOf, residual } from './residual.ts';

/** The fit of all levels; undefined with one level, because every tally of it fits. */
export function levelsFit(law: HierarchicalLaw, tallies: Tallies, perDevice: number): Squares | undefined {
  const shares = consistentShares(law, tallies);
  const all = reportsIn(tallies);
  const height = law.levels.length;
  const counts: number[] = [];
  const variances: number[] = [];
  const columns: number[][] = [...shares.map(() => []), ...law.levels.map(() => [])];
  law.levels.forEach((level: LevelLaw, l) => {
    const width = widthOf(law, l);
    const nodeOf = shares.map((_, cell) => Math.floor(cell / width));
    const { p, q } = mechanismOf(level).support(level);
    const { one, neither } = levelPairs(level);
    const spread = sumsOf(shares, nodeOf).map((share) => (all / height) * (q - neither + share * (p - q - 2 * (one - neither))));
    const classes = pooled(spread, perDevice);
    const add = (to: number[], values: readonly number[]): void => void to.push(...sumsOf(values, classes));
    add(counts, Array.from(tallies.get(l)?.cells.subarray(0, level.size) ?? spread.map(() => 0)));
    add(variances, spread);
    for (const [cell, own] of nodeOf.entries())
      add(
        columns[cell] as number[],
        spread.map((_, node) => (node === own ? p - q : 0)),
      );
    for (const other of law.levels.keys())
      add(
        columns[shares.length + other] as number[],
        spread.map(() => Number(other === l)),
      );
  });
  const left = residual(counts, basisOf(columns, variances));
  return left.degrees === 0 ? undefined : { ...left, statistic: left.statistic / perDevice };
}

/**
 * P(both nodes of a level are in a report | true node): when the true node is one of them, and when it is neither. A level's law is k-ary
 * response or subset selection.
 */
export const levelPairs = (law: LevelLaw): PairChances => (law.mechanism === 'subset' ? subsetPairs(law as SubsetLaw) : ONE_CELL);
