/** How the collector presents strings that are to be discovered. */

import { discover, MOST_BYTES } from '@murmuration/shared';
import { wholeOption } from '../../base/usage.ts';
import { PLANNED, type Planning, type QuestionPresentation } from './presentation.ts';

/** As many strings of six letters are possible; a string of other length needs about as much evidence. */
const TESTED = 1e9;

const planning: Planning<number> = {
  options: () => [['--discover <bytes>', 'any text of so many bytes, found without a list', wholeOption('--discover', 1, MOST_BYTES)]],
  question: (longest, { epsilon }) => discover({ epsilon, longest, description: PLANNED }),
  summary: (longest) => `A text of up to ${longest} bytes that nobody has listed`,
};

export const discoverPresentation: QuestionPresentation<'discover'> = {
  answers: ({ longest }) =>
    `any text, of which the first ${longest} bytes count; only a randomized hash of its beginning leaves the device`,
  candidates: (_metric, candidates) => candidates.map((candidate) => ({ answer: candidate, text: candidate })),
  isText: true,
  tested: TESTED,
  planning,
};
