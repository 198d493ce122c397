/** How the collector presents histograms. */

import { bucketLabels, histogram } from '@murmuration/shared';
import { numbersOption } from '../../base/usage.ts';
import { listed, type Planning, type QuestionPresentation } from './presentation.ts';

const planning: Planning<readonly number[]> = {
  options: () => [['--histogram <edges>', 'which bucket between these edges a number is in, 0,100,1000', numbersOption('--histogram', 1)]],
  question: (edges, _asking, list) => histogram(edges, list),
  summary: (edges) => `A number in one of ${edges.length + 1} buckets`,
};

export const histogramPresentation: QuestionPresentation<'histogram'> = {
  answers: ({ edges }) => `the range in which a number lies: ${listed(bucketLabels(edges))}`,
  planning,
};
