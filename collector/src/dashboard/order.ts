// The order of answers: a flag's yes first; long lists by estimate; short lists as in the schema, because people know the order
// of their own few answers; buckets of a histogram and cells of a distribution always in numeric order.

import { views } from '../questions/table.ts';
import type { Answer, Metric, MetricType } from './types.ts';

const LONGEST_IN_SCHEMA_ORDER = 6;

export function inOrder(answers: readonly Answer[], type: MetricType): readonly Answer[] {
  if (views[type] === 'yes-no') return answers.toSorted((one, other) => Number(other.answer === true) - Number(one.answer === true));
  if (views[type] === 'scale' || answers.length <= LONGEST_IN_SCHEMA_ORDER) return answers;
  return answers.toSorted((one, other) => other.estimate - one.estimate);
}

/** The label of an answer on the page. */
export function labelOf(answer: Pick<Answer, 'answer' | 'label'>, type: MetricType): string {
  if (views[type] === 'yes-no') return answer.answer === true ? 'Yes' : 'No';
  return answer.label === '' ? '(empty)' : answer.label;
}

/** A key that identifies an answer as long as the page is open. */
export function keyOf(answer: Answer): string {
  return JSON.stringify(answer.answer);
}

/** Whether its answers are strings or include one. They are decoded then, among the candidates given to the collector. */
export const isOpen = ({ mechanism }: Metric): boolean => mechanism === 'rappor' || mechanism === 'string-hashing';
