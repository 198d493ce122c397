/** How the collector presents choices of one answer. */

import { choice, MAX_ANSWERS } from '@murmuration/shared';
import { wholeOption } from '../../base/usage.ts';
import { listed, namesFor, type Planning, type QuestionPresentation } from './presentation.ts';

const planning: Planning<number> = {
  options: () => [['--choice <n>', 'one of so many answers', wholeOption('--choice', 2, MAX_ANSWERS)]],
  question: (size, _asking, list) => choice(namesFor(size), list),
  summary: (size) => `A choice of one of ${size} answers`,
};

export const choicePresentation: QuestionPresentation<'choice'> = {
  answers: ({ answers }) => listed(answers),
  isUnlistedSilent: ({ other }) => !other,
  planning,
};
