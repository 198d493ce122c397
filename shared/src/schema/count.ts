/** A count's mean: whole numbers from 0 to a greatest one, which stands for all above it. */

import { countLaw } from '../mechanisms/count.ts';
import { geometricLaw } from '../mechanisms/geometric.ts';
import { oneBitLaw } from '../mechanisms/one-bit.ts';
import type { NumberLaw } from '../mechanisms/table.ts';
import { assertAsk } from './asks.ts';
import { outputLabels, placeOf } from './mean.ts';
import type { Ask, NamedCount, Question } from './question.ts';

/** Two-sided geometric noise. It carries its law, for only those who name it need that. */
export const namedGeometric: NamedCount = {
  takes: 'count',
  law: (max, epsilon, _devices, permanent) => {
    if (permanent) throw new RangeError(`geometric: expected no permanence, got ${permanent}: its sums have no second stage`);
    return geometricLaw(max, epsilon);
  },
};

/** How many? A fraction counts as the whole number below it. Where it is permanent, one bit of the first count is kept. */
export function count(max: number, ask: Ask<NamedCount>): Question<number> {
  assertAsk('count', ask);
  const lawOf = (epsilon: number, devices: number, permanent?: number): NumberLaw => {
    if (ask.mechanism) return ask.mechanism.law(max, epsilon, devices, permanent) as NumberLaw;
    return permanent ? oneBitLaw(epsilon, permanent) : countLaw(max, epsilon);
  };
  return {
    type: 'count',
    ask,
    fields: { max },
    size: 0,
    input: (value) => placeOf([0, max], typeof value === 'number' ? Math.floor(value) : value),
    labels: (permanent) => outputLabels([0, max], lawOf(ask.epsilon, 1, permanent)),
    ...ask.mechanism,
    law: (_size, epsilon, devices, permanent) => lawOf(epsilon, devices, permanent),
  };
}
