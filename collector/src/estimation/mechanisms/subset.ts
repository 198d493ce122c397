/**
 * The shares of a list's answers from subset selection (SS). Cell u is in the set with probability p or q. With m of d answers in the set,
 * both u and v are in it with probability
 *   p (m-1)/(d-1) when x is one of them, else p (m-1)(m-2) / ((d-1)(d-2)) + (1-p) m(m-1) / ((d-1)(d-2)).
 */

import { meanVariance, mechanismOf, type SubsetLaw, subsetIdeal, subsetLaw } from '@murmuration/shared';
import type { AnswerEstimation } from '../estimation.ts';
import { type PairChances, pairsBy } from '../pairs.ts';
import { pureList } from '../pure.ts';
import { everyTallyFits } from '../watch/fit.ts';

/** P(both answers are in the set | true answer). */
export function subsetPairs(law: SubsetLaw): PairChances {
  const { p } = mechanismOf(law).support(law);
  const { size: d, subset: m } = law;
  const among = (d - 1) * (d - 2);
  return { one: (p * (m - 1)) / (d - 1), neither: (p * (m - 1) * (m - 2) + (1 - p) * m * (m - 1)) / among };
}

/** The subset size with the least mean variance: the lower bound of linear symmetric estimators (Pan 2026, arXiv 2603.11523). */
export function optimum(size: number, epsilon: number): { readonly subset: number; readonly variance: number } {
  let best = { subset: 1, variance: Number.POSITIVE_INFINITY };
  for (let subset = 1; subset < size; subset++) {
    const variance = meanVariance(size, subsetIdeal(size, subset, epsilon));
    if (variance < best.variance) best = { subset, variance };
  }
  return best;
}

export const subset: AnswerEstimation<SubsetLaw> = {
  ...pureList<SubsetLaw>(),
  named: () => [], // only the automatic choice of mechanism uses it
  pairs: (law, counts) => pairsBy(subsetPairs(law), counts),
  isSumFixed: () => true,
  fit: everyTallyFits,
  simulated: [
    {
      of: 'list',
      name: 'subset',
      law: (answers, epsilon) => subsetLaw(answers, Math.max(2, optimum(answers, epsilon).subset), epsilon),
      fewest: 3,
    },
  ],
};
