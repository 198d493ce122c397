/** Keys, tokens, published schemas, roles, annotations and the log of actions, in a database that collectors share. */

import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Collector, createCollector } from '@murmuration/collector';
import { canonicalSchema } from '@murmuration/shared';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWriteKey } from '#collector/storage/admin/credentials.ts';
import { Database } from '#collector/storage/postgres/database.ts';
import { changeAdmin } from '#collector/storage/postgres/replica.ts';
import { bodyOf, NOW, schema } from '../../../kit/app.ts';
import { bin } from '../../../setup/command.ts';
import { createDatabase, dropDatabase } from '../../../setup/postgres.ts';
import { execute as query } from '../../../setup/postgres-server.ts';

let folder: string;
let url: string;
let collectors: readonly Collector[];
let addresses: readonly string[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-admin-'));
  writeFileSync(join(folder, 'schema.json'), canonicalSchema(schema.document));
  url = await createDatabase();
  collectors = await Promise.all(
    [1, 2].map(() => createCollector({ schemas: [], postgres: url, allowLoss: true, now: () => NOW, perMetric: 1 })),
  );
  addresses = await Promise.all(collectors.map((collector) => collector.listen(0, '127.0.0.1')));
});
afterAll(async () => {
  for (const collector of collectors) await collector.close();
  await dropDatabase(url);
  rmSync(folder, { recursive: true });
});

const execute = promisify(execFile);

/** A reader who signs in with a token that is not in force yet must soon wait a minute, so ask seldom. */
const SELDOM = { interval: 2_000 } as const;

/** Runs a command in a process of its own, because collectors of this one may hold what it waits for. Resolves to what it prints. */
const run = async (...args: readonly string[]): Promise<unknown> =>
  JSON.parse((await execute(process.execPath, [bin, ...args, '--json'], { env: { ...process.env, MURMURATION_POSTGRES: url } })).stdout);
const status = async (address: string, path: string, token: string): Promise<number> =>
  (await fetch(`${address}${path}`, { headers: { authorization: `Bearer ${token}` } })).status;

test('of collectors that start at once, one makes the first token, and both take it', async () => {
  const tokens: string[] = [];
  await Promise.all(collectors.map((collector) => collector.admin.announceFirst((token) => tokens.push(token))));
  expect(tokens).toHaveLength(1);
  for (const address of addresses) await expect.poll(() => status(address, '/v1/metrics', tokens[0] ?? ''), SELDOM).toBe(200);
});

test('what commands create, publish, give, write and revoke is in force in every collector within seconds', async () => {
  expect(await run('schemas', 'publish', join(folder, 'schema.json'))).toMatchObject({ published: true });
  const { key } = (await run('keys', 'create', '--app', 'notes', '--per-minute', '1000')) as { readonly key: string };
  const { token } = (await run('keys', 'create', '--role', 'viewer', '--name', 'ann')) as { readonly token: string };
  const send = async (address: string, device: number): Promise<number> =>
    (await fetch(`${address}/v1/reports?key=${key}`, { method: 'POST', body: await bodyOf(device) })).status;
  for (const [i, address] of addresses.entries()) {
    await expect.poll(() => send(address, i)).toBe(204);
    await expect.poll(() => status(address, '/v1/metrics/plan/estimates', token), SELDOM).toBe(200);
  }
  await run('roles', 'set', 'kim', '--role', 'reviewer');
  await expect.poll(() => collectors.map(({ admin }) => admin.roleOf('kim')?.role)).toEqual(['reviewer', 'reviewer']);
  await run('roles', 'remove', 'kim');
  await expect.poll(() => collectors.map(({ admin }) => admin.roleOf('kim'))).toEqual([undefined, undefined]);
  const { n } = (await run('annotations', 'add', 'Campaign', '--app', 'notes', '--day', '2026-11-03')) as { readonly n: number };
  const seen = (): unknown => collectors.map(({ admin }) => admin.annotations.map(({ text }) => text));
  await expect.poll(seen).toEqual([['Campaign'], ['Campaign']]);
  expect(await run('annotations', 'list')).toEqual({ annotations: [{ n, app: 'notes', day: '2026-11-03', text: 'Campaign' }] });
  await run('annotations', 'remove', `${n}`);
  await expect.poll(seen).toEqual([[], []]);
  await run('keys', 'revoke', 'ann');
  for (const address of addresses) await expect.poll(() => status(address, '/v1/metrics', token)).toBe(401);
  await expect(run('keys', 'revoke', 'ann')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('expected a key or token that is not revoked yet'),
  });
  const listed = (await run('keys', 'list')) as {
    readonly keys: readonly { readonly name: string; readonly perMinute?: number }[];
  };
  expect(listed.keys.map(({ name, perMinute }) => [name, perMinute]).toSorted()).toEqual([
    ['admin', undefined],
    ['ann', undefined],
    ['notes', 1_000],
  ]);
});

