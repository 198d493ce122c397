/** A database that does not answer, and one whose answer is lost: nothing is lost or double, and it needs no hands. */

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createCollector } from '@murmuration/collector';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StoreAway } from '#collector/base/fault.ts';
import { Database } from '#collector/storage/postgres/database.ts';
import { openPostgresStore } from '#collector/storage/postgres/postgres.ts';
import { STEPS } from '#collector/storage/postgres/tables.ts';
import type { Store } from '#collector/storage/store.ts';
import { type DatabaseProxy, startProxy } from '../../../faults/postgres/proxy.ts';
import { bodyOf, NOW, schema } from '../../../kit/app.ts';
import { createDatabase, dropDatabase } from '../../../setup/postgres.ts';
import { execute } from '../../../setup/postgres-server.ts';
import { DAY, entry, shapes, sum } from '../entries.ts';

let url: string;
let proxy: DatabaseProxy;
beforeEach(async () => {
  url = await createDatabase();
  proxy = await startProxy(url);
});
afterEach(async () => {
  await proxy.close();
  await dropDatabase(url);
});

const open = (postgres: string): Promise<Store> => openPostgresStore({ postgres }, shapes, { isLossAllowed: true });

/** What 12 batches are, of which one came twice, and one again with other bytes. */
const expected = [...Array(12).fill('counted'), 'duplicate', 'conflict'];

test.each([
  ['cut-before-commit', 'counted'],
  ['cut-after-commit', 'duplicate'],
] as const)('each batch has the right answer when the connection is cut: %s', async (mode, result) => {
  const store = await open(proxy.url);
  expect(await store.append(entry('before'))).toBe('counted');
  proxy.set(mode, 1);
  const batches = Array.from({ length: 12 }, (_, i) => entry(i));
  const results = await Promise.all([...batches, entry(0), entry(1, { body: 'another body' })].map(store.append));
  expect(proxy.cuts()).toBe(1);
  expect(results).toEqual(expected.map((each) => (each === 'counted' ? result : each)));
  expect(await Promise.all(batches.map(store.append))).toEqual(Array(12).fill('duplicate'));
  expect(await sum(store)).toMatchObject({ reports: 13 });
  await store.close();
});

test('one batch that comes to four collectors at once is counted by one of them', async () => {
  const stores = await Promise.all(Array.from({ length: 4 }, () => open(url)));
  for (let n = 0; n < 25; n++) {
    // In an order of its own for each, so that flushes with the same ids might wait for each other.
    const names = Array.from({ length: 8 }, (_, i) => 8 * n + i);
    const orders = stores.map((_, i) => names.map((_, k) => names[(k * 3 + i) % 8] as number));
    const results = await Promise.all(stores.map((store, i) => Promise.all((orders[i] ?? []).map((name) => store.append(entry(name))))));
    for (const name of names) {
      const of = stores.map((_, i) => results[i]?.[orders[i]?.indexOf(name) ?? -1]);
      expect(of.toSorted()).toEqual(['counted', 'duplicate', 'duplicate', 'duplicate']);
    }
    if (n % 8 === 0) await Promise.all(stores.map((store) => store.fold()));
  }
  for (const store of stores) expect(await sum(store)).toMatchObject({ reports: 200, from: DAY });
  for (const store of stores) await store.close();
});

test('a collector stops by itself once the tables are of a newer version, and counts nothing more', async () => {
  const store = await open(url);
  expect(await store.append(entry('a'))).toBe('counted');
  await execute(url, 'UPDATE murmuration.store SET version = version + 1');
  await expect(store.append(entry('b'))).rejects.toThrow(`expected tables of version ${STEPS.length}, got version ${STEPS.length + 1}`);
  expect((await store.failed).message).toContain(`got version ${STEPS.length + 1}`);
  await execute(url, 'UPDATE murmuration.store SET version = version - 1');
  expect(await sum(store)).toMatchObject({ reports: 1 });
  await store.close();
});

test('a collector answers 503 and is not ready while its database is away, and goes on by itself', async () => {
  const collector = await createCollector({
    schemas: [schema.document],
    postgres: proxy.url,
    allowLoss: true,
    open: true,
    now: () => NOW,
  });
  const address = await collector.listen(0, '127.0.0.1');
  const send = async (body: string): Promise<Response> => fetch(`${address}/v1/reports`, { method: 'POST', body });
  const [one, other] = await Promise.all([bodyOf(1), bodyOf(2)]);
  expect((await send(one)).status).toBe(204);
  proxy.set('refuse');
  const refused = await send(other);
  expect([refused.status, await refused.json()]).toEqual([503, expect.objectContaining({ error: 'store-away' })]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  const unready = await fetch(`${address}/readyz`);
  expect([unready.status, await unready.json()]).toEqual([503, { ready: false, reasons: ['store-away'] }]);
  expect((await fetch(`${address}/v1/metrics`)).status).toBe(503);
  expect((await fetch(`${address}/v1/metrics/plan/estimates`)).status).toBe(503);
  expect((await fetch(`${address}/metrics`)).status).toBe(200);
  proxy.set('pass');
  await expect.poll(async () => (await fetch(`${address}/readyz`)).status).toBe(200);
  expect((await send(other)).status).toBe(204);
  expect((await send(one)).status).toBe(204);
  expect(await (await fetch(`${address}/v1/metrics/plan/estimates`)).json()).toMatchObject({ reports: 2 });
  await collector.close();
});

/** A message of the protocol: its type, its length, and what it says. */
const message = (type: string, ...parts: readonly (string | readonly number[])[]): Buffer => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string)));
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
};

test('a connection that is ended in the packet in which it is accepted fails its work, and not the process', async () => {
  const accepted = [message('R', [0, 0, 0, 0]), message('Z', 'I')];
  const ended = message('E', 'SFATAL\0', 'VFATAL\0', 'C57P01\0', 'Mterminating connection due to administrator command\0', '\0');
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(Buffer.concat([...accepted, ended])));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const database = new Database({ postgres: `postgres://me@127.0.0.1:${port}/telemetry` }, { connections: 1, isGuarded: false });
  const failed = database.transaction((query) => query('SELECT 1'));
  await expect(failed).rejects.toThrow(StoreAway);
  await expect(failed).rejects.toThrow('terminating connection due to administrator command');
  await database.close();
  server.close();
});
