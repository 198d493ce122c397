/** The batch: what a device uploads, version 1, for ever. The device writes it; the collector checks it here. */

import { dayText, parseDay } from './calendar.ts';
import { fromBase64url } from './encoding/bytes.ts';
import type { Report } from './mechanisms/law.ts';
import { mechanismOf } from './mechanisms/table.ts';
import type { MetricDocument, SchemaDocument } from './schema/document.ts';

/** The largest body, in bytes: a browser's keepalive quota. */
export const MAX_BODY_BYTES = 65_536;
/** The most reports in one batch. */
export const MAX_REPORTS = 1_000;
/** A batch is accepted from so many days before the collector's day, to so many after. */
export const ACCEPTED_DAYS = { before: 14, after: 1 } as const;

/** A batch as JSON. */
export interface Batch {
  readonly v: 1;
  /** `app/version/checksum` */
  readonly schema: string;
  /** The UTC day on which the reports were recorded. */
  readonly day: string;
  /** 128 random bits, 32 hex digits. */
  readonly batch: string;
  readonly segment?: { readonly [name: string]: string };
  /** Metric and report, as base64url. */
  readonly reports: readonly (readonly [metric: string, report: string])[];
}

/** Every way in which the collector can refuse a batch, with its HTTP status. */
export const REFUSALS = {
  malformed: 400,
  'future-day': 400,
  'unknown-metric': 400,
  'bad-segment': 400,
  'bad-report': 400,
  'unknown-schema': 404,
  conflict: 409,
  'stale-day': 410,
  'length-required': 411,
  'too-large': 413,
} as const;

/** What came, as text. What is nested too deeply to be written is only named. */
function show(got: unknown): string {
  if (typeof got === 'string') return got;
  try {
    return JSON.stringify(got) ?? String(got);
  } catch {
    return `an ${typeof got}`;
  }
}

/** A refusal: one line of JSON for the device, nothing counted. */
export class Refusal extends Error {
  readonly code: keyof typeof REFUSALS;
  readonly expected: string;
  readonly got: string;

  constructor(code: keyof typeof REFUSALS, expected: string, got: unknown) {
    // The body is an outsider's: a short piece of it is enough to find the mistake.
    const shown = show(got).slice(0, 80);
    super(`${code}: expected ${expected}, got ${shown}`);
    this.code = code;
    this.expected = expected;
    this.got = shown;
  }
}

/** A batch that passed every check. */
export interface AcceptedBatch {
  readonly schema: string;
  /** Days since 1970-01-01. */
  readonly day: number;
  readonly id: string;
  /** Segment values in the order of their names' sorting, as JSON; `{}` without segments. */
  readonly segment: string;
  readonly reports: readonly { readonly metric: string; readonly report: Report }[];
}

const KEYS = ['v', 'schema', 'day', 'batch', 'segment', 'reports'];

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isPair = (value: unknown): value is readonly [string, string] =>
  Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'string');

function parseForm(body: string): { readonly batch: Batch; readonly day: number } {
  const malformed = (expected: string, got: unknown): Refusal => new Refusal('malformed', expected, got);
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw malformed('JSON', body);
  }
  if (!isObject(value)) throw malformed('an object', value);
  if (value['v'] !== 1) throw malformed('"v": 1', value['v']);
  const stranger = Object.keys(value).find((key) => !KEYS.includes(key));
  if (stranger !== undefined) throw malformed(`only ${KEYS.join(', ')}`, stranger);
  const { schema, day, batch, segment, reports } = value;
  if (typeof schema !== 'string') throw malformed('"schema": "app/version/checksum"', schema);
  const number = typeof day === 'string' ? parseDay(day) : undefined;
  if (number === undefined) throw malformed('"day": "2026-11-20"', day);
  if (typeof batch !== 'string' || !/^[0-9a-f]{32}$/.test(batch)) throw malformed('"batch": 32 lower-case hex digits', batch);
  if (segment !== undefined && !(isObject(segment) && Object.values(segment).every((value) => typeof value === 'string'))) {
    throw malformed('"segment": an object of strings', segment);
  }
  if (!Array.isArray(reports) || reports.length < 1 || reports.length > MAX_REPORTS) {
    throw malformed(`"reports": 1 to ${MAX_REPORTS} reports`, Array.isArray(reports) ? reports.length : reports);
  }
  const odd = reports.find((report) => !isPair(report));
  if (odd !== undefined) throw malformed('each report to be [metric, base64url]', odd);
  return { batch: value as unknown as Batch, day: number };
}

function checkDay(day: number, today: number): void {
  const [first, last] = [today - ACCEPTED_DAYS.before, today + ACCEPTED_DAYS.after];
  if (day < first) throw new Refusal('stale-day', `a day from ${dayText(first)}`, dayText(day));
  if (day > last) throw new Refusal('future-day', `a day up to ${dayText(last)}`, dayText(day));
}

function checkSegment(segment: Batch['segment'], { segments = {} }: SchemaDocument): string {
  const names = Object.keys(segments).sort();
  const given = Object.keys(segment ?? {});
  if ((segment !== undefined) !== names.length > 0 || given.length !== names.length) {
    throw new Refusal('bad-segment', names.length > 0 ? `segments ${names.join(', ')}` : 'no segment', segment);
  }
  const entries = names.map((name) => {
    const value = segment !== undefined && Object.hasOwn(segment, name) ? segment[name] : undefined;
    if (value === undefined || !segments[name]?.includes(value)) {
      throw new Refusal('bad-segment', `${name}: one of ${segments[name]?.join(', ')}`, value);
    }
    return [name, value];
  });
  return JSON.stringify(Object.fromEntries(entries));
}

function checkReport([metric, payload]: readonly [string, string], { metrics }: SchemaDocument): AcceptedBatch['reports'][number] {
  if (!Object.hasOwn(metrics, metric)) throw new Refusal('unknown-metric', 'a metric of the schema', metric);
  const { law } = metrics[metric] as MetricDocument;
  try {
    return { metric, report: mechanismOf(law).decode(law, fromBase64url(payload)) };
  } catch (error) {
    throw new Refusal('bad-report', `a ${law.mechanism} report of ${metric}`, (error as Error).message);
  }
}

/**
 * Checks a batch and decodes its reports.
 *
 * @param body the request's body, at most `MAX_BODY_BYTES` long
 * @param schemas the published schemas by `wireName`
 * @param today the collector's day, in days since 1970-01-01
 * @throws {Refusal} when any part of it does not fit; nothing of it may be counted then
 */
export function parseBatch(body: string, schemas: ReadonlyMap<string, SchemaDocument>, today: number): AcceptedBatch {
  const { batch, day } = parseForm(body);
  const document = schemas.get(batch.schema);
  if (document === undefined) throw new Refusal('unknown-schema', 'a schema that is published here', batch.schema);
  checkDay(day, today);
  const segment = checkSegment(batch.segment, document);
  return { schema: batch.schema, day, id: batch.batch, segment, reports: batch.reports.map((report) => checkReport(report, document)) };
}
