/**
 * Chooser 1 for a number's distribution: the law with the most levels of those within a tenth of the least range variance (hierarchical.ts). A tree with one level and k-ary response
 * as its law is the same channel as the square wave with a window of one cell, whose report is one byte. The chooser therefore picks the
 * hierarchical law until one level is best, at ε of about ln d, and that square wave above. The rule is frozen, as for lists (list.ts). The
 * wide windows of smaller ε never win: inverting them costs more variance than all levels together.
 */

import { type HierarchicalLaw, hierarchicalLaw } from './hierarchical.ts';
import type { SquareWaveLaw } from './square-wave.ts';

/** The law of a distribution over `cells` cells at ε. */
export function distributionLaw(cells: number, epsilon: number): HierarchicalLaw | SquareWaveLaw {
  const law = hierarchicalLaw(cells, epsilon);
  const [top, below] = law.levels;
  return top?.mechanism === 'k-ary' && !below ? { mechanism: 'square-wave', grid: cells - 1, window: 1, inside: top.truth } : law;
}
