/** How the collector presents texts. */

import { text } from '@murmuration/shared';
import { PLANNED, type QuestionPresentation } from './presentation.ts';

/** How a text is described to the person who is asked. */
export const ANY_TEXT = 'any text, of which only randomized bits of a hash leave the device';

export const textPresentation: QuestionPresentation<'text'> = {
  answers: () => ANY_TEXT,
  candidates: (_metric, candidates) => candidates.map((candidate) => ({ answer: candidate, text: candidate })),
  isText: true,
  planning: {
    options: () => [['--text', 'any text, to be looked up among candidates']],
    question: (_given, { epsilon }) => text({ epsilon, description: PLANNED }),
    summary: () => 'A text in the user’s own words',
  },
};
