/** A question whose first answer is stored, with the randomizers of both stages. */

import * as shared from '@murmuration/shared';
import { respondBits } from '../randomizers/bits.ts';
import { respondKAry } from '../randomizers/k-ary.ts';
import { randomizeOneBit } from '../randomizers/one-bit.ts';
import type { Respond } from '../randomizers/randomizer.ts';
import { randomizeUnary } from '../randomizers/unary.ts';
import type { DeviceQuestion } from './question.ts';

/** Asks the same question repeatedly, at ε∞ for a whole epoch. `permanent(flag({ ... }), { epsilon: 4, renew: 'year' })` */
export function permanent<Q extends DeviceQuestion<never>>(question: Q, permanence: shared.Permanence): Q {
  return {
    ...shared.permanent(question, permanence),
    respondStored: (law, symbol, coins) => {
      const respond = (question.respond ?? (Object.hasOwn(law, 'truth') ? respondKAry : respondBits)) as Respond<shared.Law>;
      return respond(law, shared.fromBase64url(symbol), coins);
    },
    randomizers: { ...question.randomizers, unary: randomizeUnary, 'one-bit': randomizeOneBit },
  };
}
