/** How the collector presents every type of question, in the order of the help of `murmuration plan`. */

import type { QuestionType } from '@murmuration/shared';
import { bestPresentation } from './best.ts';
import { choicePresentation } from './choice.ts';
import { choicesPresentation } from './choices.ts';
import { countPresentation } from './count.ts';
import { discoverPresentation } from './discover.ts';
import { distributionPresentation } from './distribution.ts';
import { flagPresentation } from './flag.ts';
import { histogramPresentation } from './histogram.ts';
import { jointPresentation } from './joint.ts';
import { meanPresentation } from './mean.ts';
import type { QuestionPresentation } from './presentation.ts';
import { textPresentation } from './text.ts';

const presentations: { readonly [T in QuestionType]: QuestionPresentation<T> } = {
  flag: flagPresentation,
  choice: choicePresentation,
  choices: choicesPresentation,
  best: bestPresentation,
  joint: jointPresentation,
  histogram: histogramPresentation,
  text: textPresentation,
  discover: discoverPresentation,
  mean: meanPresentation,
  count: countPresentation,
  distribution: distributionPresentation,
};

/** The names of the types. Marked as pure, so that a bundler that takes `views` alone leaves them out, and the presentations with them. */
export const types: readonly QuestionType[] = /* @__PURE__ */ Object.keys(presentations) as QuestionType[];

/** The presentation of a type. The caller passes its metric to the functions of the metric's own type. */
export const presentationOf = (type: QuestionType): QuestionPresentation<QuestionType> =>
  presentations[type] as unknown as QuestionPresentation<QuestionType>;

/**
 * How the dashboard shows a type. The dashboard's page contains this table, but none of the presentations. A list shows its largest answers first;
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
  discover: 'list',
  mean: 'list',
  count: 'list',
  distribution: 'scale',
};
