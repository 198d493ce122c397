/** How the collector presents choices of several answers. */

import { choices, MAX_ANSWERS } from '@murmuration/shared';
import { wholeOption } from '../../base/usage.ts';
import { listed, namesFor, PLANNED, type Planning, type QuestionPresentation } from './presentation.ts';

const planning: Planning<number> = {
  options: () => [
    ['--choices <n>', 'several of so many answers, with --at-most', wholeOption('--choices', 2, MAX_ANSWERS)],
    ['--at-most <n>', 'how many of --choices one user can give', wholeOption('--at-most', 1, 64)],
  ],
  question: (size, { epsilon, atMost = 1 }) => choices(namesFor(size), { epsilon, description: PLANNED, atMost }),
  summary: (size, { atMost }) => `A choice of up to ${atMost} of ${size} answers`,
};

export const choicesPresentation: QuestionPresentation<'choices'> = {
  answers: ({ atMost, answers }) => `up to ${atMost} of these, drawn at random where there are more: ${listed(answers)}`,
  isUnlistedSilent: ({ other }) => !other,
  planning,
};
