/** Several answers of a list: a set of answers, up to a limit. */

import { setLaw } from '../mechanisms/privset.ts';
import { assertAsk } from '../schema/asks.ts';
import { isList, isOneOf, isWhole, optional, rule } from '../schema/rules.ts';
import { OTHER } from './choice.ts';
import { hasGrown, type QuestionKind } from './kind.ts';
import type { Answering, Ask, Named, Question } from './question.ts';

/** The settings of a `choices` question. V is the type of its sets. */
export interface SetAsk<V = readonly string[]> extends Omit<Ask<Named, V>, 'mechanism'> {
  /** The most answers of a set. A larger set is sampled down, so it is never missing. */
  readonly atMost: number;
}

/** Its fields in a document. With `other`, the last answer is `other`. */
export interface ChoicesFields {
  readonly answers: readonly string[];
  readonly atMost: number;
  readonly other?: true;
}

/** The values and answers of a set. */
export function choicesAnswering({ answers, atMost, other }: ChoicesFields): Answering<readonly string[]> {
  const indices = new Map(answers.map((answer, i) => [answer, i]));
  return {
    size: answers.length,
    input: (value) => {
      if (!Array.isArray(value)) return undefined;
      const set = new Set<number>();
      for (const answer of value as readonly unknown[]) {
        const index = indices.get(answer as string) ?? (other && typeof answer === 'string' ? answers.length - 1 : undefined);
        if (index === undefined) return undefined;
        set.add(index);
      }
      return [...set];
    },
    answers: () => answers,
    labels: () => [...answers, ...Array.from({ length: atMost }, (_, j) => `fewer than ${atMost - j}`)],
  };
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
export function choices(answers: readonly string[], ask: SetAsk & { readonly other?: true }): Question<readonly string[]> {
  assertAsk('choices(answers, ask)', ask);
  const fields = { answers: ask.other ? [...answers, OTHER] : answers };
  return {
    ...choicesAnswering({ ...ask, ...fields }),
    type: 'choices',
    ask,
    fields,
    law: (size, epsilon) => setLaw(size, ask.atMost, epsilon),
  };
}

export const choicesKind: QuestionKind<ChoicesFields> = {
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
