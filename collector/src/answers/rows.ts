/** The unbiased estimates of a metric, answer by answer, and their differences: for series and comparisons. */

import { answersOf, cellLabels, isDistributionLaw, isPrefixLaw, labelOf, type MetricDocument, rangeOf } from '@murmuration/shared';
import { discover } from '../decoding/discovery/discover.ts';
import { meanPlace } from '../estimation/distribution.ts';
import type { Estimate } from '../estimation/estimate.ts';
import { distributionOf, estimatesOf } from '../estimation/mechanisms/table.ts';
import { type Judged, judgedOf, judgedShare } from '../estimation/sequences.ts';
import { candidateAnswersOf } from './candidates.ts';
import { inUnit } from './distribution.ts';
import type { AnswerEstimate, EstimateRequest } from './estimates.ts';
import { basisOf } from './estimates.ts';

/** An answer and its estimate: a share, or a number in the unit of the metric. */
export interface Row extends Estimate {
  readonly answer: AnswerEstimate['answer'];
  readonly label: string;
}

/** How a distribution is told: the shares of its cells, or its mean. */
export type Quantity = 'cells' | 'mean';

/** True if a metric asks for a number, of which a series tells the mean. */
export const isNumber = (document: MetricDocument): boolean => rangeOf(document) !== undefined || 'cells' in document;

const row = (answer: Row['answer'], { estimate, standardError, low, high }: Estimate): Row => ({
  answer,
  label: labelOf(answer),
  estimate,
  standardError,
  low,
  high,
});

/** A row, as it is judged. */
export interface JudgedRow extends Pick<Row, 'answer' | 'label'> {
  readonly judged: Judged;
}

/** The answers in the order of the metric or of the candidates. None where there are fewer reports than the minimum. */
export function judgedRowsOf(
  { metric, evidence, minimum, candidates, among = 'population' }: EstimateRequest,
  quantity: Quantity,
): readonly JudgedRow[] {
  const { document } = metric;
  const { tallies, reports } = evidence;
  if (reports < minimum || reports === 0) return [];
  const { law } = document;
  const basis = basisOf(document, evidence, among);
  const { perDevice, people } = basis;
  const rowed = (answers: readonly Row['answer'][], judged: readonly Judged[]): readonly JudgedRow[] =>
    judged.slice(0, answers.length).map((each, i) => {
      const answer = answers[i] as Row['answer'];
      return { answer, label: labelOf(answer), judged: each };
    });
  if ('cells' in document && isDistributionLaw(law)) {
    const found = distributionOf(law, tallies, people);
    if (found === undefined) return [];
    if (quantity === 'mean') return rowed(['mean'], [{ estimate: inUnit(meanPlace(found), document.range), reports }]);
    const labels = cellLabels(document.range, document.cells);
    return rowed(
      labels,
      labels.map((_, i) => judgedShare(found, reports, people, i, i + 1)),
    );
  }
  const range = rangeOf(document);
  const listed = answersOf(document);
  const sought = listed || range ? [] : candidateAnswersOf(document, candidates);
  const answers = range ? ['mean'] : (listed ?? sought.map(({ answer }) => answer));
  const estimates = estimatesOf(law, { tallies, perDevice, people, candidates: sought.map(({ text }) => text) });
  return rowed(
    answers,
    range ? estimates.map((each) => ({ estimate: inUnit(each, range), reports })) : judgedOf(law, estimates, reports, basis),
  );
}

/** The answers with their estimates alone. */
export const rowsOf = (request: EstimateRequest, quantity: Quantity): readonly Row[] =>
  judgedRowsOf(request, quantity).map(({ answer, judged }) => row(answer, judged.estimate));

/*
 * The difference of two estimates of one metric, between two ranges of days, versions or segments, with its 95 % interval.
 *
 * Var(B - A) = Var A + Var B - 2 Cov(A, B). The tallies do not tell which devices are on both sides, so Cov is not known; but it is never
 * negative where the following holds, and it is counted as 0. The interval is then exact for different devices, and otherwise cautious.
 *
 * - Coins. A report of a metric without memory has coins of its own: the noises of different reports are independent, whoever sent them. A
 *   permanent metric's reports of one epoch share the noise of the stored symbol. Given the first answer of the epoch, reports r and s of
 *   one symbol have Cov(r, s) = Var(E[r | symbol]) = v∞ >= 0, wherever the two reports are counted; of different epochs, versions (which
 *   begin an epoch when the law differs) and devices, 0. Within each side, `repeatsIn` counts how many share a symbol.
 * - Strings. Both sides share the hash, so a string that collides with a candidate raises both, in proportion to its share: >= 0.
 * - People. For intervals about all users, the people of each side are a random sample. Where they are the same people, a person's answers
 *   on both sides are taken not to be negatively related: who gave an answer before is at least as likely as others to give it again.
 *
 * A permanent metric repeats its first answer until the epoch ends. Two ranges within one epoch therefore differ only by devices that came
 * or went, whatever people did.
 *
 * The interval is the square-and-add interval (Newcombe 1998, Statistics in Medicine 17:873, method 10; Zou and Donner 2008): with the
 * intervals (l, u) of the sides, B - A lies between d - sqrt((B - l_B)² + (u_A - A)²) and d + sqrt((u_B - B)² + (A - l_A)²). It keeps the
 * asymmetry and the exact ends of few reports, and equals the usual one where both sides are symmetric.
 */

/** B minus A. */
export function difference(a: Estimate, b: Estimate): Estimate {
  const estimate = b.estimate - a.estimate;
  const reach = (one: number, other: number): number => Math.hypot(Math.max(0, one), Math.max(0, other));
  return {
    estimate,
    standardError: Math.hypot(a.standardError, b.standardError),
    low: estimate - reach(b.estimate - b.low, a.high - a.estimate),
    high: estimate + reach(b.high - b.estimate, a.estimate - a.low),
  };
}

/** The candidates; where strings are discovered and there are no candidates, those that are found. */
export function wantedIn({ metric, evidence, minimum, candidates }: EstimateRequest): readonly string[] {
  const { law } = metric.document;
  if (candidates.length > 0 || !isPrefixLaw(law) || evidence.reports < minimum) return candidates;
  return discover(law, evidence.tallies).strings.map(({ text }) => text);
}
