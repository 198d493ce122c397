/** The mean of a count: whole numbers from 0 to a maximum, which stands for all counts above it. */

import { countLaw } from '../mechanisms/count.ts';
import { geometricLaw } from '../mechanisms/geometric.ts';
import type { NumberLaw } from '../mechanisms/table.ts';
import { assertAsk } from '../schema/asks.ts';
import { isWhole } from '../schema/rules.ts';
import { type CallOf, type QuestionKind, same } from './kind.ts';
import { outputLabels, placeOf } from './number.ts';
import type { Ask, NamedCount, Question } from './question.ts';

/** Two-sided geometric noise. It carries its law, so that only apps that name it bundle the law. */
export const namedGeometric: NamedCount = {
  takes: 'count',
  law: (max, epsilon, _devices, permanent) => {
    if (permanent) throw new RangeError(`geometric: expected no permanence, got ${permanent}: its sums have no second stage`);
    return geometricLaw(max, epsilon);
  },
};

/** Asks for a count. A fraction is rounded down. If the metric is permanent, one bit of the first count is stored. */
export function count(max: number, ask: Ask<NamedCount>): Question<number> {
  assertAsk('count(max, ask)', ask);
  return {
    type: 'count',
    ask,
    fields: { max },
    size: max,
    isNumber: true,
    law: countLaw,
    input: (value) => placeOf([0, max], typeof value === 'number' ? Math.floor(value) : value),
    labels: (law) => outputLabels([0, max], law as NumberLaw | undefined),
    ...ask.mechanism,
  };
}

/** Its fields in a document. */
export interface CountFields {
  readonly max: number;
}

/** The constructor's arguments, from a document. */
export const countCall: CallOf<CountFields> = ({ max }, ask) => [max, ask];

export const countKind: QuestionKind<CountFields> = {
  make: count,
  rules: () => ({ max: isWhole }),
  answers: () => undefined,
  range: ({ max }) => [0, max],
  takes: () => 'a number',
  keeps: (before, after) => same(before.max, after.max),
  estimates: 'mean',
};
