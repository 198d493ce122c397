/** The collector's words and views for every type of question, in the order of the help of `murmuration plan`. */

import type { QuestionType } from '@murmuration/shared';
import { bestWords } from './best.ts';
import { choiceWords } from './choice.ts';
import { choicesWords } from './choices.ts';
import { countWords } from './count.ts';
import { distributionWords } from './distribution.ts';
import { flagWords } from './flag.ts';
import { histogramWords } from './histogram.ts';
import { jointWords } from './joint.ts';
import { meanWords } from './mean.ts';
import { textWords } from './text.ts';
import type { QuestionWords } from './words.ts';

const words: { readonly [T in QuestionType]: QuestionWords<T> } = {
  flag: flagWords,
  choice: choiceWords,
  choices: choicesWords,
  best: bestWords,
  joint: jointWords,
  histogram: histogramWords,
  text: textWords,
  mean: meanWords,
  count: countWords,
  distribution: distributionWords,
};

/** The names of the types. Marked as pure, so that a bundler that takes `views` alone leaves them out, and the words with them. */
export const types: readonly QuestionType[] = /* @__PURE__ */ Object.keys(words) as QuestionType[];

/** The words of a type. The caller passes its metric to the functions of the metric's own type. */
export const wordsOf = (type: QuestionType): QuestionWords<QuestionType> => words[type] as unknown as QuestionWords<QuestionType>;

/**
 * How the dashboard shows a type. The dashboard's page contains this table, but none of the words. A list shows its largest answers first;
 * a scale shows all answers in the order of its numbers; `yes-no` shows both, as parts of one whole. A number's mean and a distribution
 * come with their own data, and are shown accordingly.
 */
type View = 'yes-no' | 'list' | 'scale';

export const views: { readonly [T in QuestionType]: View } = {
  flag: 'yes-no',
  choice: 'list',
  choices: 'list',
  best: 'list',
  joint: 'list',
  histogram: 'scale',
  text: 'list',
  mean: 'list',
  count: 'list',
  distribution: 'scale',
};
