/** Several answers of a list: a set of answers, up to a limit. */

import { setLaw } from '../mechanisms/privset.ts';
import { assertAsk } from '../schema/asks.ts';
import { isList, isOneOf, isWhole, optional, rule } from '../schema/rules.ts';
import { OTHER } from './choice.ts';
import { type CallOf, hasGrown, type QuestionKind } from './kind.ts';
import type { Ask, Named, Question } from './question.ts';

/** The settings of a `choices` question. V is the type of its sets. */
export interface SetAsk<V = readonly string[]> extends Omit<Ask<Named, V>, 'mechanism'> {
  /** The most answers of a set. A larger set is sampled down, so it is never missing. */
  readonly atMost: number;
}

/**
 * Asks for several answers of a list. Equal answers count once. With `other: true` all unlisted answers count as one `other`. The shares of
 * answers do not add up to 1. They are unbiased as long as no set has more than `atMost` answers.
 */
export function choices<const T extends string>(
  answers: readonly T[],
  ask: SetAsk & { readonly other: true },
): Question<readonly (T | (string & {}))[]>;
export function choices<const T extends string>(answers: readonly T[], ask: SetAsk<readonly NoInfer<T>[]>): Question<readonly T[]>;
export function choices(answers: readonly string[], ask: SetAsk & { readonly other?: boolean }): Question<readonly string[]> {
  assertAsk('choices(answers, ask)', ask);
  const { atMost } = ask;
  const all = ask.other ? [...answers, OTHER] : answers;
  const indices = new Map(all.map((answer, i) => [answer, i]));
  return {
    type: 'choices',
    ask,
    fields: { answers: all },
    size: all.length,
    law: (size, epsilon) => setLaw(size, atMost, epsilon),
    input: (value) => {
      if (!Array.isArray(value)) return undefined;
      const set = new Set<number>();
      for (const answer of value as readonly unknown[]) {
        const index = indices.get(answer as string) ?? (ask.other && typeof answer === 'string' ? all.length - 1 : undefined);
        if (index === undefined) return undefined;
        set.add(index);
      }
      return [...set];
    },
    answers: () => all,
    labels: () => [...all, ...Array.from({ length: atMost }, (_, j) => `fewer than ${atMost - j}`)],
  };
}

/** Its fields in a document. With `other`, the last answer is `other`. */
export interface ChoicesFields {
  readonly answers: readonly string[];
  readonly atMost: number;
  readonly other?: true;
}

/** The constructor's arguments, from a document. */
export const choicesCall: CallOf<ChoicesFields> = ({ answers, atMost, other }, ask) =>
  other ? [answers.slice(0, -1), { ...ask, atMost, other }] : [answers, { ...ask, atMost }];

export const choicesKind: QuestionKind<ChoicesFields> = {
  make: choices,
  rules: () => ({
    answers: isList('string'),
    atMost: isWhole,
    other: optional(isOneOf([true])),
    // A report of a set is no symbol that a second stage could repeat.
    permanent: optional(rule('no permanence of a set: ask a permanent flag for each answer', () => false)),
  }),
  answers: ({ answers }) => answers,
  atMost: ({ atMost }) => atMost,
  takes: ({ answers }) => `an array of some of ${answers.join(', ')}`,
  keeps: hasGrown,
  estimates: 'shares',
  only: 'privset',
};
