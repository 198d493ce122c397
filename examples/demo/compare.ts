/** Estimates of the devices that reported, as the collector's API gives them, beside the truth of these devices. */

import { type Agreement, type AnswerEstimate, agreement, chiSquaredTail, type MetricEstimates } from '@murmuration/collector';
import { isPrefixLaw, type MetricDocument } from '@murmuration/shared';
import { asked, type Truths } from './data.ts';
import { schema } from './schema.ts';

/** One line of the demo's result. */
export interface Comparison extends Agreement {
  readonly metric: string;
  readonly mechanism: string;
  readonly epsilon: number;
  readonly answers: number;
}

const sum = (numbers: Iterable<number>): number => [...numbers].reduce((total, x) => total + x, 0);

/** The agreement of estimates that do not vary together, as those of strings at different places. */
function apart(estimates: readonly AnswerEstimate[], counts: readonly number[], reports: number): Agreement {
  const truth = counts.map((count) => count / reports);
  const errors = estimates.map(({ estimate }, i) => estimate - (truth[i] as number));
  const z2 = sum(estimates.map(({ standardError }, i) => ((errors[i] as number) / standardError) ** 2));
  const df = estimates.length;
  return {
    rmse: Math.sqrt(sum(errors.map((error) => error ** 2)) / df),
    expectedRmse: Math.sqrt(sum(estimates.map(({ standardError }) => standardError ** 2)) / df),
    z2,
    df,
    pValue: chiSquaredTail(z2, df),
    coverage95: sum(estimates.map(({ low, high }, i) => Number(low <= (truth[i] as number) && (truth[i] as number) <= high))) / df,
  };
}

/** Compares one metric's estimates, from any collector of the demo's schema, with what is true. */
export function compareMetric(metric: string, estimates: readonly AnswerEstimate[], truths: Truths): Comparison {
  const { law, epsilon } = (schema.document.metrics as { readonly [name: string]: MetricDocument })[metric] as MetricDocument;
  const truth = new Map(Object.entries(truths[metric] ?? {}));
  const candidates = estimates.map(({ label }) => label);
  const counts = candidates.map((label) => truth.get(label) ?? 0);
  const about = { metric, mechanism: law.mechanism, epsilon, answers: estimates.length };
  if (isPrefixLaw(law)) return { ...about, ...apart(estimates, counts, sum(truth.values())) };
  for (const label of candidates) truth.delete(label);
  const agreed = agreement(
    law as Parameters<typeof agreement>[0], // the demo asks for no means and for no sets
    estimates,
    { candidates, counts, others: truth },
  );
  return { ...about, ...agreed };
}

/**
 * Asks a collector for every metric.
 *
 * @throws {Error} when it has counted other than what the devices saw delivered
 */
export async function compareAll(address: string, truths: Truths): Promise<readonly Comparison[]> {
  const compared: Comparison[] = [];
  for (const [metric, counts] of Object.entries(truths)) {
    const query = new URLSearchParams([['among', 'reports'], ...(asked[metric] ?? []).map((each) => ['candidate', each])]);
    const response = await fetch(`${address}/v1/metrics/${metric}/estimates?${query}`);
    if (!response.ok) throw new Error(`estimates of ${metric}: expected status 200, got ${response.status}`);
    const { reports, answers } = (await response.json()) as MetricEstimates;
    const delivered = Object.values(counts).reduce((sum, count) => sum + count, 0);
    if (reports !== delivered) throw new Error(`${metric}: expected ${delivered} reports, as many as were delivered, got ${reports}`);
    compared.push(compareMetric(metric, answers, truths));
  }
  return compared;
}
