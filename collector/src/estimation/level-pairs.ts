/** The pair probabilities of a level in a hierarchy. A level's law is k-ary response or subset selection. */

import type { LevelLaw, SubsetLaw } from '@murmuration/shared';
import { ONE_CELL } from './mechanisms/k-ary.ts';
import { subsetPairs } from './mechanisms/subset.ts';
import type { PairChances } from './pairs.ts';

/** P(both nodes are in a report | true node): when the true node is one of them, and when it is neither. */
export const levelPairs = (law: LevelLaw): PairChances => (law.mechanism === 'subset' ? subsetPairs(law as SubsetLaw) : ONE_CELL);
