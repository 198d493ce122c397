/** Every type of question as the collector speaks of it, one line each; in their order in the help of `murmuration plan`. */

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

/** The names of the types. */
export const types: readonly QuestionType[] = Object.keys(words) as QuestionType[];

/** What is said of a type; whoever has a metric passes it to what its own type says. */
export const wordsOf = (type: QuestionType): QuestionWords<QuestionType> => words[type] as unknown as QuestionWords<QuestionType>;
