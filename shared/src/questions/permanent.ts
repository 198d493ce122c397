/** A question that is asked again and again: its first answer is kept, randomized. */

import { permanentKAryLaw } from '../mechanisms/k-ary.ts';
import { permanentListLaw } from '../mechanisms/list.ts';
import { oneBitLaw } from '../mechanisms/one-bit.ts';
import type { Law } from '../mechanisms/table.ts';
import type { Permanence, Question } from './question.ts';

/**
 * Asks the same question again and again: the first answer of an epoch is randomized once and kept, and only that is
 * reported on.
 */
export function permanent<Q extends Question<never>>(question: Q, permanence: Permanence): Q {
  const { isNumber, ask, fields, law } = question;
  return {
    ...question,
    fields: { ...fields, permanent: permanence },
    law: (size: number, epsilon: number, devices: number): Law => {
      const all = permanence.epsilon;
      if (ask.mechanism) return law(size, epsilon, devices, all, (k, e) => permanentKAryLaw(k, e, all));
      // Of a number one bit is kept, and its law is here, so that numbers that are asked once bundle none of it.
      if (isNumber) return oneBitLaw(epsilon, all);
      return size > 0 ? permanentListLaw(size, epsilon, all) : law(size, epsilon, devices, all);
    },
  };
}