test('the log of actions has all of it in order, and nobody can change it', async () => {
  const [actions] = collectors.map(({ admin }) => admin.actions(100, undefined, []));
  expect(actions?.map(({ n }) => n)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1]);
  const whats = ['revoked', 'removed', 'annotated', 'took', 'gave', 'created', 'created', 'published', 'created'];
  expect(actions?.map(({ what }) => what.split(' ')[0])).toEqual(whats);
  for (const sql of [
    "UPDATE murmuration.admin_action SET who = 'me'",
    'DELETE FROM murmuration.admin_action',
    'TRUNCATE murmuration.admin_action',
  ])
    await expect(query(url, sql)).rejects.toThrow('append-only');
});

test('collectors share one log of schemas, which all of them sign alike and nobody can change', async () => {
  const checkpoints = async (): Promise<readonly string[]> =>
    Promise.all(addresses.map(async (address) => (await fetch(`${address}/.well-known/murmuration-log/checkpoint`)).text()));
  await expect.poll(checkpoints).toEqual(Array(2).fill(expect.stringMatching(/^murmuration\/[0-9a-f]{16}\n1\n/)));
  const [one, other] = await checkpoints();
  expect(one).toBe(other);
  const verified = (await run('log', 'verify', addresses[0] as string, '--schema', join(folder, 'schema.json'))) as {
    readonly size: number;
  };
  expect(verified.size).toBe(1);
  for (const sql of [
    "UPDATE murmuration.admin_schema_log SET entry = ''",
    'DELETE FROM murmuration.admin_schema_log',
    'TRUNCATE murmuration.admin_schema_log',
    "UPDATE murmuration.admin_log_key SET name = 'x'",
    'DELETE FROM murmuration.admin_log_key',
  ])
    await expect(query(url, sql)).rejects.toThrow('append-only');
});

test('changes at once come one after the other, and one that fails leaves nothing', async () => {
  const database = new Database({ postgres: url }, { connections: 4, isGuarded: false });
  const make = (name: string): Promise<unknown> =>
    changeAdmin(database, (replica) => createWriteKey(replica, 'test', 'other', undefined, name));
  await Promise.all(['a', 'b', 'c', 'd'].map(make));
  await expect(make('a')).rejects.toThrow('expected a name that no key or token has had');
  const failing = changeAdmin(database, (replica) => {
    createWriteKey(replica, 'test', 'other', undefined, 'e');
    throw new RangeError('the connection');
  });
  await expect(failing).rejects.toThrow(new RangeError('the connection')); // and not as a broken connection
  await database.close();
  const rows = await query(url, "SELECT name FROM murmuration.admin_credential WHERE role = 'writer' ORDER BY name");
  expect(rows.flat()).toEqual(['a', 'b', 'c', 'd', 'notes']);
  expect(await query(url, 'SELECT max(n), count(*)::integer FROM murmuration.admin_action')).toEqual([[13, 13]]);
});

test('a collector that runs while an older state is put back tells the ledger of releases', async () => {
  await run('release', 'budget', 'set', '--app', 'notes', '--epsilon', '2');
  await run('release', 'budget', 'set', '--app', 'notes', '--epsilon', '3');
  const seen = collectors.map(({ admin }) => admin);
  await expect
    .poll(() => seen.map((admin) => admin.actions(1, undefined, [])[0]?.what))
    .toEqual(Array(2).fill(expect.stringContaining('ε 3')));
  await query(
    url,
    `ALTER TABLE murmuration.release_entry DISABLE TRIGGER USER; DELETE FROM murmuration.release_entry WHERE n = 2;
      ALTER TABLE murmuration.release_entry ENABLE TRIGGER USER`,
  );
  const place = async (): Promise<unknown> => (await query(url, 'SELECT place FROM murmuration.release_place'))[0]?.[0];
  await expect.poll(place).toMatch(/^in doubt: a ledger that lacks entry 2/);
  await expect(run('release', 'budget', 'set', '--app', 'notes', '--epsilon', '4')).rejects.toMatchObject({ code: 1 });
  await run('release', 'override', '--reason', 'a test');
  await run('release', 'budget', 'set', '--app', 'notes', '--epsilon', '4');
});

test('keys that can’t be read are told once, and not with each look', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const collector = await createCollector({ schemas: [], postgres: url, allowLoss: true, log });
  const told = (): number => lines.filter((line) => line.includes('could not be read')).length;
  await query(url, 'ALTER TABLE murmuration.store RENAME TO other');
  await expect.poll(told).toBe(1);
  await sleep(1_200); // two more looks
  await query(url, 'ALTER TABLE murmuration.other RENAME TO store');
  expect(told()).toBe(1);
  await collector.close();
});
