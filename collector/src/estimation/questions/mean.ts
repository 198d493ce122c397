/** How the collector presents means. */

import { mean } from '@murmuration/shared';
import { numbersOption } from '../../base/usage.ts';
import { PLANNED, type Planning, type QuestionPresentation, rangeIn } from './presentation.ts';

const planning: Planning<readonly number[]> = {
  options: () => [['--mean <low,high>', 'the average of a number', numbersOption('--mean', 2)]],
  question: (ends, { epsilon }) => mean(rangeIn('--mean', ends), { epsilon, description: PLANNED }),
  summary: ([low, high]) => `The average of a number from ${low} to ${high}`,
};

export const meanPresentation: QuestionPresentation<'mean'> = {
  answers: ({ range: [low, high] }) => `a number from ${low} to ${high}; the collector estimates the mean over many reports`,
  planning,
};
