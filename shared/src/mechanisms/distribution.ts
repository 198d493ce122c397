/**
 * Chooser 1 for a number's distribution: the least range variance (hierarchical.ts). A tree of one level whose law is k-ary
 * response is the square wave whose window is one cell: the same channel, in a report of one byte. So the law is hierarchical
 * up to where one level is best, for ε of about ln d, and that square wave above. Frozen, as for lists.
 * The wide windows of smaller ε never win: undoing them costs more than all levels together.
 */

import { type HierarchicalLaw, hierarchicalLaw } from './hierarchical.ts';
import type { SquareWaveLaw } from './square-wave.ts';

/** The law of a distribution over so many cells at ε. */
export function distributionLaw(cells: number, epsilon: number): HierarchicalLaw | SquareWaveLaw {
  const law = hierarchicalLaw(cells, epsilon);
  const [top, below] = law.levels;
  return top?.mechanism === 'k-ary' && !below ? { mechanism: 'square-wave', grid: cells - 1, window: 1, inside: top.truth } : law;
}
