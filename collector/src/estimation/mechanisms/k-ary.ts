/** The shares of a list's answers from k-ary randomized response (GRR, kRR): each answer has a cell of its own. */

import { type KAryLaw, kAryLaw, permanentKAryLaw } from '@murmuration/shared';
import type { AnswerEstimation } from '../estimation.ts';
import { type PairChances, pairsBy } from '../pairs.ts';
import { pureList } from '../pure.ts';
import { everyTallyFits } from '../watch/fit.ts';

/** A report is one cell, so it never supports two answers. */
export const ONE_CELL: PairChances = { one: 0, neither: 0 };

export const kAry: AnswerEstimation<KAryLaw> = {
  ...pureList<KAryLaw>(),
  named: () => [], // only the automatic choice of mechanism uses it
  pairs: (_law, counts) => pairsBy(ONE_CELL, counts),
  isSumFixed: () => true,
  fit: everyTallyFits,
  simulated: [
    {
      of: 'list',
      name: 'k-ary',
      law: (answers, epsilon, permanent) =>
        permanent === undefined ? kAryLaw(answers, epsilon) : permanentKAryLaw(answers, epsilon, permanent),
      isPermanent: true,
    },
  ],
};
