/** The unbiased estimates of a metric, answer by answer, without what describes a whole list: for series and comparisons. */

import { answersOf, cellLabels, isDistributionLaw, labelOf, type MetricDocument, rangeOf } from '@murmuration/shared';
import { interval, meanPlace, shareOf } from '../estimation/distribution.ts';
import type { Estimate } from '../estimation/estimate.ts';
import { distributionOf, estimatesOf } from '../estimation/mechanisms/table.ts';
import { basisOf } from './basis.ts';
import { candidateAnswersOf } from './candidates.ts';
import type { AnswerEstimate, EstimateRequest } from './estimates.ts';
import { inUnit } from './in-unit.ts';

/** An answer and its estimate: a share, or a number in the unit of the metric. */
export interface Row extends Estimate {
  readonly answer: AnswerEstimate['answer'];
  readonly label: string;
}

/** How a distribution is told: the shares of its cells, or its mean. */
export type Telling = 'cells' | 'mean';

/** Whether a metric asks for a number, of which a series tells the mean. */
export const isNumber = (document: MetricDocument): boolean => rangeOf(document) !== undefined || 'cells' in document;

const row = (answer: Row['answer'], { estimate, standardError, low, high }: Estimate): Row => ({
  answer,
  label: labelOf(answer),
  estimate,
  standardError,
  low,
  high,
});

/** The answers in the order of the metric or of the candidates. None where there are fewer reports than the minimum. */
export function rowsOf({ metric, evidence, minimum, candidates, among = 'population' }: EstimateRequest, telling: Telling): readonly Row[] {
  const { document } = metric;
  const { tallies, reports } = evidence;
  if (reports < minimum || reports === 0) return [];
  const { law } = document;
  const { perDevice, people } = basisOf(document, evidence, among);
  if ('cells' in document && isDistributionLaw(law)) {
    const found = distributionOf(law, tallies, people);
    if (found === undefined) return [];
    if (telling === 'mean') return [row('mean', inUnit(meanPlace(found), document.range))];
    return cellLabels(document.range, document.cells).map((label, i) => row(label, interval(shareOf(found, i, i + 1))));
  }
  const range = rangeOf(document);
  const listed = answersOf(document);
  const sought = listed || range ? [] : candidateAnswersOf(document, candidates);
  const answers = range ? ['mean'] : (listed ?? sought.map(({ answer }) => answer));
  const estimates = estimatesOf(law, { tallies, perDevice, people, candidates: sought.map(({ text }) => text) });
  return estimates.slice(0, answers.length).map((each, i) => row(answers[i] as Row['answer'], range ? inUnit(each, range) : each));
}
