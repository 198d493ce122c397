/** Every type of question as the collector speaks of it and shows it; in their order in the help of `murmuration plan`. */

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

/** What is said of a type; whoever has a metric passes it to what its own type says. */
export const wordsOf = (type: QuestionType): QuestionWords<QuestionType> => words[type] as unknown as QuestionWords<QuestionType>;

/**
 * How the dashboard shows a type; its page carries this table, and none of the words. A list shows its largest answers first; a scale all
 * of them, in the order of its numbers; `yes-no` both, parts of one whole. A number's mean and a distribution come with what is known of
 * them, and are shown by that.
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
