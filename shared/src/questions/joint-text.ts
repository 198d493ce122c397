/**
 * A string and lists asked together: one answer through an open-domain law with the whole ε. The law hashes the string, prefixed by its
 * length, followed by the index of the lists' answer, so different pairs give different texts. The collector decodes reports against all
 * pairs of a candidate and an answer. Two strings are refused, because nobody could list their pairs.
 */

import { utf8 } from '../encoding/bytes.ts';
import { isList, MAX_ANSWERS, type Rule, rule } from '../schema/rules.ts';
import { MAX_STRING_BYTES, TOO_LONG } from '../too-long.ts';
import type { Answer } from './answer.ts';
import { isListPart, type JointFields, type JointPart, type JointValue, jointAnswering, jointAnswers, jointIndex } from './joint.ts';
import { type QuestionKind, same } from './kind.ts';
import type { Answering, Ask, NamedText, Question } from './question.ts';
import { textAnswering } from './text.ts';

/** Marks the string among the parts of a joint question: the constructor `text` itself. */
type TextPart = (ask: Ask<NamedText, never>) => Question<string>;

/** The parts of a joint question by name. */
export type Parts = { readonly [name: string]: readonly Answer[] | TextPart };

/** The most bytes of the string: the longest hashed text minus three digits, a colon, and the five digits of an index. */
const MAX_BYTES = MAX_STRING_BYTES - 9;

/**
 * The hashed text of a string and an index: the string's length in bytes in decimal, a colon, the string (or the token for strings that are
 * too long), and the index.
 */
export function pairText(text: string, index: number): string {
  const length = text.length > MAX_BYTES ? text.length : utf8(text).length;
  return length > MAX_BYTES ? `${TOO_LONG.length}:${TOO_LONG}${index}` : `${length}:${text}${index}`;
}

const isTextPart = (part: readonly Answer[] | TextPart): part is TextPart => typeof part === 'function';

/** The values and answers of parts that are asked together: those of lists or, where one of them is a text, of a string of a pair. */
export function partsAnswering({ questions }: JointFields): Answering<never> {
  const lists = questions.filter(isListPart);
  const text = questions.find((part) => !isListPart(part));
  if (text === undefined) return jointAnswering(lists);
  const { input, ...answering } = textAnswering({});
  return {
    ...answering,
    input: (value: { readonly [name: string]: string } | null) => {
      const index = jointIndex(lists, value);
      const string = input(value?.[text.name] as string);
      return index === undefined || string === undefined ? undefined : pairText(string as string, index);
    },
  } as Answering<never>;
}

/** A joint question of which one part is a string. */
export function jointText<const Q extends Parts>(parts: Q, ask: Ask<NamedText>): Question<JointValue<Q>> {
  const entries = Object.entries(parts);
  const [, text] = entries.find(([, part]) => isTextPart(part)) as [string, TextPart];
  const questions: readonly JointPart[] = entries.map(([name, part]) =>
    isTextPart(part) ? { name, text: true } : { name, answers: part },
  );
  const fields = { questions };
  return {
    ...text(ask as Ask<NamedText, never>),
    ...(partsAnswering(fields) as Answering<JointValue<Q>>),
    type: 'joint',
    fields: fields as never,
  };
}

/** Each part is a list or a text, at most one is a text, and the product of the lists is within the limit for a list. */
const areParts: Rule = (field, questions) => {
  const isPart = (part: object): boolean =>
    typeof (part as JointPart).name === 'string' &&
    Object.keys(part).length === 2 &&
    ('answers' in part || (part as { readonly text?: unknown }).text === true);
  rule('parts, each a name with answers or with text: true', (parts: readonly object[]) => parts.every(isPart))(field, questions);
  const parts = questions as readonly JointPart[];
  const lists = parts.filter(isListPart);
  for (const { name, answers } of lists) isList('string', 'boolean')(`${field}.${name}.answers`, answers);
  rule('one text at most, for nobody could list the pairs of two', () => parts.length - lists.length < 2)(field, parts);
  const lengths = lists.map(({ answers }) => answers.length);
  const fits = (): boolean => parts.length > 1 && lengths.reduce((product, length) => product * length, 1) <= MAX_ANSWERS;
  rule(`two lists or more, or a text and a list, with a product of at most ${MAX_ANSWERS} answers`, fits)(field, lengths);
  rule('questions whose names differ', () => new Set(parts.map(({ name }) => name)).size === parts.length)(field, parts);
};

export const jointKind: QuestionKind<JointFields> = {
  rules: () => ({ questions: areParts }),
  answers: ({ questions }) => (questions.every(isListPart) ? jointAnswers(questions) : undefined),
  takes: ({ questions }) => `an object with an answer to each of ${questions.map(({ name }) => name).join(', ')}`,
  keeps: (before, after) => same(before.questions, after.questions),
  estimates: 'shares',
};
