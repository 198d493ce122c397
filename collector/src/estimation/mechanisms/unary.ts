/** The shares of a list's answers from unary encoding, optimized (OUE) or symmetric (SUE). The bits of a report are independent. */

import { mechanismOf, symmetricUnaryLaw, type UnaryLaw, unaryLaw } from '@murmuration/shared';
import type { AnswerEstimation } from '../estimation.ts';
import { pairsBy } from '../pairs.ts';
import { pureList } from '../pure.ts';
import { byPValue } from '../watch/fit.ts';
import { totalsPValue } from '../watch/ones.ts';

export const unary: AnswerEstimation<UnaryLaw> = {
  ...pureList<UnaryLaw>(),
  named: ({ size }, { permanent }) => [(e) => unaryLaw(size, e, permanent), (e) => symmetricUnaryLaw(size, e, permanent)],
  pairs: (law, counts) => {
    const { p, q } = mechanismOf(law).support(law);
    return pairsBy({ one: p * q, neither: q * q }, counts);
  },
  isSumFixed: () => false,
  fit: byPValue((law, tallies, perDevice) => totalsPValue(law, law.size, 1, tallies, perDevice)),
  isOneBit: () => true,
  simulated: [
    {
      of: 'list',
      name: 'unary',
      law: (answers, epsilon, permanent) => unaryLaw(answers, epsilon, permanent),
      client: 'unary',
      isPermanent: true,
    },
    {
      of: 'list',
      name: 'symmetric-unary',
      law: (answers, epsilon, permanent) => symmetricUnaryLaw(answers, epsilon, permanent),
      client: 'unary',
      isPermanent: true,
    },
  ],
};
