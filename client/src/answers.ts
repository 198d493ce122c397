/** The answers of a question, for whoever builds a form of them. */

import type { Schema, Segments, ValueOf } from '@murmuration/shared';
import type { DeviceQuestions } from './questions/question.ts';

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
  const question = Object.hasOwn(schema.questions, metric) ? schema.questions[metric] : undefined;
  // Numbers have labels of their ranges, and texts none.
  const labels = question?.isNumber || question?.isScale ? [] : (question?.labels() ?? []);
  const found = question?.answers?.() ?? labels;
  if (found.length === 0)
    throw new RangeError(
      `${metric}: expected a metric with a list of answers, got ${schema.document.metrics[metric]?.type ?? 'none of this schema'}`,
    );
  return found as readonly unknown[] as readonly AnswerOf<ValueOf<M[K]>>[];
}
