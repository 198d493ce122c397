/** A flag: yes or no. */

import { kAryLaw } from '../mechanisms/k-ary.ts';
import { assertAsk } from '../schema/asks.ts';
import type { CallOf, QuestionKind } from './kind.ts';
import type { ListAsk, Question } from './question.ts';

/** Asks for yes or no. */
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

/** It has no fields of its own in a document. */
export type FlagFields = object;

/** The constructor's arguments, from a document. */
export const flagCall: CallOf<FlagFields> = (_fields, ask) => [ask];

export const flagKind: QuestionKind<FlagFields> = {
  make: flag,
  rules: () => ({}),
  answers: () => [false, true],
  takes: () => 'true or false',
  keeps: () => true,
  estimates: 'shares',
};
