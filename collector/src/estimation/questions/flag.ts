/** How the collector presents flags. */

import { flag } from '@murmuration/shared';
import { PLANNED, type QuestionPresentation } from './presentation.ts';

export const flagPresentation: QuestionPresentation<'flag'> = {
  answers: () => 'yes or no',
  tested: 1, // the share of no is 1 minus that of yes
  planning: {
    options: () => [['--flag', 'yes or no']],
    question: (_given, { epsilon }) => flag({ epsilon, description: PLANNED }),
    summary: () => 'A yes-or-no question',
  },
};
