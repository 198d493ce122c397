/** The answers of a question, for whoever builds a form of them. */

import { isListPart, jointAnswers, type Schema, type Segments, type ValueOf } from '@murmuration/shared';
import type { DeviceQuestions } from './questions.ts';

/** Whether a type is `string` itself, as that of a text is: nobody can list its answers. */
type IsString<V> = (<T>() => T extends V ? 1 : 2) extends <T>() => T extends string ? 1 : 2 ? true : false;

/** One answer: of several of a list, one of them; none of texts and numbers. */
type AnswerOf<V> = V extends readonly (infer A)[] ? A : IsString<V> extends true ? never : V extends number ? never : V;

/** The metrics whose answers are a list. */
type Listed<M extends DeviceQuestions> = {
  readonly [K in keyof M & string]: [AnswerOf<ValueOf<M[K]>>] extends [never] ? never : K;
}[keyof M & string];

/**
 * The answers of a metric, in the order of the schema; `other` is the last where it has one.
 *
 * @throws {RangeError} for a metric without a list: texts, joint ones with a text, numbers
 * @example answersOf(schema, 'plan').map((plan) => <option key={plan}>{plan}</option>)
 */
export function answersOf<const M extends DeviceQuestions, const S extends Segments, const K extends Listed<M>>(
  schema: Schema<M, S>,
  metric: K,
): readonly AnswerOf<ValueOf<M[K]>>[] {
  const document = schema.document.metrics[metric];
  const answers = (): unknown => {
    switch (document?.type) {
      case 'flag':
        return [false, true];
      case 'choice':
      case 'choices':
        return document.answers;
      case 'best':
        return document.inputs;
      case 'joint':
        return document.questions.every(isListPart) ? jointAnswers(document.questions) : undefined;
    }
    return undefined;
  };
  const found = answers();
  if (!found) throw new RangeError(`${metric}: expected a metric with a list of answers, got ${document?.type ?? 'none of this schema'}`);
  return found as readonly AnswerOf<ValueOf<M[K]>>[];
}
