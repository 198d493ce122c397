/** A question whose first answer is stored, with the randomizers of both stages. */

import * as shared from '@murmuration/shared';
import { epochs } from '../ledger/epochs.ts';
import { respondBits } from '../randomizers/bits.ts';
import { respondKAry } from '../randomizers/k-ary.ts';
import { randomizeOneBit } from '../randomizers/one-bit.ts';
import type { Respond } from '../randomizers/randomizer.ts';
import { randomizeUnary } from '../randomizers/unary.ts';
import type { DeviceQuestion, Randomizing, ResolvedQuestion } from './question.ts';

/** The epochs of a permanent question, and the function that turns the symbol stored for one into a report. */
export const storing = ({ respond }: Randomizing): Required<Pick<ResolvedQuestion<never>, 'epochs' | 'respondStored'>> => ({
  epochs,
  respondStored: (law, symbol, coins) =>
    ((respond ?? (Object.hasOwn(law, 'truth') ? respondKAry : respondBits)) as Respond<shared.Law>)(
      law,
      shared.fromBase64url(symbol),
      coins,
    ),
});

/** Asks the same question repeatedly, at ε∞ for a whole epoch. `permanent(flag({ ... }), { epsilon: 4, renew: 'year' })` */
export function permanent<Q extends DeviceQuestion<never>>(question: Q, permanence: shared.Permanence): Q {
  return {
    ...shared.permanent(question, permanence),
    ...storing(question),
    randomizers: { ...question.randomizers, unary: randomizeUnary, 'one-bit': randomizeOneBit },
  };
}
