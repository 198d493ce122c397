/** Words for flags. */

import { flag } from '@murmuration/shared';
import { PLANNED, type QuestionWords } from './words.ts';

export const flagWords: QuestionWords<'flag'> = {
  answers: () => 'yes or no',
  tested: 1, // the share of no is 1 minus that of yes
  planning: {
    options: () => [['--flag', 'yes or no']],
    question: (_given, { epsilon }) => flag({ epsilon, description: PLANNED }),
    words: () => 'A yes-or-no question',
  },
};
