/** How the collector presents a type of question, and the options for planning one without a schema. */

import type { Answer, DocumentOf, JointAnswer, ListAsk, Question, QuestionType, Range } from '@murmuration/shared';

/** An answer to look for, and the text that devices hash for it. */
export interface CandidateAnswer {
  readonly answer: Answer | JointAnswer;
  readonly text: string;
}

/** A single question without a schema: the value of each type's option, and the options that all types share. */
export interface Asking {
  readonly epsilon: number;
  /** ε∞, if the answer is permanent. */
  readonly permanent?: number;
  /** Only for `choices`. */
  readonly atMost?: number;
  readonly [option: string]: unknown;
}

/** An option of `murmuration plan`: its flags, its description, and its parser. */
export type PlanOption = readonly [flags: string, description: string, read?: (text: string) => unknown];

/** How a question without a schema is planned. G is the type of its option's value. */
export interface Planning<in G> {
  /** The option with its own name, then other options that it needs. */
  readonly options: () => readonly PlanOption[];
  /** The question. `list` names the mechanism for long lists. */
  readonly question: (given: G, asking: Asking, list: ListAsk) => Question<never>;
  /** The question in one line. */
  readonly summary: (given: G, asking: Asking) => string;
}

/** A type of question. */
export interface QuestionPresentation<T extends QuestionType> {
  /** Its answers, as the privacy statement lists them. */
  readonly answers: (metric: DocumentOf<T>) => string;
  /** Whether an unlisted answer, or an unlisted part of one, sends nothing, so that sending anything reveals something. Default: never. */
  readonly isUnlistedSilent?: (metric: DocumentOf<T>) => boolean;
  /** The answers to look for when answers are texts, by candidate; undefined when the metric has no text. */
  readonly candidates?: (metric: DocumentOf<T>, candidates: readonly string[]) => readonly CandidateAnswer[] | undefined;
  /** Whether all answers are texts, so that plans say among how many candidates they are looked for. */
  readonly isText?: true;
  /** The number of answers that are tested together, if it differs from the number of answers. */
  readonly tested?: number;
  /** Undefined when planning requires a schema. */
  readonly planning: Planning<never> | undefined;
}

const SHOWN = 6; // the number of answers that are listed

/** A list as shown in the privacy statement. */
export const listed = (answers: readonly string[]): string =>
  answers.length <= SHOWN ? answers.join(', ') : `one of a list of ${answers.length}`;

/** Placeholder answers for a plan, which names none. */
export const namesFor = (size: number): readonly string[] => Array.from({ length: size }, (_, i) => `answer ${i + 1}`);

/** The description of a planned question. */
export const PLANNED = 'A question that is planned';

/** The two ends of an option's range. */
export function rangeIn(option: string, numbers: readonly number[]): Range {
  if (numbers.length !== 2) throw new RangeError(`${option}: expected two numbers, the low and the high end, got ${numbers.length}`);
  return numbers as unknown as Range;
}
