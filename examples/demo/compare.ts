/** Estimates of the devices that reported, as the collector's API gives them, beside the truth of these devices. */

import { type Agreement, type AnswerEstimate, agreement, chiSquaredTail, type MetricEstimates } from '@murmuration/collector';
import type { MetricDocument } from '@murmuration/shared';
import { asked, type Truth, type Truths } from './data.ts';
import { schema } from './schema.ts';

/** One line of the demo's result. */
export interface Comparison extends Agreement {
  readonly metric: string;
  readonly mechanism: string;
  readonly epsilon: number;
  readonly answers: number;
}

/** True if a metric's estimates have an exact covariance: a device has one answer of a list, or one text of given candidates. */
export const isJoint = ({ type }: MetricDocument): boolean => ['flag', 'choice', 'joint', 'histogram', 'text'].includes(type);

const sum = (numbers: readonly number[]): number => numbers.reduce((total, x) => total + x, 0);

/**
 * The agreement of estimates that vary together in ways that are not computed: each is tested on its own, and the least p-value is multiplied
 * by their number.
 */
function apart(estimates: readonly AnswerEstimate[], truth: readonly number[]): Agreement {
  const errors = estimates.map(({ estimate }, i) => estimate - (truth[i] as number));
  const squares = estimates.map(({ standardError }, i) => ((errors[i] as number) / standardError) ** 2);
  const df = estimates.length;
  return {
    rmse: Math.sqrt(sum(errors.map((error) => error ** 2)) / df),
    expectedRmse: Math.sqrt(sum(estimates.map(({ standardError }) => standardError ** 2)) / df),
    z2: sum(squares),
    df,
    pValue: Math.min(1, df * chiSquaredTail(Math.max(...squares), 1)),
    coverage95: sum(estimates.map(({ low, high }, i) => Number(low <= (truth[i] as number) && (truth[i] as number) <= high))) / df,
  };
}

/** Compares one metric's estimates, from any collector of the demo's schema, with what is true. */
export function compareMetric(metric: string, estimates: readonly AnswerEstimate[], { reports, sums }: Truth): Comparison {
  const document = (schema.document.metrics as { readonly [name: string]: MetricDocument })[metric] as MetricDocument;
  const { law, epsilon } = document;
  const candidates = estimates.map(({ label }) => label);
  const counts = candidates.map((label) => sums[label] ?? 0);
  const about = { metric, mechanism: law.mechanism, epsilon, answers: estimates.length };
  if (!isJoint(document)) {
    return {
      ...about,
      ...apart(
        estimates,
        counts.map((count) => count / reports),
      ),
    };
  }
  const others = new Map(Object.entries(sums).filter(([label]) => !candidates.includes(label)));
  return { ...about, ...agreement(law as Parameters<typeof agreement>[0], estimates, { candidates, counts, others }) };
}

/**
 * Asks a collector for every metric.
 *
 * @throws {Error} when it has counted other than what the devices saw delivered
 */
export async function compareAll(address: string, truths: Truths): Promise<readonly Comparison[]> {
  const compared: Comparison[] = [];
  for (const [metric, truth] of Object.entries(truths)) {
    const query = new URLSearchParams([['among', 'reports'], ...(asked[metric] ?? []).map((each) => ['candidate', each])]);
    const response = await fetch(`${address}/v1/metrics/${metric}/estimates?${query}`);
    if (!response.ok) throw new Error(`estimates of ${metric}: expected status 200, got ${response.status}`);
    const { reports, answers } = (await response.json()) as MetricEstimates;
    if (reports !== truth.reports)
      throw new Error(`${metric}: expected ${truth.reports} reports, as many as were delivered, got ${reports}`);
    compared.push(compareMetric(metric, answers, truth));
  }
  return compared;
}
