/** How the collector presents lists that are asked together, with or without a text. */

import { isListPart, joint, jointAnswers, pairText } from '@murmuration/shared';
import { sizesOption } from '../../base/usage.ts';
import { namesFor, type Planning, type QuestionPresentation } from './presentation.ts';
import { ANY_TEXT } from './text.ts';

const planning: Planning<readonly number[]> = {
  options: () => [['--joint <sizes>', 'an answer to each of several lists, 3,2', sizesOption('--joint')]],
  question: (sizes, _asking, list) => joint(Object.fromEntries(sizes.map((size, i) => [`list${i + 1}`, namesFor(size)])), list),
  summary: (sizes) => `${sizes.length} lists at once, of ${sizes.join(' × ')} answers`,
};

export const jointPresentation: QuestionPresentation<'joint'> = {
  answers: ({ questions }) =>
    questions.map((part) => `${part.name} (${isListPart(part) ? `one of ${part.answers.length}` : ANY_TEXT})`).join(' together with '),
  isUnlistedSilent: () => true,
  // Each candidate combined with every answer of the lists.
  candidates: ({ questions }, candidates) => {
    if (questions.every(isListPart)) return undefined;
    const lists = jointAnswers(questions.filter(isListPart));
    return candidates.flatMap((candidate) =>
      lists.map((list, index) => {
        // In the order of the questions, as readers expect it.
        const answer = Object.fromEntries(questions.map((part) => [part.name, isListPart(part) ? (list[part.name] ?? '') : candidate]));
        return { answer, text: pairText(candidate, index) };
      }),
    );
  },
  planning,
};
