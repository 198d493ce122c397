/** Hierarchical intervals (HIO, HH) on the device; the law is in shared/src/mechanisms/hierarchical.ts. */

import {
  bigEndian,
  bitBytes,
  type HierarchicalLaw,
  type KAryLaw,
  type LevelLaw,
  type SubsetLaw,
  setBit,
  widthOf,
} from '@murmuration/shared';
import type { Coins } from '../random/coins.ts';
import { chooseAround } from './piecewise.ts';
import { randomizeSubset } from './subset.ts';

/** The bits of a randomized answer on a level. For k-ary response one bit is set. */
function answerBits(law: LevelLaw, node: number, coins: Coins): Uint8Array {
  if (law.mechanism === 'subset') return randomizeSubset(law as SubsetLaw, node, coins);
  const { size, truth } = law as KAryLaw;
  const bits = new Uint8Array(bitBytes(size));
  setBit(bits, chooseAround({ grid: size - 1, window: 1, inside: truth }, node, coins));
  return bits;
}

/**
 * Randomizes a cell: draws a level independently of the cell, then sends the cell's node on that level through the level's law. All levels
 * are randomized, and the unused results are dropped.
 */
export function randomizeHierarchical(law: HierarchicalLaw, cell: number, coins: Coins): Uint8Array {
  const level = coins.uniform(law.levels.length);
  const answers = law.levels.map((each, at) => answerBits(each, Math.floor(cell / widthOf(law, at)), coins));
  const front = bigEndian(level, law.levels.length - 1);
  const report = new Uint8Array(front.length + bitBytes(law.size));
  report.set(front);
  report.set(answers[level] as Uint8Array, front.length);
  return report;
}
