/** Validates a batch completely against the published schemas, and packs its reports as words for the tallies. */

import { ACCEPTED_DAYS, type Batch, dayText, MAX_REPORTS, type Packing, parseDay, type Report, unpackReport } from '@murmuration/shared';
import { type Refusal, refusal } from '../base/refusal.ts';
import type { PackedMetric, Published } from '../schemas/catalog.ts';
import type { AcceptedBatch } from '../storage/store.ts';

/** Finds a schema by its wire name. May throw a refusal for one that is known and not taken. */
export interface SchemaLookup {
  readonly get: (wire: string) => Published | undefined;
}

/** An id of a batch. */
export const BATCH_ID: RegExp = /^[0-9a-f]{32}$/;

const KEYS = ['v', 'schema', 'day', 'batch', 'segment', 'reports'];

const isObject = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isPair = (value: unknown): value is readonly [string, string] =>
  Array.isArray(value) && value.length === 2 && typeof value[0] === 'string' && typeof value[1] === 'string';

/** The last day that was parsed, cached because nearly all batches received on one day carry the same day. */
let lastDay: { readonly text: string; readonly day: number } = { text: '', day: 0 };

function dayOf(text: string): number | undefined {
  if (text === lastDay.text) return lastDay.day;
  const day = parseDay(text);
  if (day !== undefined) lastDay = { text, day };
  return day;
}

function parseForm(body: string): { readonly batch: Batch; readonly day: number } {
  const malformed = (expected: string, got: unknown): Refusal => refusal('malformed', expected, got);
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
  const number = typeof day === 'string' ? dayOf(day) : undefined;
  if (number === undefined) throw malformed('"day": "2026-11-20"', day);
  if (typeof batch !== 'string' || !BATCH_ID.test(batch)) throw malformed('"batch": 32 lower-case hex digits', batch);
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
  if (day < first) throw refusal('stale-day', `a day from ${dayText(first)}`, dayText(day));
  if (day > last) throw refusal('future-day', `a day up to ${dayText(last)}`, dayText(day));
}

function checkSegment(segment: Batch['segment'], { segments }: Published): string {
  const given = segment === undefined ? 0 : Object.keys(segment).length;
  if ((segment !== undefined) !== segments.length > 0 || given !== segments.length) {
    throw refusal('bad-segment', segments.length > 0 ? `segments ${segments.map(([name]) => name).join(', ')}` : 'no segment', segment);
  }
  let json = '';
  for (const [name, values] of segments) {
    const value = segment !== undefined && Object.hasOwn(segment, name) ? segment[name] : undefined;
    const member = value === undefined ? undefined : values.get(value);
    if (member === undefined) throw refusal('bad-segment', `${name}: one of ${[...values.keys()].join(', ')}`, value);
    json += json === '' ? member : `,${member}`;
  }
  return `{${json}}`;
}

/** Refuses a batch with more than `most` reports of one metric. An honest device answers a question once a slot. */
function checkRepeats(reports: Batch['reports'], most: number): void {
  if (reports.length <= most) return;
  const counts = new Map<string, number>();
  for (const [metric] of reports) {
    const count = (counts.get(metric) ?? 0) + 1;
    if (count > most) throw refusal('too-many-reports', `at most ${most} reports of ${metric} a batch`, 'more');
    counts.set(metric, count);
  }
}

/** Buffer in which reports are packed. They are copied out once their number is known. */
let room = new Int32Array(1_024);
let bytes = new Uint8Array(room.buffer);

function reserve(words: number): void {
  if (words <= room.length) return;
  const larger = new Int32Array(2 * words);
  larger.set(room);
  room = larger;
  bytes = new Uint8Array(room.buffer);
}

/** Packs one report and returns where it ends. */
function packReport([metric, payload]: readonly [string, string], { readers }: Published, at: number): number {
  const reader = readers.get(metric);
  if (reader === undefined) throw refusal('unknown-metric', 'a metric of the schema', metric);
  const { number, mechanism, packing } = reader;
  const end = at + 1 + packing.words;
  reserve(end);
  room[at] = number;
  try {
    packing.pack(payload, room, bytes, at + 1);
  } catch (error) {
    throw refusal('bad-report', `a ${mechanism} report of ${metric}`, (error as Error).message);
  }
  return end;
}

/**
 * Validates a batch and packs its reports.
 *
 * @param body the request's body, at most `MAX_BODY_BYTES` long
 * @param schemas the published schemas by `wireName`
 * @param today the collector's day, in days since 1970-01-01
 * @param most the most reports of one metric; only the batch's own limit applies when left out
 * @throws {Refusal} when any part of it is invalid; no part of the batch may then be counted
 */
export function parseBatch(body: string, schemas: SchemaLookup, today: number, most: number = MAX_REPORTS): AcceptedBatch {
  const { batch, day } = parseForm(body);
  const published = schemas.get(batch.schema);
  if (published === undefined) throw refusal('unknown-schema', 'a schema that is published here', batch.schema);
  checkDay(day, today);
  const segment = checkSegment(batch.segment, published);
  let end = 0;
  for (const report of batch.reports) end = packReport(report, published, end);
  checkRepeats(batch.reports, most);
  return { schema: batch.schema, day, id: batch.batch, segment, reports: room.slice(0, end), count: batch.reports.length };
}

/** The reports of a batch, one by one. */
export function unpackReports(
  { metrics, readers }: Published,
  packed: Int32Array,
): readonly { readonly metric: string; readonly report: Report }[] {
  const reports: { readonly metric: string; readonly report: Report }[] = [];
  for (let at = 0; at < packed.length; ) {
    const { name, shape } = metrics[packed[at] as number] as PackedMetric;
    const { packing } = readers.get(name) as { readonly packing: Packing };
    reports.push({ metric: name, report: unpackReport(shape, packing, packed, at + 1) });
    at += 1 + packing.words;
  }
  return reports;
}
