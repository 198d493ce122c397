/** A flag: yes or no. */

import { kAryLaw } from '../mechanisms/k-ary.ts';
import { assertAsk } from '../schema/asks.ts';
import type { QuestionKind } from './kind.ts';
import type { ListAsk, Question } from './question.ts';

/** Does each device say yes or no? */
export function flag(ask: ListAsk): Question<boolean> {
  assertAsk('flag(ask)', ask);
  return {
    type: 'flag',
    ask,
    size: 2,
    law: (size, epsilon) => kAryLaw(size, epsilon),
    input: (value) => (typeof value === 'boolean' ? Number(value) : undefined),
    labels: () => ['false', 'true'],
    answers: () => [false, true],
    ...ask.mechanism,
  };
}

/** A document of it has no fields of its own. */
export type FlagFields = object;

export const flagKind: QuestionKind<FlagFields> = {
  make: flag,
  call: (_fields, ask) => [ask],
  rules: () => ({}),
  answers: () => [false, true],
  takes: () => 'true or false',
  keeps: () => true,
  estimates: 'shares',
};
