/** A recorded trace in two stores: what PostgreSQL holds, and what is estimated from it, is byte for byte what SQLite has. */

import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dayText } from '@murmuration/shared';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Candidates, perform, type Task } from '#collector/answers/tasks.ts';
import { parseBatch } from '#collector/ingest/parse-batch.ts';
import { createCatalog, publish, type Shapes } from '#collector/schemas/catalog.ts';
import { openPostgresStore } from '#collector/storage/postgres/postgres.ts';
import { openSqliteStore } from '#collector/storage/sqlite/sqlite.ts';
import type { DayRange, Entry, PartsReader, Selection, Store } from '#collector/storage/store.ts';
import { openTallies } from '#collector/storage/tallies.ts';
import { bodyOf, NOW, schema } from '../../../kit/app.ts';
import { runCommand } from '../../../setup/command.ts';
import { createDatabase, dropDatabase } from '../../../setup/postgres.ts';
import { DAY, entry, shapes as entryShapes, OTHER_VERSION, SCHEMA } from '../entries.ts';

const TODAY = Math.floor(NOW / 86_400_000);
const published = publish(schema.document);
const { metrics: catalog } = createCatalog([schema.document]);
const wire = catalog[0]?.schemas[0] ?? '';
const candidates: Candidates = new Map([['home', ['page 0', 'page 1', 'page 9']]]);

let folder: string;
let url: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-same-'));
  url = await createDatabase();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await dropDatabase(url);
});

/** Evidence with its maps in order. */
async function read(reader: Pick<PartsReader, 'read'>, selection: Selection): Promise<unknown> {
  const { tallies, ones, ...rest } = await reader.read(selection);
  return { ...rest, tallies: [...tallies], ones: ones.map(({ day, reports }) => [day, ...reports]) };
}

/** The batches of devices, as a collector takes them. */
async function trace(): Promise<readonly Entry[]> {
  const bodies = await Promise.all(Array.from({ length: 60 }, (_, device) => bodyOf(device, device % 3 === 0 ? 'ios' : 'web', device % 5)));
  return bodies.map((body) => {
    const batch = parseBatch(body, { get: (name) => (name === wire ? published : undefined) }, TODAY);
    return { ...batch, hash: createHash('sha256').update(body).digest('hex') };
  });
}

test('tallies, totals and estimates of a trace, whether deltas are folded or not, in part or in full', async () => {
  const shapes: Shapes = new Map([[wire, published.metrics]]);
  const sqlite = await openSqliteStore(join(folder, 'trace'), shapes);
  const options = { isLossAllowed: true };
  const [one, other] = await Promise.all([
    openPostgresStore({ postgres: url }, shapes, options),
    openPostgresStore({ postgres: url }, shapes, options),
  ]);
  const entries = await trace();
  const add = async (from: number, to: number): Promise<void> => {
    const part = entries.slice(from, to);
    expect(new Set(await Promise.all(part.map(sqlite.append)))).toEqual(new Set(['counted']));
    expect(new Set(await Promise.all(part.map((each, i) => (i % 2 === 0 ? one : other).append(each))))).toEqual(new Set(['counted']));
  };
  const readers = [openTallies(sqlite.source), openTallies(one.source)] as const;
  const compare = async (): Promise<void> => {
    await sqlite.fold();
    for (const { metric, schemas } of catalog)
      for (const rest of [{}, { from: TODAY - 2 }, { to: TODAY - 1, segment: { platform: 'web' } }, { segment: { platform: 'ios' } }])
        expect(await read(readers[1], { schemas, metric, ...rest })).toEqual(await read(readers[0], { schemas, metric, ...rest }));
    const plain = async (store: Store): Promise<unknown> => (await store.totals()).map(({ version: _, ...total }) => total);
    expect(await plain(one)).toEqual(await plain(sqlite));
    for (const metric of catalog) {
      const settings = { minimum: 1 };
      const of = [{ metric, range: {} }] as const;
      const parts: readonly DayRange[] = [TODAY - 4, TODAY - 2, TODAY].map((from) => ({ from, to: from + 1 }));
      const tasks: readonly Task[] = [
        { kind: 'estimates', of, settings },
        { kind: 'series', of, settings, parts, top: 3 },
      ];
      for (const task of tasks) {
        const [a, b] = await Promise.all(readers.map((reader) => perform(task, reader, candidates)));
        expect(b).toEqual(a);
      }
    }
  };
  await add(0, 25);
  await compare();
  await Promise.all([one.fold(), other.fold()]); // two at once
  await compare();
  await add(25, 60);
  await other.fold();
  await compare();
  for (const closing of [...readers, sqlite, one, other]) await closing.close();
});

