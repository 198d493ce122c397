/** A count's mean: whole numbers from 0 to a greatest one, which stands for all above it. */

import { countLaw } from '../mechanisms/number.ts';
import type { NumberLaw } from '../mechanisms/table.ts';
import { notPermanent, outputLabels, placeOf } from './mean.ts';
import type { Ask, Question } from './question.ts';
import { isWhole, optional, rule } from './rules.ts';

/** What a count may say besides: a law by name, from the greatest count and ε. */
export type CountAsk = Ask & { readonly mechanism?: (max: number, epsilon: number) => NumberLaw };

/** How many? A fraction counts as the whole number below it. */
export function count(max: number, ask: CountAsk): Question<number> {
  const { mechanism = countLaw } = ask;
  const law = (epsilon: number): NumberLaw => mechanism(max, epsilon);
  return {
    type: 'count',
    ask,
    rules: { max: isWhole, mechanism: optional(rule('geometric', (named) => typeof named === 'function')), ...notPermanent },
    fields: { max },
    size: 0,
    law,
    input: (value) => placeOf([0, max], typeof value === 'number' ? Math.floor(value) : value),
    labels: () => outputLabels([0, max], law(ask.epsilon)),
  };
}
