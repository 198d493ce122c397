/** A count's mean: whole numbers from 0 to a greatest one, which stands for all above it. */

import { geometricLaw } from '../mechanisms/geometric.ts';
import { countLaw } from '../mechanisms/number.ts';
import type { NumberLaw } from '../mechanisms/table.ts';
import { outputLabels, placeOf } from './mean.ts';
import type { Ask, NamedCount, Question } from './question.ts';

/** Two-sided geometric noise. It carries its law, for only those who name it need that. */
export const namedGeometric: NamedCount = { takes: 'count', law: (max, epsilon) => geometricLaw(max, epsilon) };

/** How many? A fraction counts as the whole number below it. */
export function count(max: number, ask: Ask<NamedCount>): Question<number> {
  const lawOf = (epsilon: number, devices: number): NumberLaw =>
    (ask.mechanism ? ask.mechanism.law(max, epsilon, devices) : countLaw(max, epsilon)) as NumberLaw;
  return {
    type: 'count',
    ask,
    fields: { max },
    size: 0,
    input: (value) => placeOf([0, max], typeof value === 'number' ? Math.floor(value) : value),
    labels: () => outputLabels([0, max], lawOf(ask.epsilon, 1)),
    ...ask.mechanism,
    law: (_size, epsilon, devices) => lawOf(epsilon, devices),
  };
}
