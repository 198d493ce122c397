/** A published metric as the list shows it. */

import { type About, dayText, type Law, type MetricDocument, type Range, rangeOf, type SchemaDocument } from '@murmuration/shared';
import type { PublishedMetric } from '../schemas/catalog.ts';
import { inWords } from '../schemas/compare.ts';
import { type Totals, totalKey } from './fresh-totals.ts';

/** A metric in the answer of `GET /v1/metrics`. */
export interface MetricSummary
  extends About,
    Pick<MetricDocument, 'type' | 'epsilon' | 'every' | 'permanent'>,
    Pick<PublishedMetric, 'app' | 'metric' | 'version' | 'segments'> {
  readonly mechanism: Law['mechanism'];
  /** The least and the greatest answer of a number whose mean is estimated. */
  readonly range?: Range;
  /** The answer that is reported for slots in which nothing was recorded, in words. */
  readonly otherwise?: string;
  /** Each device is asked only a random part of the schema's metrics. */
  readonly assign?: NonNullable<SchemaDocument['assign']>;
  readonly reports: number;
  /** The first and the last day with reports; null without any. */
  readonly from: string | null;
  readonly to: string | null;
}

/** What a metric's reports are in all. */
function totalOf(totals: Totals, { schemas, metric }: PublishedMetric): Pick<MetricSummary, 'reports' | 'from' | 'to'> {
  const found = schemas.flatMap((schema) => totals.get(totalKey(schema, metric)) ?? []);
  if (found.length === 0) return { reports: 0, from: null, to: null };
  return {
    reports: found.reduce((sum, { reports }) => sum + reports, 0),
    from: dayText(Math.min(...found.map(({ from }) => from))),
    to: dayText(Math.max(...found.map(({ to }) => to))),
  };
}

/** A metric, and what its reports are in all. */
export function summaryOf(metric: PublishedMetric, totals: Totals): MetricSummary {
  const { type, law, epsilon, every, permanent, otherwise } = metric.document;
  const range = rangeOf(metric.document);
  const participation = {
    ...(otherwise !== undefined && { otherwise: inWords(otherwise) }),
    ...(metric.assign && { assign: metric.assign }),
  };
  const asked = {
    type,
    mechanism: law.mechanism,
    epsilon,
    every,
    ...(range && { range }),
    ...(permanent && { permanent }),
    ...participation,
  };
  const { app, metric: name, version, about, segments } = metric;
  return { app, metric: name, version, ...about, ...asked, ...totalOf(totals, metric), segments };
}
