// The order of answers: a flag's yes first; long lists by estimate; short lists as in the schema, because people know the order
// of their own few answers; buckets of a histogram and cells of a distribution always in numeric order.

import type { Answer, Metric, MetricType } from '../api/shown.ts';
import { views } from '../api/shown.ts';
import { bucketInWords } from './format.ts';

const LONGEST_IN_SCHEMA_ORDER = 6;

export function inOrder(answers: readonly Answer[], type: MetricType): readonly Answer[] {
  if (views[type] === 'yes-no') return answers.toSorted((one, other) => Number(other.answer === true) - Number(one.answer === true));
  if (views[type] === 'scale' || answers.length <= LONGEST_IN_SCHEMA_ORDER) return answers;
  return answers.toSorted((one, other) => other.estimate - one.estimate);
}

/** The label of an answer on the page. A string that may go on says so. */
export function labelOf(answer: Pick<Answer, 'answer' | 'label'> & { readonly isCut?: true }, type: MetricType): string {
  if (views[type] === 'yes-no') return answer.answer === true ? 'Yes' : 'No';
  if (views[type] === 'scale') return bucketInWords(answer.label);
  if (answer.label === '') return '(empty)';
  return answer.isCut ? `${answer.label}…` : answer.label;
}

/** A key that identifies an answer as long as the page is open. */
export function keyOf(answer: Answer): string {
  return JSON.stringify(answer.answer);
}

const OPEN: readonly Metric['mechanism'][] = ['rappor', 'string-hashing', 'prefix-hashing'];

/** Whether its answers are strings or include one. They are decoded then. */
export const isOpen = ({ mechanism }: Metric): boolean => OPEN.includes(mechanism);
