/**
 * The most reports that one device can add to a table in one day, which bounds what an answer can say about any device-day.
 *
 * Each batch has one date. A device sends at most `batchesPerDay` batches with one date, across tabs, versions and days offline
 * (client/src/outbox.ts), and the collector counts no batch with two reports of a metric (`perMetric`). So a device-day has at most
 * `batchesPerDay` reports of a metric.
 *
 * It has at most one if the app has no more metrics than `batchesPerDay`, and each metric has the same cadence, and an `otherwise` answer or
 * none, in all versions. A report's date is its slot's first day, or that plus an offset that the metric's cadence fixes up to a number below
 * the cadence. So the dates of a metric's reports differ, unless one was moved to a later date because its own was full. A date is full with
 * `batchesPerDay` batches, each with a report of its own. Consider the first report that is moved. Before it, the metrics' dates differ, so
 * those reports are of as many other metrics, and the app has more than `batchesPerDay` metrics. docs/release.md says what this assumes.
 *
 * A report that is sent alone is never moved. Slots of one spacing (a cadence, with an `otherwise` answer or without) are at least that
 * cadence apart, and dates are theirs plus such an offset. So a metric has at most one report with a date for each spacing that it has in the
 * versions that send reports alone. Where some versions send them together, both bounds are added.
 */

import { MAX_REPORTS, type SchemaDocument } from '@murmuration/shared';

/** How many different spacings a metric's reports have in these versions; 0 if none has it. */
function spacingsOf(documents: readonly SchemaDocument[], metric: string): number {
  const spacings = documents.flatMap(({ metrics }) => {
    const known = Object.hasOwn(metrics, metric) ? metrics[metric] : undefined;
    return known === undefined ? [] : `${known.every} ${known.otherwise !== undefined}`;
  });
  return new Set(spacings).size;
}

/** The names of all metrics of an app's versions. */
export const metricsOf = (documents: readonly SchemaDocument[]): readonly string[] =>
  [...new Set(documents.flatMap(({ metrics }) => Object.keys(metrics)))].sort();

/**
 * The most reports of these metrics that one device can add in one day.
 *
 * @param documents all versions of the app that devices may use
 */
export function mostReports(documents: readonly SchemaDocument[], metrics: readonly string[], batchesPerDay: number): number {
  const [together = [], alone = []] = (['together', 'alone'] as const).map((sending) =>
    documents.filter(({ reports }) => reports === sending),
  );
  const fitsWithoutMoving = metricsOf(documents).length <= batchesPerDay;
  const mostTogether = metrics.map((metric) => (fitsWithoutMoving && spacingsOf(documents, metric) <= 1 ? 1 : batchesPerDay));
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, most) => total + most, 0);
  return (
    (together.length > 0 ? Math.min(sum(mostTogether), batchesPerDay * MAX_REPORTS) : 0) +
    sum(metrics.map((metric) => spacingsOf(alone, metric)))
  );
}
