// In which order answers are shown: a flag's yes first, long lists by estimate, short ones as the schema has them,
// for people know the order of their own few answers; buckets of a histogram and cells of a distribution always as the numbers go.

import { views } from '../questions/table.ts';
import type { Answer, Metric, MetricType } from './types.ts';

const LONGEST_IN_SCHEMA_ORDER = 6;

export function inOrder(answers: readonly Answer[], type: MetricType): readonly Answer[] {
  if (views[type] === 'yes-no') return answers.toSorted((one, other) => Number(other.answer === true) - Number(one.answer === true));
  if (views[type] === 'scale' || answers.length <= LONGEST_IN_SCHEMA_ORDER) return answers;
  return answers.toSorted((one, other) => other.estimate - one.estimate);
}

/** What an answer is called on the page. */
export function labelOf(answer: Answer, type: MetricType): string {
  if (views[type] === 'yes-no') return answer.answer === true ? 'Yes' : 'No';
  return answer.label === '' ? '(empty)' : answer.label;
}

/** What tells an answer from the others, for as long as the page lives. */
export function keyOf(answer: Answer): string {
  return JSON.stringify(answer.answer);
}

/** Whether its answers are strings, or go with one: only the candidates that the collector was given can be seen. */
export const isOpen = ({ mechanism }: Metric): boolean => mechanism === 'rappor' || mechanism === 'string-hashing';
