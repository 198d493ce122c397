/**
 * `npm run bench -- capacity`: what a store takes on the disk, by batches and by tallies. The size of a machine follows from it
 * (docs/operations.md).
 */

import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { choice, createTelemetry, defineSchema, memoryStorage, text } from '@murmuration/client';
import { dayNumber, dayText, type SchemaDocument, wireName } from '@murmuration/shared';
import { parseBatch } from '#collector/ingest/parse-batch.ts';
import { publish } from '#collector/schemas/catalog.ts';
import { DATABASE } from '#collector/storage/sqlite/schema.ts';
import { openSqliteStore } from '#collector/storage/sqlite/sqlite.ts';
import type { Entry } from '#collector/storage/store.ts';

const ask = { epsilon: 1, description: 'a question' };
const budget = { epsilon: 1, per: 'month' } as const;
/** Segments, because a row of a list is far smaller than a page of the disk. */
const SEGMENTS = Array.from({ length: 64 }, (_, i) => `segment ${i}`);
const list = defineSchema({
  app: 'list',
  version: 1,
  budget,
  segments: { part: SEGMENTS },
  metrics: { plan: choice(['a', 'b', 'c', 'd', 'e'], ask) },
});
const strings = defineSchema({ app: 'strings', version: 1, budget, metrics: { page: text(ask) } });
const today = dayNumber(Date.now());

type Transport = (request: { readonly body: string }) => Promise<{ readonly status: number }>;

/** Bodies of so many devices, each with one report. `report` is one of them. */
async function bodiesOf(devices: number, report: (transport: Transport) => Promise<unknown>): Promise<readonly string[]> {
  const bodies: string[] = [];
  const transport: Transport = async ({ body }) => {
    bodies.push(body);
    return { status: 204 };
  };
  for (let i = 0; i < devices; i++) await report(transport);
  return bodies;
}

const ENDPOINT = 'http://capacity.invalid';

const reportPlan = (transport: Transport): Promise<unknown> => {
  const telemetry = createTelemetry({
    schema: list,
    segment: { part: SEGMENTS[0] as string },
    endpoint: ENDPOINT,
    storage: memoryStorage(),
    transport,
  });
  telemetry.consent.grant();
  telemetry.record('plan', 'a');
  return telemetry.flush();
};

const reportPage = (transport: Transport): Promise<unknown> => {
  const telemetry = createTelemetry({ schema: strings, endpoint: ENDPOINT, storage: memoryStorage(), transport });
  telemetry.consent.grant();
  telemetry.record('page', 'a page');
  return telemetry.flush();
};

/** The bytes of a store with these batches. */
async function bytesOf(document: SchemaDocument, bodies: Iterable<string>): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'murmuration-capacity-'));
  const published = publish(document);
  const schemas = new Map([[wireName(document), published]]);
  const store = await openSqliteStore(folder, new Map([[wireName(document), published.metrics]]));
  let waiting: Promise<unknown>[] = [];
  for (const body of bodies) {
    const entry: Entry = { ...parseBatch(body, schemas, today), hash: '0'.repeat(16) };
    if (waiting.push(store.append(entry)) < 10_000) continue;
    await Promise.all(waiting);
    waiting = [];
  }
  await Promise.all(waiting);
  await store.close();
  const file = join(folder, DATABASE);
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = DELETE; VACUUM'); // pages of the log that are free again
  database.close();
  const { size } = statSync(file);
  rmSync(folder, { recursive: true });
  return size;
}

/** So many batches from a few: each with an id of its own, on these days in turn. */
function* copies(bodies: readonly string[], count: number, days: number): Generator<string> {
  for (let i = 0; i < count; i++) {
    const id = i.toString(16).padStart(32, '0');
    const day = dayText(today - Math.floor((i * days) / count));
    yield (bodies[i % bodies.length] as string)
      .replace(/"batch":"[^"]*"/, `"batch":"${id}"`)
      .replace('"segment 0"', `"${SEGMENTS[i % SEGMENTS.length]}"`)
      .replace(/"day":"[^"]*"/, `"day":"${day}"`);
  }
}

/** Bytes a batch, and bytes of a day's tallies of a list and of a text. */
export async function capacity(): Promise<{
  readonly result: { readonly passed: boolean; readonly batch: number; readonly list: number; readonly text: number };
  readonly rows: readonly (readonly string[])[];
}> {
  const plans = await bodiesOf(50, reportPlan);
  const pages = await bodiesOf(4_000, reportPage);
  const empty = await bytesOf(list.document, []);
  const [few, many] = [50_000, 250_000];
  const batch =
    ((await bytesOf(list.document, copies(plans, many, 1))) - (await bytesOf(list.document, copies(plans, few, 1)))) / (many - few);
  const days = 14;
  const perDay = async (document: SchemaDocument, bodies: readonly string[], count: number): Promise<number> =>
    ((await bytesOf(document, copies(bodies, count * days, days))) - empty - batch * count * days) / days;
  const result = {
    passed: true,
    batch: Math.round(batch),
    list: Math.round((await perDay(list.document, plans, 4_000)) / SEGMENTS.length),
    text: Math.round(await perDay(strings.document, pages, 4_000)),
  };
  const { law } = strings.document.metrics['page'] as { readonly law: { readonly cohorts?: number; readonly bits?: number } };
  return {
    result,
    rows: [
      ['on the disk', 'bytes'],
      ['a batch: its id, for 17 days', `${result.batch}`],
      ['a day of a list of five, a segment', `${result.list}`],
      [`a day of a text of ${law.cohorts} cohorts of ${law.bits} bits, a segment`, `${result.text}`],
    ],
  };
}
