/** Several lists asked together: one answer from their product. */

import { listLaw } from '../mechanisms/list.ts';
import { assertAsk } from '../schema/asks.ts';
import { type Answer, type JointAnswer, labelOf } from './answer.ts';
import type { Answering, ListAsk, Question } from './question.ts';

/** One list of a joint metric. */
export interface JointQuestion {
  readonly name: string;
  readonly answers: readonly Answer[];
}

/** A question of a joint metric: a list, or its one string. */
export type JointPart = JointQuestion | { readonly name: string; readonly text: true };

/** True if a part is a list. */
export const isListPart = (part: JointPart): part is JointQuestion => 'answers' in part;

/** Its fields in a document. */
export interface JointFields {
  readonly questions: readonly JointPart[];
}

/** The answers of a joint metric in the order of their indices. The first question is the most significant digit. */
export const jointAnswers = (questions: readonly JointQuestion[]): readonly JointAnswer[] =>
  questions.reduce<readonly JointAnswer[]>(
    (rows, { name, answers }) => rows.flatMap((row) => answers.map((answer) => ({ ...row, [name]: answer }))),
    [{}],
  );

/** The value of a joint question: an answer to each of its lists, and a string for its text if it has one. */
export type JointValue<Q> = { readonly [K in keyof Q]: Q[K] extends readonly (infer A)[] ? A : string };

/**
 * The index of an answer in the product of lists, the first list being the most significant digit; undefined if an answer is not listed.
 */
export function jointIndex(lists: readonly JointQuestion[], value: unknown): number | undefined {
  let index = 0;
  for (const { name, answers } of lists) {
    const digit = answers.indexOf((value as { readonly [name: string]: Answer } | null)?.[name] as Answer);
    if (digit < 0) return undefined;
    index = index * answers.length + digit;
  }
  return index;
}

/** The values and answers of lists that are asked together. */
export function jointAnswering(lists: readonly JointQuestion[]): Answering<JointValue<{ readonly [name: string]: readonly Answer[] }>> {
  return {
    size: lists.reduce((product, { answers }) => product * answers.length, 1),
    input: (value) => jointIndex(lists, value),
    labels: () => jointAnswers(lists).map(labelOf),
    answers: () => jointAnswers(lists),
  };
}

/**
 * Asks several lists at once, with one answer from their product and the whole ε. Only this shows how the lists' answers are correlated.
 * (Splitting ε between two questions costs 19 times the variance at ε = 2.)
 */
export function joint<const Q extends { readonly [name: string]: readonly Answer[] }>(questions: Q, ask: ListAsk): Question<JointValue<Q>> {
  assertAsk('joint(lists, ask)', ask);
  const lists = Object.entries(questions).map(([name, answers]) => ({ name, answers }));
  const fields = { questions: lists };
  return { ...jointAnswering(lists), type: 'joint', ask, fields, law: listLaw, ...ask.mechanism };
}
