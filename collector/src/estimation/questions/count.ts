/** How the collector presents counts. */

import { count } from '@murmuration/shared';
import { wholeOption } from '../../base/usage.ts';
import { PLANNED, type Planning, type QuestionPresentation } from './presentation.ts';

const planning: Planning<number> = {
  options: () => [['--count <max>', 'the average of a count from 0', wholeOption('--count', 1, 100_000)]],
  question: (max, { epsilon }) => count(max, { epsilon, description: PLANNED }),
  summary: (max) => `The average of a count from 0 to ${max}`,
};

export const countPresentation: QuestionPresentation<'count'> = {
  answers: ({ max }) => `a count from 0 to ${max}; the collector estimates the mean over many reports`,
  planning,
};
