/** How the collector presents distributions. */

import { DEFAULT_CELLS, distribution } from '@murmuration/shared';
import { numbersOption } from '../../base/usage.ts';
import { PLANNED, type Planning, type QuestionPresentation, rangeIn } from './presentation.ts';

const planning: Planning<readonly number[]> = {
  options: () => [['--distribution <low,high>', 'how a number is spread', numbersOption('--distribution', 2)]],
  question: (ends, { epsilon }) => distribution(rangeIn('--distribution', ends), { epsilon, description: PLANNED }),
  summary: ([low, high]) => `How a number from ${low} to ${high} is spread, in ${DEFAULT_CELLS} cells`,
};

export const distributionPresentation: QuestionPresentation<'distribution'> = {
  answers: ({ range: [low, high], cells }) => `a number from ${low} to ${high}, in one of ${cells} parts of that range`,
  planning,
};
