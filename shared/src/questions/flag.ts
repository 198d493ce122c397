/** A flag: yes or no. */

import { kAryLaw } from '../mechanisms/k-ary.ts';
import { assertAsk } from '../schema/asks.ts';
import type { QuestionKind } from './kind.ts';
import type { Answering, ListAsk, Question } from './question.ts';

/** The values and answers of a flag. */
export const flagAnswering = (_fields: FlagFields): Answering<boolean> => ({
  size: 2,
  input: (value) => (typeof value === 'boolean' ? Number(value) : undefined),
  labels: () => ['false', 'true'],
  answers: () => [false, true],
});

/** Asks for yes or no. */
export function flag(ask: ListAsk): Question<boolean> {
  assertAsk('flag(ask)', ask);
  return { ...flagAnswering({}), type: 'flag', ask, law: (size, epsilon) => kAryLaw(size, epsilon), ...ask.mechanism };
}

/** It has no fields of its own in a document. */
export type FlagFields = object;

export const flagKind: QuestionKind<FlagFields> = {
  rules: () => ({}),
  answers: () => [false, true],
  takes: () => 'true or false',
  keeps: () => true,
  estimates: 'shares',
};
