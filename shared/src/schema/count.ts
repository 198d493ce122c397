/** A count's mean: whole numbers from 0 to a greatest one, which stands for all above it. */

import { countLaw } from '../mechanisms/count.ts';
import { geometricLaw } from '../mechanisms/geometric.ts';
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
  return {
    type: 'count',
    ask,
    fields: { max },
    size: max,
    law: countLaw,
    input: (value) => placeOf([0, max], typeof value === 'number' ? Math.floor(value) : value),
    labels: (law) => outputLabels([0, max], law as NumberLaw | undefined),
    ...ask.mechanism,
  };
}
