/**
 * The columns of an app's table of participation. A row is a report: its metric, the version of the schema, its day and the device's
 * segments, and never an answer. All values are declared in schemas, so that no answer tells which of them occur.
 */

import type { SchemaDocument } from '@murmuration/shared';
import type { Catalog } from '../../schemas/catalog.ts';
import { metricsOf } from './contribution.ts';
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

/** Whether the values are numbers, so that they have an order. */
export const areNumbers = (values: readonly string[]): boolean =>
  declared(values).every((value) => value.trim() !== '' && Number.isFinite(Number(value)));

/** Whether they are whole numbers, which can be added up exactly. */
export const areWhole = (values: readonly string[]): boolean =>
  areNumbers(values) && declared(values).every((value) => Number.isSafeInteger(Number(value)));
