/** With a spill, a collector acknowledges batches while its database is away, and each is counted once when it is back. */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createCollector } from '@murmuration/collector';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openPostgresStore, type PostgresStore } from '#collector/storage/postgres/postgres.ts';
import { SpillLog } from '#collector/storage/postgres/spill/spill-log.ts';
import { withSpill } from '#collector/storage/postgres/spill/spilling.ts';
import type { Store } from '#collector/storage/store.ts';
import { type DatabaseProxy, startProxy } from '../../../faults/postgres/proxy.ts';
import { bodyOf, NOW, schema } from '../../../kit/app.ts';
import { runCommand } from '../../../setup/command.ts';
import { createDatabase, dropDatabase } from '../../../setup/postgres.ts';
import { DAY, entry, OTHER_APP, SCHEMA, shapes, sum } from '../entries.ts';

const MOST = 100_000;

let folder: string;
let url: string;
let proxy: DatabaseProxy;
let told: string[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-spill-'));
  url = await createDatabase();
  proxy = await startProxy(url);
  told = [];
});
afterEach(async () => {
  await proxy.close();
  await dropDatabase(url);
  rmSync(folder, { recursive: true });
});

const openShared = (postgres: string, known = shapes, limits = {}): Promise<PostgresStore> =>
  openPostgresStore({ postgres }, known, { isLossAllowed: true, limits });

async function open(mostBytes = MOST, known = shapes, limits = {}): Promise<Store> {
  const log = new SpillLog(folder, mostBytes);
  return withSpill(await openShared(proxy.url, log.publish(known), limits), log, (trouble) => told.push(trouble));
}

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `${i}`);
const append = (store: Store, all: readonly string[]): Promise<readonly string[]> =>
  Promise.all(all.map((name) => store.append(entry(name))));

test('batches are acknowledged while the database is away, and are in it soon after it is back', async () => {
  const store = await open();
  expect(await append(store, ['before'])).toEqual(['counted']);
  expect(store.spilled?.()).toBe(0);
  proxy.set('refuse');
  expect(new Set(await append(store, names(20)))).toEqual(new Set(['counted']));
  expect(new Set(await append(store, names(20)))).toEqual(new Set(['counted'])); // again, as devices do
  expect(store.spilled?.()).toBeGreaterThan(0);
  proxy.set('pass');
  await expect.poll(() => store.spilled?.()).toBe(0);
  expect(await sum(store)).toMatchObject({ reports: 21 });
  expect(new Set(await append(store, names(20)))).toEqual(new Set(['duplicate']));
  await store.close();
  const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name)));
  expect(Buffer.concat(bytes).includes('notes/1/')).toBe(true); // shapes of schemas only
  const rows = new DatabaseSync(join(folder, 'spill.sqlite'));
  expect(rows.prepare('SELECT count(*) AS n FROM spilled').get()).toEqual({ n: 0 });
  rows.close();
});

test('a batch that another collector takes meanwhile is counted once, and of two bodies the first that was counted', async () => {
  const [store, other] = [await open(), await openShared(url)];
  proxy.set('refuse');
  await append(store, ['a', 'b']);
  expect(await store.append(entry('c', { body: 'one body' }))).toBe('counted');
  expect(await append(other, ['a', 'c'])).toEqual(['counted', 'counted']);
  proxy.set('pass');
  await expect.poll(() => store.spilled?.()).toBe(0);
  expect(await sum(other)).toMatchObject({ reports: 3 });
  expect(told).toEqual([expect.stringContaining('dropped now: conflict')]);
  await other.close();
  await store.close();
});

test('a batch whose commit lost its answer is spilled and counted once', async () => {
  const store = await open();
  proxy.set('cut-after-commit', 4);
  expect(await append(store, names(5))).toEqual(Array(5).fill('counted'));
  await expect.poll(() => store.spilled?.()).toBe(0);
  expect(await sum(store)).toMatchObject({ reports: 5 });
  await store.close();
});

