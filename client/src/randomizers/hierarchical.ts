/** Hierarchical intervals on the device; the law is in shared/src/mechanisms/hierarchical.ts. */

import { bigEndian, type HierarchicalLaw, type KAryLaw, type LevelLaw, type SubsetLaw, widthOf } from '@murmuration/shared';
import type { Coins } from '../random/coins.ts';
import { randomizeKAry } from './k-ary.ts';
import { randomizeSubset } from './subset.ts';

/** A cell: a level that is drawn whatever the cell is, and then its node there through that level's law. */
export function randomizeHierarchical(law: HierarchicalLaw, cell: number, coins: Coins): Uint8Array {
  const level = coins.uniform(law.levels.length);
  const node = Math.floor(cell / widthOf(law, level));
  const of = law.levels[level] as LevelLaw;
  const answer = of.mechanism === 'k-ary' ? randomizeKAry(of as KAryLaw, node, coins) : randomizeSubset(of as SubsetLaw, node, coins);
  return Uint8Array.of(...bigEndian(level, law.levels.length - 1), ...answer);
}
