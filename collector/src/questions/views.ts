/** How the dashboard shows each type of question, one line each. It imports no more, so that the page carries no more. */

import type { QuestionType } from '@murmuration/shared';

/**
 * A list shows its largest answers first; a scale all of them, in the order of its numbers; `yes-no` both, parts of one whole. A number's
 * mean and a distribution come with what is known of them, and are shown by that.
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
