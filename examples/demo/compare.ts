/** Estimates of the devices that reported, as the collector's API gives them, beside the truth of these devices. */

import { type Agreement, type AnswerEstimate, agreement, type MetricEstimates } from '@murmuration/collector';
import type { MetricDocument } from '@murmuration/shared';
import type { Truths } from './data.ts';
import { schema } from './schema.ts';

/** One line of the demo's result. */
export interface Comparison extends Agreement {
  readonly metric: string;
  readonly mechanism: string;
  readonly epsilon: number;
  readonly answers: number;
}

/** Compares one metric's estimates, from any collector of the demo's schema, with what is true. */
export function compareMetric(metric: string, estimates: readonly AnswerEstimate[], truths: Truths): Comparison {
  const { law, epsilon } = (schema.document.metrics as { readonly [name: string]: MetricDocument })[metric] as MetricDocument;
  const truth = new Map(Object.entries(truths[metric] ?? {}));
  const candidates = estimates.map(({ label }) => label);
  const counts = candidates.map((label) => truth.get(label) ?? 0);
  for (const label of candidates) truth.delete(label);
  const agreed = agreement(
    law as Parameters<typeof agreement>[0], // the demo asks for no means and for no sets
    estimates,
    { candidates, counts, others: truth },
  );
  return { metric, mechanism: law.mechanism, epsilon, answers: estimates.length, ...agreed };
}

/**
 * Asks a collector for every metric.
 *
 * @throws {Error} when it has counted other than what the devices saw delivered
 */
export async function compareAll(address: string, truths: Truths): Promise<readonly Comparison[]> {
  const compared: Comparison[] = [];
  for (const [metric, counts] of Object.entries(truths)) {
    const response = await fetch(`${address}/v1/metrics/${metric}/estimates?among=reports`);
    if (!response.ok) throw new Error(`estimates of ${metric}: expected status 200, got ${response.status}`);
    const { reports, answers } = (await response.json()) as MetricEstimates;
    const delivered = Object.values(counts).reduce((sum, count) => sum + count, 0);
    if (reports !== delivered) throw new Error(`${metric}: expected ${delivered} reports, as many as were delivered, got ${reports}`);
    compared.push(compareMetric(metric, answers, truths));
  }
  return compared;
}
