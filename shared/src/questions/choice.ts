/** A choice: one answer of a list. */

import { listLaw } from '../mechanisms/list.ts';
import { assertAsk } from '../schema/asks.ts';
import { isList, isOneOf, optional } from '../schema/rules.ts';
import { type CallOf, hasGrown, type QuestionKind } from './kind.ts';
import type { ListAsk, Question } from './question.ts';

/** The answer that `other: true` appends to a list. It stands for every answer that is not listed. */
export const OTHER = 'other';

/** Asks for one answer of a list. With `other: true`, unlisted strings are answered as `other`. */
export function choice<const T extends string>(answers: readonly T[], ask: ListAsk & { readonly other: true }): Question<T | (string & {})>;
export function choice<const T extends string>(answers: readonly T[], ask: ListAsk): Question<T>;
export function choice(answers: readonly string[], ask: ListAsk & { readonly other?: boolean }): Question<string> {
  assertAsk('choice(answers, ask)', ask);
  const all = ask.other ? [...answers, OTHER] : answers;
  return {
    type: 'choice',
    ask,
    fields: { answers: all },
    size: all.length,
    law: listLaw,
    input: (value) => {
      const index = all.indexOf(value);
      return index >= 0 ? index : ask.other && typeof value === 'string' ? all.length - 1 : undefined;
    },
    labels: () => all,
    ...ask.mechanism,
  };
}

/** Its fields in a document. With `other`, the last answer is `other`. */
export interface ChoiceFields {
  readonly answers: readonly string[];
  readonly other?: true;
}

/** The constructor's arguments, from a document. */
export const choiceCall: CallOf<ChoiceFields> = ({ answers, other }, ask) =>
  other ? [answers.slice(0, -1), { ...ask, other }] : [answers, ask];

export const choiceKind: QuestionKind<ChoiceFields> = {
  make: choice,
  rules: () => ({ answers: isList('string'), other: optional(isOneOf([true])) }),
  answers: ({ answers }) => answers,
  takes: ({ answers }) => `one of ${answers.join(', ')}`,
  keeps: hasGrown,
  estimates: 'shares',
};
