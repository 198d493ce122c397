/**
 * The columns of an app's table of participation. A row is a report: its metric, the version of the schema, its day and the device's
 * segments, and never an answer. All values are declared in schemas, so that no answer tells which of them occur.
 */

import { MAX_REPORTS, type SchemaDocument } from '@murmuration/shared';
import type { Catalog } from '../../schemas/catalog.ts';
import type { ReportCount } from './participation.ts';

/** A column with its declared values. */
export interface Column {
  readonly name: string;
  readonly values: readonly string[];
  /** The value of a row. */
  readonly of: (row: ReportCount) => string;
}

/** An app's table: what is known of it without looking at reports. */
export interface Table {
  readonly app: string;
  /** All versions, by wire name. */
  readonly schemas: ReadonlyMap<string, SchemaDocument>;
  /** All columns but the day, whose values are those of the question. */
  readonly columns: ReadonlyMap<string, Column>;
}

/** The column of days. */
export const DAY = 'day';

const RESERVED = ['metric', 'version', DAY];

/** The value of a segment that a version does not declare. */
const NONE = '';

/** The columns of the segments of all versions. */
function segmentColumns(documents: readonly SchemaDocument[]): readonly Column[] {
  const names = [...new Set(documents.flatMap(({ segments = {} }) => Object.keys(segments)))].sort();
  return names.map((segment) => {
    const declared = documents.flatMap(({ segments = {} }) => (Object.hasOwn(segments, segment) ? (segments[segment] ?? []) : [NONE]));
    return {
      name: RESERVED.includes(segment) ? `segment.${segment}` : segment,
      values: [...new Set(declared)].sort(),
      of: (row) => (Object.hasOwn(row.segment, segment) ? (row.segment[segment] ?? NONE) : NONE),
    };
  });
}

/** The table of an app with these versions, by wire name. */
export function tableWith(app: string, schemas: Table['schemas']): Table {
  const documents = [...schemas.values()];
  const versions = [...new Set(documents.map(({ version }) => version))].sort((a, b) => a - b).map(String);
  const columns: readonly Column[] = [
    { name: 'metric', values: metricsOf(documents), of: ({ metric }) => metric },
    { name: 'version', values: versions, of: ({ schema }) => String(schemas.get(schema)?.version) },
    ...segmentColumns(documents),
  ];
  return { app, schemas, columns: new Map(columns.map((column) => [column.name, column])) };
}

/** The table of an app. @throws {RangeError} when no schema of the app is published */
export function tableOf(catalog: Catalog, app: string): Table {
  const schemas = new Map([...catalog.schemas].filter(([, document]) => document.app === app));
  if (schemas.size > 0) return tableWith(app, schemas);
  const apps = [...new Set([...catalog.schemas.values()].map((document) => document.app))].sort();
  throw new RangeError(`app: expected one of the published apps (${apps.join(', ')}), got ${JSON.stringify(app.slice(0, 80))}`);
}

/** The values of a column that reports have, without that of reports whose version does not declare the segment. */
export const declared = (values: readonly string[]): readonly string[] => values.filter((value) => value !== NONE);

/** True if the values are numbers, so that they have an order. */
export const areNumbers = (values: readonly string[]): boolean =>
  declared(values).every((value) => value.trim() !== '' && Number.isFinite(Number(value)));

/** True if they are whole numbers, which can be added up exactly. */
export const areWhole = (values: readonly string[]): boolean =>
  areNumbers(values) && declared(values).every((value) => Number.isSafeInteger(Number(value)));

/*
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

/** How many different spacings a metric's reports have in these versions; 0 if none has it. */
function spacingsOf(documents: readonly SchemaDocument[], metric: string): number {
  const spacings = documents.flatMap(({ metrics }) => {
    const known = Object.hasOwn(metrics, metric) ? metrics[metric] : undefined;
    return known === undefined ? [] : `${known.every} ${known.otherwise !== undefined}`;
  });
  return new Set(spacings).size;
}

/** The names of all metrics of an app's versions. */
const metricsOf = (documents: readonly SchemaDocument[]): readonly string[] =>
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
