/** How the collector presents the best of options. */

import { shortfallOf } from '../shortfall.ts';
import { listed, type QuestionPresentation } from './presentation.ts';

export const bestPresentation: QuestionPresentation<'best'> = {
  answers: (metric) =>
    `one of the options ${listed(metric.options)}, drawn at random, the likelier the better it suits which of ${metric.inputs.length} kinds holds; nineteen times in twenty its score is at most ${shortfallOf(metric, 0.05)} below the best`,
  isUnlistedSilent: () => true,
  planning: undefined, // its utilities are too many for a command line
};
