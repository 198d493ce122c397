/** What the collector says of a type of question, and what it asks of somebody who plans one without a schema. */

import type { Answer, DocumentOf, JointAnswer, ListAsk, Question, QuestionType, Range } from '@murmuration/shared';

/** An answer that is looked for, and the text that devices hash for it. */
export interface CandidateAnswer {
  readonly answer: Answer | JointAnswer;
  readonly text: string;
}

/** A question by itself, as somebody who has no schema yet puts it: what each type's option gave, and what all have. */
export interface Asking {
  readonly epsilon: number;
  /** ε∞, where the answer is kept. */
  readonly permanent?: number;
  /** Of `choices`. */
  readonly atMost?: number;
  readonly [option: string]: unknown;
}

/** An option of `murmuration plan`: its flags, its description, and how its text is read. */
export type PlanOption = readonly [flags: string, description: string, read?: (text: string) => unknown];

/** How a question is planned that stands in no schema. G is what its option gives. */
export interface Planning<in G> {
  /** The option of its own name, then others that it needs. */
  readonly options: () => readonly PlanOption[];
  /** The question; `list` names the mechanism that long lists have. */
  readonly question: (given: G, asking: Asking, list: ListAsk) => Question<never>;
  /** The question as people say it. */
  readonly words: (given: G, asking: Asking) => string;
}

/** A type of question. */
export interface QuestionWords<T extends QuestionType> {
  /** Its answers, as the privacy statement lists them. */
  readonly answers: (metric: DocumentOf<T>) => string;
  /** Whether an answer, or a part of one, that is not listed sends nothing, so that presence tells something; never where left out. */
  readonly isUnlistedSilent?: (metric: DocumentOf<T>) => boolean;
  /** What is looked for, where answers are texts: by candidate, or undefined where the metric has no text. */
  readonly candidates?: (metric: DocumentOf<T>, candidates: readonly string[]) => readonly CandidateAnswer[] | undefined;
  /** Whether its answers are texts and nothing else, so that plans say what they are looked for among. */
  readonly isText?: true;
  /** How many answers are tested together, where that is not as many as it has. */
  readonly tested?: number;
  /** Undefined where a plan needs a schema. */
  readonly planning: Planning<never> | undefined;
}

const SHOWN = 6; // so many answers are listed

/** A list, as the privacy statement shows it. */
export const listed = (answers: readonly string[]): string =>
  answers.length <= SHOWN ? answers.join(', ') : `one of a list of ${answers.length}`;

/** So many answers for a plan, which names none. */
export const namesFor = (size: number): readonly string[] => Array.from({ length: size }, (_, i) => `answer ${i + 1}`);

/** The description of a question that is planned. */
export const PLANNED = 'A question that is planned';

/** The two ends of an option. */
export function rangeIn(option: string, numbers: readonly number[]): Range {
  if (numbers.length !== 2) throw new RangeError(`${option}: expected two numbers, the low and the high end, got ${numbers.length}`);
  return numbers as unknown as Range;
}
