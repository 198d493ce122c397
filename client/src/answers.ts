/** The answers of a question, for building a form. */

import type { Schema, Segments, ValueOf } from '@murmuration/shared';
import type { DeviceQuestions } from './questions/question.ts';

/** True if a type is exactly `string`, as for a text, whose answers can't be listed. */
type IsString<V> = (<T>() => T extends V ? 1 : 2) extends <T>() => T extends string ? 1 : 2 ? true : false;

/** The type of one answer: a member of the set for `choices`; `never` for texts and numbers. */
type AnswerOf<V> = V extends readonly (infer A)[] ? A : IsString<V> extends true ? never : V extends number ? never : V;

/** The metrics whose answers are a list. */
type Listed<M extends DeviceQuestions> = {
  readonly [K in keyof M & string]: [AnswerOf<ValueOf<M[K]>>] extends [never] ? never : K;
}[keyof M & string];

/**
 * The answers of a metric, in the order of the schema; `other` comes last if there is one.
 *
 * @throws {RangeError} for a metric without a list: texts, joint ones with a text, numbers
 * @example answersOf(schema, 'plan').map((plan) => <option key={plan}>{plan}</option>)
 */
export function answersOf<const M extends DeviceQuestions, const S extends Segments, const K extends Listed<M>>(
  schema: Schema<M, S>,
  metric: K,
): readonly AnswerOf<ValueOf<M[K]>>[] {
  const question = Object.hasOwn(schema.questions, metric) ? schema.questions[metric] : undefined;
  // Numbers have labels of their ranges, not answers; texts have no labels.
  const labels = question?.isNumber || question?.isScale ? [] : (question?.labels() ?? []);
  const found = question?.answers?.() ?? labels;
  if (found.length === 0)
    throw new RangeError(
      `${metric}: expected a metric with a list of answers, got ${schema.document.metrics[metric]?.type ?? 'none of this schema'}`,
    );
  return found as readonly unknown[] as readonly AnswerOf<ValueOf<M[K]>>[];
}
