/** A question that is asked repeatedly. Its first answer is randomized and stored. */

import { permanentKAryLaw } from '../mechanisms/k-ary.ts';
import { permanentListLaw } from '../mechanisms/list.ts';
import { oneBitLaw } from '../mechanisms/one-bit.ts';
import type { Law } from '../mechanisms/table.ts';
import { assertObject } from '../schema/asks.ts';
import type { Permanence, Question } from './question.ts';

/**
 * True if the reports of a law that has two stages have a public part: more than one cohort, or fewer buckets or bits than answers. It is
 * `publicParts(shape(law)) > 1` (mechanisms/law.ts) without the mechanisms, which a device does not have.
 */
function hasPublicPart(law: Law): boolean {
  const { cohorts, size = 1, buckets = size, bits = buckets } = law as { readonly [M in 'cohorts' | 'size' | 'buckets' | 'bits']?: number };
  return (cohorts ?? size / bits) > 1;
}

/**
 * Asks the same question repeatedly. The first answer of an epoch is randomized once and stored, and all reports of the epoch are made from
 * the stored symbol.
 */
export function permanent<Q extends Question<never>>(question: Q, permanence: Permanence): Q {
  assertObject(
    'permanent(question, permanence)',
    'question',
    "flag({ epsilon: 1, every: 'day', description: 'Is it on today?' })",
    question,
  );
  assertObject('permanent(question, permanence)', 'permanence', "{ epsilon: 4, renew: 'year' }", permanence);
  const { isNumber, ask, fields, law } = question;
  return {
    ...question,
    fields: { ...fields, permanent: permanence },
    traces: hasPublicPart,
    law: (size: number, epsilon: number, devices: number): Law => {
      const all = permanence.epsilon;
      if (ask.mechanism) return law(size, epsilon, devices, all, (k, e) => permanentKAryLaw(k, e, all));
      // One bit of a number is stored. The law is imported here, so apps whose numbers are asked only once do not bundle it.
      if (isNumber) return oneBitLaw(epsilon, all);
      return size > 0 ? permanentListLaw(size, epsilon, all) : law(size, epsilon, devices, all);
    },
  };
}
