/** The mean of a count: whole numbers from 0 to a maximum, which stands for all counts above it. */

import { countLaw } from '../mechanisms/count.ts';
import { geometricLaw } from '../mechanisms/geometric.ts';
import type { NumberLaw } from '../mechanisms/table.ts';
import { assertAsk } from '../schema/asks.ts';
import { isWhole } from '../schema/rules.ts';
import { type QuestionKind, same } from './kind.ts';
import { outputLabels, placeOf } from './number.ts';
import type { Answering, Ask, NamedCount, Question } from './question.ts';

/** Two-sided geometric noise. It carries its law, so that only apps that name it bundle the law. */
export const namedGeometric: NamedCount = {
  takes: 'count',
  law: (max, epsilon, _devices, permanent) => {
    if (permanent) throw new RangeError(`geometric: expected no permanence, got ${permanent}: its sums have no second stage`);
    return geometricLaw(max, epsilon);
  },
};

/** Its fields in a document. */
export interface CountFields {
  readonly max: number;
}

/** The values and labels of a count. */
export const countAnswering = ({ max }: CountFields): Answering<number> => ({
  size: max,
  isNumber: true,
  input: (value) => placeOf([0, max], typeof value === 'number' ? Math.floor(value) : value),
  labels: (law) => outputLabels([0, max], law as NumberLaw | undefined),
});

/** Asks for a count. A fraction is rounded down. If the metric is permanent, one bit of the first count is stored. */
export function count(max: number, ask: Ask<NamedCount>): Question<number> {
  assertAsk('count(max, ask)', ask);
  const fields = { max };
  return { ...countAnswering(fields), type: 'count', ask, fields, law: countLaw, ...ask.mechanism };
}

export const countKind: QuestionKind<CountFields> = {
  rules: () => ({ max: isWhole }),
  answers: () => undefined,
  range: ({ max }) => [0, max],
  takes: () => 'a number',
  keeps: (before, after) => same(before.max, after.max),
  estimates: 'mean',
};