test('what is spilled outlives the process and the schema, and goes to the next collector with the folder', async () => {
  const store = await open();
  proxy.set('refuse');
  await append(store, names(7));
  await store.append(entry('other', { schema: OTHER_APP }));
  await expect(open()).rejects.toThrow('in use');
  await store.close();
  expect(told).toEqual([expect.stringMatching(/^\d+ bytes of batches are left in the spill/)]);
  proxy.set('pass');
  const next = await open(MOST, new Map([...shapes].filter(([name]) => name === SCHEMA)));
  await expect.poll(() => next.spilled?.()).toBe(0);
  expect(await sum(next)).toMatchObject({ reports: 7 });
  expect(await sum(next, { schemas: [OTHER_APP] })).toMatchObject({ reports: 1 });
  await next.close();
});

test('a collector that stops forwards what it can first', async () => {
  const store = await open();
  proxy.set('refuse');
  await append(store, names(5));
  proxy.set('pass');
  await expect.poll(() => store.isAway?.()).toBe(false);
  await store.close();
  const log = new SpillLog(folder, MOST);
  expect(log.bytes).toBe(0);
  log.close();
});

test('a spill takes no more bytes than it may, and batches are then asked to come again', async () => {
  const store = await open(2_000);
  proxy.set('refuse');
  const results = [];
  for (const name of names(60)) results.push(await store.append(entry(name)).catch((error: Error) => error.constructor.name));
  expect(new Set(results)).toEqual(new Set(['counted', 'StoreAway']));
  expect(store.spilled?.()).toBeLessThanOrEqual(2_000);
  proxy.set('pass');
  await expect.poll(() => store.spilled?.()).toBe(0);
  expect(await sum(store)).toMatchObject({ reports: results.filter((result) => result === 'counted').length });
  await store.close();
});

test('batches that there is no room for stay in the spill, and batches of closed days are dropped and told', async () => {
  const store = await open(MOST, shapes, { mostRows: 1 });
  expect(await append(store, ['a'])).toEqual(['counted']);
  proxy.set('refuse');
  const cohort = (n: number) => ({ reports: [{ metric: 'plan', cohort: n, cells: [1] }] });
  await Promise.all([store.append(entry('b', cohort(1))), store.append(entry('c', { day: DAY - 5 })), store.append(entry('d'))]);
  proxy.set('pass');
  const other = await openShared(url);
  await other.expire(DAY - 2);
  await expect.poll(() => told.join('\n')).toContain('wait until there is room');
  expect(told.join('\n')).toContain('1 batches were acknowledged while the database was away, and are dropped now: expired');
  expect(await sum(other)).toMatchObject({ reports: 2 });
  const left = store.spilled?.() ?? 0;
  expect(left).toBeGreaterThan(0);
  await store.close();
  const roomy = await open();
  await expect.poll(() => roomy.spilled?.()).toBe(0);
  expect(await sum(roomy)).toMatchObject({ reports: 3 });
  await roomy.close();
  await other.close();
});

test('a collector with a spill answers 204, and is not ready until its spill is empty', async () => {
  const collector = await createCollector({
    ...{ schemas: [schema.document], postgres: proxy.url, allowLoss: true, open: true, now: () => NOW, spill: folder },
  });
  const address = await collector.listen(0, '127.0.0.1');
  const bodies = await Promise.all([bodyOf(1), bodyOf(2)]);
  const send = async (device: 1 | 2): Promise<number> =>
    (await fetch(`${address}/v1/reports`, { method: 'POST', body: bodies[device - 1] ?? '' })).status;
  const reasons = async (): Promise<unknown> => ((await (await fetch(`${address}/readyz`)).json()) as { reasons: unknown }).reasons;
  expect(await send(1)).toBe(204);
  expect(await reasons()).toEqual([]);
  proxy.set('refuse');
  expect(await send(2)).toBe(204);
  expect(await reasons()).toEqual(['store-away', 'spilled']);
  expect(await (await fetch(`${address}/metrics`)).text()).toMatch(/^murmuration_spill_bytes [1-9]/m);
  proxy.set('pass');
  await expect.poll(reasons).toEqual([]);
  expect(await send(2)).toBe(204);
  expect(await (await fetch(`${address}/v1/metrics/plan/estimates`)).json()).toMatchObject({ reports: 2 });
  await collector.close();
});

test('a spill needs a database', () => {
  expect(runCommand('serve', '--spill', folder, '--data', folder)).toMatchObject({
    status: 2,
    stderr: 'murmuration: --spill: expected --postgres beside it, got none\n',
  });
});
