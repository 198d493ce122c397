/** A choice: one answer of a list. */

import { listLaw } from '../mechanisms/list.ts';
import { assertAsk } from '../schema/asks.ts';
import { isList, isOneOf, optional } from '../schema/rules.ts';
import { hasGrown, type QuestionKind } from './kind.ts';
import type { Answering, ListAsk, Question } from './question.ts';

/** The answer that `other: true` appends to a list. It stands for every answer that is not listed. */
export const OTHER = 'other';

/** Its fields in a document. With `other`, the last answer is `other`. */
export interface ChoiceFields {
  readonly answers: readonly string[];
  readonly other?: true;
}

/** The values and answers of a choice. */
export const choiceAnswering = ({ answers, other }: ChoiceFields): Answering<string> => ({
  size: answers.length,
  input: (value) => {
    const index = answers.indexOf(value);
    return index >= 0 ? index : other && typeof value === 'string' ? answers.length - 1 : undefined;
  },
  labels: () => answers,
});

/** Asks for one answer of a list. With `other: true`, unlisted strings are answered as `other`. */
export function choice<const T extends string>(answers: readonly T[], ask: ListAsk & { readonly other: true }): Question<T | (string & {})>;
export function choice<const T extends string>(answers: readonly T[], ask: ListAsk): Question<T>;
export function choice(answers: readonly string[], ask: ListAsk & { readonly other?: true }): Question<string> {
  assertAsk('choice(answers, ask)', ask);
  const fields = { answers: ask.other ? [...answers, OTHER] : answers };
  return { ...choiceAnswering({ ...ask, ...fields }), type: 'choice', ask, fields, law: listLaw, ...ask.mechanism };
}

export const choiceKind: QuestionKind<ChoiceFields> = {
  rules: () => ({ answers: isList('string'), other: optional(isOneOf([true])) }),
  answers: ({ answers }) => answers,
  takes: ({ answers }) => `one of ${answers.join(', ')}`,
  keeps: hasGrown,
  estimates: 'shares',
};