test('segments with values that the JSON of PostgreSQL does not know', async () => {
  const database = await createDatabase();
  const store = await openPostgresStore({ postgres: database }, entryShapes, { isLossAllowed: true });
  for (const [i, value] of ['\u0000', '\ud800', '"\\u0000'].entries()) {
    await store.append(entry(i, { segment: JSON.stringify({ odd: value }) }));
    const selection: Selection = { schemas: [SCHEMA], metric: 'plan', segment: { odd: value } };
    expect(await store.read(selection)).toMatchObject({ reports: 1 });
    await store.fold();
    expect(await store.read(selection)).toMatchObject({ reports: 1 });
  }
  await store.close();
  await dropDatabase(database);
});

test('months, days that are no longer kept, and ids, as days are closed', async () => {
  const retention = { dailyFor: 40, keepFor: 75 };
  const sqlite = await openSqliteStore(join(folder, 'months'), entryShapes, { retention });
  const database = await createDatabase();
  const postgres = await openPostgresStore({ postgres: database }, entryShapes, { retention, isLossAllowed: true });
  const both = [sqlite, postgres];
  const [first, last] = [DAY, DAY + 110];
  for (let day = first; day <= last; day += 3) {
    const reports = [
      { metric: 'plan', cohort: day % 5, cells: [day % 8, 7] },
      { metric: 'plan', cohort: 70, cells: [3] },
      { metric: 'theme', cells: [day % 8, 1] },
    ];
    const batches = ['{"platform":"web"}', '{"platform":"ios"}'].map((segment) => entry(`${day} ${segment}`, { day, segment, reports }));
    if (day % 2 === 0) batches.push(entry(`${day}`, { day, schema: OTHER_VERSION }));
    for (const store of both) expect(new Set(await Promise.all(batches.map(store.append)))).toEqual(new Set(['counted']));
    if (day === first + 60) await postgres.fold();
  }
  for (const store of both) await store.expire(last - 20);
  const selections: readonly Selection[] = [{}, { from: first + 50 }, { from: last - 60, to: last - 10 }, { to: last - 45 }].flatMap(
    (days) => [
      { schemas: [SCHEMA, OTHER_VERSION], metric: 'plan', ...days },
      { schemas: [SCHEMA], metric: 'theme', segment: { platform: 'ios' }, ...days },
    ],
  );
  const held = (store: Store): Promise<unknown> =>
    Promise.all([
      ...selections.map((selection) => read(store, selection)),
      store.totals().then((all) => all.map(({ version: _, ...rest }) => rest)),
    ]);
  // Retention follows in the background.
  const before = JSON.stringify(await read(sqlite, { schemas: [SCHEMA], metric: 'plan' }));
  expect(before).not.toContain(`"from":${first}`);
  await expect.poll(() => held(postgres)).toEqual(await held(sqlite));
  const late = [entry('late', { day: last - 21 }), entry(`${last} {"platform":"web"}`, { day: last }), entry('new', { day: last })];
  for (const store of both) expect((await Promise.all(late.map(store.append)))[0]).toBe('expired');
  for (const store of both) await store.close();
  const closed = runCommand('days', 'show', '--data', join(folder, 'months')).stdout.split(': ')[1];
  expect(closed).toMatch(/^the days before \d{4}-/);
  expect(runCommand('days', 'show', '--postgres', database).stdout.split(': ')[1]).toBe(closed);
  const from = dayText(last - 25);
  expect(runCommand('days', 'reopen', '--from', from, '--postgres', database)).toMatchObject({ status: 0 });
  const again = await openPostgresStore({ postgres: database }, entryShapes, { retention, isLossAllowed: true });
  expect(await again.append(entry('late', { day: last - 25 }))).toBe('counted');
  expect(await again.append(entry('late', { day: last - 25 }))).toBe('duplicate');
  await again.close();
  await dropDatabase(database);
});
