/** A store moves from a folder to PostgreSQL with everything in it, is cut off at any point and goes on, and is never in use twice. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  createToken,
  createWriteKey,
  listCredentials,
  listRoles,
  revokeCredential,
  setRole,
} from '#collector/storage/admin/credentials.ts';
import { listActions, openAdminDatabase } from '#collector/storage/admin/database.ts';
import { listSchemas, publishSchemas } from '#collector/storage/admin/published.ts';
import { copyAhead, migrateStore } from '#collector/storage/migration/migrate.ts';
import { Target } from '#collector/storage/migration/target.ts';
import { openPostgresStore } from '#collector/storage/postgres/postgres.ts';
import { openPostgresLedger } from '#collector/storage/postgres/release-ledger.ts';
import { openReplica } from '#collector/storage/postgres/replica.ts';
import type { Ledger } from '#collector/storage/release-ledger.ts';
import { removeMigration } from '#collector/storage/sqlite/migration-mark.ts';
import { openSqliteLedger } from '#collector/storage/sqlite/release-ledger.ts';
import { openSqliteStore } from '#collector/storage/sqlite/sqlite.ts';
import { closedBefore, pruneStore, reopenDays } from '#collector/storage/sqlite/upkeep.ts';
import type { Store } from '#collector/storage/store.ts';
import { startProxy } from '../../../faults/postgres/proxy.ts';
import { schema } from '../../../kit/app.ts';
import { bin, type Ran, runProcess } from '../../../setup/command.ts';
import { createDatabase, dropDatabase, emptyDatabase } from '../../../setup/postgres.ts';
import { execute } from '../../../setup/postgres-server.ts';
import { DAY, entry, OTHER_APP, OTHER_VERSION, SCHEMA, shapes } from '../entries.ts';

let folder: string;
let url: string;
const opened: Store[] = [];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-migrate-'));
  url = await createDatabase();
});
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
  await dropDatabase(url);
  rmSync(folder, { recursive: true });
});

const openSqlite = async (): Promise<Store> => {
  const store = await openSqliteStore(folder, shapes);
  opened.push(store);
  return store;
};
const openPostgres = async (): Promise<Store> => {
  const store = await openPostgresStore({ postgres: url }, shapes, { isLossAllowed: true });
  opened.push(store);
  return store;
};
const close = async (): Promise<void> => {
  for (const store of opened.splice(0)) await store.close();
};
const places = () => ({ folder, postgres: { postgres: url }, isLossAllowed: true });
const migrate = (...args: readonly string[]): Ran =>
  runProcess('migrate', '--from', 'sqlite', '--to', 'postgres', '--data', folder, '--postgres', url, '--allow-loss', ...args);

const OLD = DAY - 400;
const SEGMENTS = ['{}', '{"platform":"web"}', '{"platform":"ios\\u0000\\"é"}'];

/** Batch n: a day, a segment, a schema, two reports, of which one is of bits. */
const numbered = (n: number, day: number = DAY - (n % 5)): ReturnType<typeof entry> =>
  entry(n, {
    day,
    segment: SEGMENTS[n % 3] ?? '',
    schema: [SCHEMA, OTHER_VERSION, OTHER_APP][n % 7] ?? SCHEMA,
    reports: [
      { metric: 'plan', cohort: n % 8, cells: [n % 8, 3] },
      { metric: n % 2 === 0 ? 'theme' : 'wide', cells: n % 2 === 0 ? [n % 8, 7] : [n * 31] },
    ],
  });

async function fill(store: Store, from: number, to: number, day?: number): Promise<void> {
  const numbers = Array.from({ length: to - from }, (_, i) => from + i);
  const results = await Promise.all(numbers.map((n) => store.append(numbered(n, day))));
  expect(new Set(results)).toEqual(new Set(['counted']));
}

/** All that readers see, without the numbers of versions, which only ever tell a change. */
async function contentOf(store: Store): Promise<unknown> {
  const totals = await store.totals();
  const evidence = await Promise.all(
    totals.flatMap(({ schema, metric }) =>
      [{}, { segment: { platform: 'web' } }, { from: DAY - 1 }, { to: OLD + 40 }].map((more) =>
        store.read({ schemas: [schema], metric, ...more }),
      ),
    ),
  );
  return [totals.map(({ version: _, ...total }) => total), evidence];
}

test('everything in a store moves: tallies, months, ones, ids, closed days', async () => {
  const store = await openSqlite();
  await fill(store, 0, 40, OLD);
  await fill(store, 40, 60, OLD + 50);
  await fill(store, 60, 400);
  await close();
  pruneStore(folder, DAY, { dailyFor: 31, keepFor: 380 });
  const pruned = await openSqlite();
  await pruned.expire(DAY - 3);
  const content = await contentOf(pruned);
  await close();

  const moved = await migrateStore(places());
  expect(moved).toMatchObject({ known: 272, sums: [moved?.sums[1], { reports: 720 }] });
  const there = await openPostgres();
  expect(await contentOf(there)).toEqual(content);
  expect(await there.sizes?.()).toMatchObject({ ids: 272 });
  const again = [numbered(64), numbered(69), { ...numbered(65), hash: '0'.repeat(64) }, entry('new')];
  expect(await Promise.all(again.map(there.append))).toEqual(['expired', 'expired', 'conflict', 'counted']);
  const open = Array.from({ length: 400 - 60 }, (_, i) => numbered(60 + i)).filter(({ day }) => day >= DAY - 3);
  expect(new Set(await Promise.all(open.map(there.append)))).toEqual(new Set(['duplicate']));
});

test('while a collector takes batches, a copy is made ahead, and the move then copies the rest', async () => {
  const store = await openSqlite();
  await fill(store, 0, 100);
  await store.fold();
  expect(await copyAhead(places())).toEqual({ pieces: 45, ids: 100 });
  expect(await copyAhead(places())).toEqual({ pieces: 0, ids: 0 });
  await fill(store, 100, 101, DAY - 1);
  await store.fold();
  expect(await copyAhead(places())).toEqual({ pieces: 2, ids: 1 });
  await fill(store, 101, 102, DAY);
  const content = await contentOf(store);
  await expect(migrateStore(places())).rejects.toThrow('in use');
  expect(await store.append(numbered(0))).toBe('duplicate');
  await close();
  expect(await migrateStore(places())).toMatchObject({ pieces: 2, ids: 1, known: 102 });
  expect(await contentOf(await openPostgres())).toEqual(content);
});

test('days that were rolled up, deleted or numbered anew since a copy ahead are as in the folder', async () => {
  await fill(await openSqlite(), 0, 30, OLD);
  await close();
  await copyAhead(places());
  const store = await openSqlite();
  await store.expire(DAY - 100);
  await fill(store, 30, 60, DAY);
  await store.expire(DAY + 1); // of these, no ids are left
  await close();
  const database = new DatabaseSync(join(folder, 'murmuration.sqlite'));
  database.exec('DELETE FROM ids; DELETE FROM app_ids; UPDATE border SET kept = 19700');
  database.exec('DELETE FROM total WHERE day < 19700; DELETE FROM ones WHERE day < 19700; DELETE FROM tally WHERE day < 19700');
  database.exec('UPDATE metric SET (reports, first, last) = (SELECT sum(reports), min(day), max(day) FROM total WHERE metric = n)');
  database.close();
  const numberedAnew = await openSqlite();
  await fill(numberedAnew, 60, 70, DAY + 1);
  const content = await contentOf(numberedAnew);
  await close();
  expect(await migrateStore(places())).toMatchObject({ known: 10, ids: 10 });
  const there = await openPostgres();
  expect(await contentOf(there)).toEqual(content);
  expect(await there.append(numbered(60, DAY + 1))).toBe('duplicate');
});

test.for([false, true])(
  'days that the folder opens again after a copy ahead are open in the database (with more batches: %s)',
  async (isMore) => {
    const store = await openSqlite();
    await fill(store, 0, 20);
    await fill(store, 20, 30, DAY + 6);
    await close();
    const database = new DatabaseSync(join(folder, 'murmuration.sqlite'));
    database.exec(`UPDATE closed SET before = ${DAY + 5}`); // the clock was ahead, and no id was deleted yet
    database.close();
    await copyAhead(places());
    reopenDays(folder, DAY - 14);
    if (isMore) await fill(await openSqlite(), 30, 35, DAY);
    await close();
    expect(await migrateStore(places())).toMatchObject({ known: isMore ? 35 : 30 });
    const there = await openPostgres();
    expect(await execute(url, 'SELECT closed FROM murmuration.store')).toEqual([[DAY - 14]]);
    expect(await there.append(entry('fresh'))).toBe('counted');
    expect(await Promise.all([numbered(3), numbered(20, DAY + 6)].map(there.append))).toEqual(['duplicate', 'duplicate']);
  },
);

test('days of a folder that was moved are not opened again', async () => {
  await (await openSqlite()).expire(DAY);
  await close();
  await migrateStore(places());
  expect(() => reopenDays(folder, DAY - 5)).toThrow('was moved to postgres://');
  expect(closedBefore(folder)).toBe(DAY);
});

test('keys, tokens, roles, schemas and the log of actions move, and the log says that they did', async () => {
  await openSqlite();
  await close();
  const admin = openAdminDatabase(folder);
  createWriteKey(admin, 'test', 'notes', 60);
  createToken(admin, 'test', 'ann', 'viewer', ['notes']);
  createToken(admin, 'test', 'bo', 'admin', []);
  revokeCredential(admin, 'test', 'ann');
  setRole(admin, 'test', { name: 'kim', role: 'reviewer', apps: [] });
  publishSchemas(admin, 'test', [schema.document], false);
  const read = (database: DatabaseSync): readonly unknown[] => [
    listCredentials(database),
    database.prepare('SELECT name, hash FROM credential ORDER BY name').all(),
    listRoles(database),
    listSchemas(database),
  ];
  const [before, actions] = [read(admin), listActions(admin, 100)];
  admin.close();
  expect(await migrateStore(places())).toMatchObject({ credentials: 3, schemas: 1, actions: actions.length + 1 });
  const replica = await openReplica({ postgres: url }, () => undefined);
  expect(read(replica.database)).toEqual(before);
  const [last, ...others] = listActions(replica.database, 100);
  expect(others).toEqual(actions);
  expect(last).toMatchObject({ what: expect.stringMatching(/^moved the store from .*: 0 tallies, checksum [0-9a-f]{32}$/) });
  await replica.close();
});

const charge = (ledger: Ledger): Promise<unknown> =>
  ledger.transact((open) => open.append('ann', { kind: 'charge', app: 'notes', analyst: 'ann', question: 'q', body: { cost: '1' } }));

test('the ledger of releases moves with the secrets of its streams, and the folder takes no charge any more', async () => {
  await openSqlite();
  await close();
  const [here, there] = [openSqliteLedger(folder), openPostgresLedger({ postgres: url })];
  await charge(here);
  await here.transact((open) => open.secrets.keep(7, 'a secret'));
  const entries = (ledger: Ledger): Promise<readonly unknown[]> => ledger.transact((open) => open.find({}));
  const before = await entries(here);
  expect(await migrateStore(places())).toBeDefined();
  expect(await entries(there)).toEqual(before);
  expect(await there.transact((open) => open.secrets.all())).toEqual([[7, 'a secret']]);
  await expect(charge(here)).rejects.toThrow('was moved to postgres://');
  await charge(there);
  expect(await entries(there)).toHaveLength(2);
  expect(await here.transact((open) => open.secrets.all())).toEqual([]);
  removeMigration(folder); // as somebody does who has lost the database
  await expect(charge(here)).rejects.toThrow('a folder whose store was moved to a database');
  for (const ledger of [here, there]) await ledger.close();
});

test('where the answer to the last commit of a move is lost, the folder takes no charge even without its mark', async () => {
  await fill(await openSqlite(), 0, 10);
  await close();
  const ledger = openSqliteLedger(folder);
  await charge(ledger);
  const { finish } = Target.prototype;
  const lost = vi.spyOn(Target.prototype, 'finish').mockImplementation(async function (this: Target, ...given) {
    await finish.apply(this, given);
    throw new Error('the answer was lost');
  });
  await expect(migrateStore(places())).rejects.toThrow('the answer was lost');
  lost.mockRestore();
  removeMigration(folder); // as somebody does who takes the move for failed
  await expect(charge(ledger)).rejects.toThrow('a folder whose store was moved to a database');
  await ledger.close();
});

test('after a move, the folder takes no batches, keys or upkeep any more', async () => {
  await fill(await openSqlite(), 0, 10);
  await close();
  const ran = migrate();
  expect(ran).toMatchObject({ status: 0, stderr: '' });
  const [here, there] = ran.stdout.split('\n').map((line) => line.replace(/^\S+ /, ''));
  expect(here).toBe(there);
  expect(here).toMatch(/^\d metrics, \d+ tallies, 20 reports, checksum [0-9a-f]{32}$/);
  expect(ran.stdout).toContain('the same 10 ids on both sides');
  expect(migrate()).toMatchObject({ status: 0, stdout: expect.stringContaining('was moved to postgres://') });
  await expect(openSqlite()).rejects.toThrow('was moved to postgres://');
  for (const args of [['prune'], ['keys', 'create', '--app', 'notes']])
    expect(runProcess(...args, '--data', folder)).toMatchObject({ status: 2, stderr: expect.stringContaining('was moved to postgres://') });
  const other = await createDatabase();
  expect(
    runProcess('migrate', '--from', 'sqlite', '--to', 'postgres', '--data', folder, '--postgres', other, '--allow-loss'),
  ).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('expected the database that the folder was moved to'),
  });
  expect(await execute(other, "SELECT to_regclass('murmuration.store')")).toEqual([[null]]);
  await dropDatabase(other);
});

/** What there is after each step of a move; a process is killed once it sees it. */
const STEPS: readonly (readonly [name: string, isThere: () => Promise<boolean>])[] = [
  ['a mark in the folder', async () => existsSync(join(folder, 'moved.json'))],
  ...['move', 'batch_id', 'move_piece', 'total', 'metric'].map(
    (table) =>
      [`rows in ${table}`, () => execute(url, `SELECT 1 FROM murmuration.${table} LIMIT 1`).then((rows) => rows.length > 0)] as const,
  ),
  ['the end of the mark', async () => readFileSync(join(folder, 'moved.json'), 'utf8').includes('true')],
];

test('a move that is killed after any step goes on, and nothing is there twice', async () => {
  await fill(await openSqlite(), 0, 3_000);
  const store = opened[0] as Store;
  const content = await contentOf(store);
  await close();
  let kills = 0;
  for (const [, isThere] of STEPS) {
    const args = ['migrate', '--from', 'sqlite', '--to', 'postgres', '--data', folder, '--postgres', url, '--allow-loss'];
    const child = spawn(process.execPath, [bin, ...args], { stdio: 'ignore' });
    while (child.exitCode === null && !(await isThere().catch(() => false))) await sleep(1);
    if (child.exitCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    if (child.signalCode === 'SIGKILL') kills++;
    expect(child.exitCode ?? 0).toBe(0);
  }
  expect(kills).toBeGreaterThan(0);
  expect(migrate()).toMatchObject({ status: 0, stderr: '' });
  const there = await openPostgres();
  expect(await contentOf(there)).toEqual(content);
  const again = await Promise.all(Array.from({ length: 3_000 }, (_, n) => there.append(numbered(n))));
  expect(new Set(again)).toEqual(new Set(['duplicate']));
});

test('a move goes on when the answer to its first commit was lost', async () => {
  await fill(await openSqlite(), 0, 10);
  await close();
  const proxy = await startProxy(url);
  proxy.set('cut-after-commit', 1);
  await expect(copyAhead({ ...places(), postgres: { postgres: proxy.url } })).rejects.toThrow('expected a database that answers');
  expect([proxy.cuts(), await execute(url, 'SELECT count(*)::integer FROM murmuration.move')]).toEqual([1, [[1]]]);
  await proxy.close();
  expect(await migrateStore(places())).toMatchObject({ known: 10 });
});

test('until a database is filled, collectors and commands refuse it, and another folder, too', async () => {
  await fill(await openSqlite(), 0, 10);
  await copyAhead(places());
  await expect(openPostgres()).rejects.toThrow('not filled to the end');
  for (const args of [
    ['keys', 'create', '--app', 'notes'],
    ['days', 'show'],
  ])
    expect(runProcess(...args, '--postgres', url)).toMatchObject({ status: 2, stderr: expect.stringContaining('not filled to the end') });
  rmSync(join(folder, 'moved.json'));
  await close();
  expect(migrate()).toMatchObject({ status: 2, stderr: expect.stringContaining('filled from another folder') });
  expect(existsSync(join(folder, 'moved.json'))).toBe(false);
});

test('a folder whose copies were made ahead into two databases is moved to one of them only', async () => {
  await fill(await openSqlite(), 0, 10);
  await close();
  const other = { ...places(), postgres: { postgres: await createDatabase() } };
  const refused = 'is being filled from another folder, or was before this folder was copied to another database';
  await copyAhead(places());
  await copyAhead(other);
  await expect(copyAhead(places())).rejects.toThrow(refused);
  expect(await migrateStore(other)).toMatchObject({ known: 10 });
  await expect(migrateStore(places())).rejects.toThrow(refused);
  await expect(openPostgres()).rejects.toThrow('not filled to the end');
  await emptyDatabase(url);
  await expect(migrateStore(places())).rejects.toThrow('expected the database that the folder was moved to, got one without a store');
  await openPostgres();
  await expect(migrateStore(places())).rejects.toThrow('expected the database that the folder was moved to, got another one with a store');
  expect(await migrateStore(other)).toBeUndefined();
  await dropDatabase(other.postgres.postgres);
});

test('a schema of the same name with other tables is told in one line, and the folder is not marked', async () => {
  await fill(await openSqlite(), 0, 10);
  await close();
  for (const [create, reason] of [
    ['shard (n integer)', 'relation "shard" already exists'],
    ['store (n integer)', 'column "version" does not exist'],
  ]) {
    await execute(url, `CREATE SCHEMA murmuration; CREATE TABLE murmuration.${create}`);
    const { status, stderr } = migrate();
    expect([status, stderr]).toEqual([2, expect.stringMatching(`^murmuration: [^\n]*and no others, got: ${reason}\n$`)]);
    expect(existsSync(join(folder, 'moved.json'))).toBe(false);
    await execute(url, 'DROP SCHEMA murmuration CASCADE');
  }
});

test('of two moves at once, the later one goes on alone', async () => {
  await fill(await openSqlite(), 0, 2_000);
  await (opened[0] as Store).fold();
  const both = await Promise.allSettled([copyAhead(places()), copyAhead(places())]);
  const reasons = both.flatMap((each) => (each.status === 'rejected' ? [(each.reason as Error).message] : []));
  for (const reason of reasons) expect(reason).toContain('another migrate has taken over');
  expect(reasons.length).toBeLessThan(2);
  await close();
  expect(await migrateStore(places())).toMatchObject({ known: 2_000 });
});

test.for<readonly [name: string, prepare: () => Promise<unknown>, args: readonly string[], message: string]>([
  [
    'a folder without a store',
    async () => rmSync(join(folder, 'x'), { force: true }),
    ['--data', '/nowhere'],
    'expected a folder with a store',
  ],
  ['another kind', async () => undefined, ['--to', 'mysql'], '--to: expected one of postgres'],
  ['no database', async () => undefined, ['--postgres', 'postgres://murmuration@127.0.0.1:1/none'], 'expected a database that answers'],
  ['a database with reports', openPostgres, [], 'expected a database without a store, got one with tables of version'],
  [
    'tables of a newer program',
    async () => {
      await (await openPostgres()).close();
      opened.pop();
      await execute(url, 'UPDATE murmuration.store SET version = 99');
    },
    [],
    'tables of version 99',
  ],
  [
    'a store of an older version',
    async () => {
      await (await openSqlite()).close();
      opened.pop();
      const database = new DatabaseSync(join(folder, 'murmuration.sqlite'));
      database.exec('PRAGMA user_version = 7');
      database.close();
    },
    [],
    'expected a store of version',
  ],
  [
    'a store that was cut short',
    async () => {
      const file = join(folder, 'murmuration.sqlite');
      truncateSync(file, statSync(file).size - 4_096);
    },
    [],
    'expected a store that can be read, got: database disk image is malformed',
  ],
  ['a collector that runs', openSqlite, [], 'in use; stop the collector'],
])('%s is refused in one line, and nothing has changed', async ([, prepare, args, message]) => {
  if (!message.includes('older') && !message.includes('newest') && !message.includes('in use')) {
    await openSqlite();
    await close();
  }
  await prepare();
  const ran = migrate(...args);
  expect(ran).toMatchObject({ status: 2, stdout: '' });
  expect(ran.stderr).toContain(message);
  expect(ran.stderr.trimEnd()).not.toContain('\n');
  expect(existsSync(join(folder, 'moved.json'))).toBe(false);
  if (!message.includes('tables of version')) expect(await execute(url, "SELECT to_regclass('murmuration.store')")).toEqual([[null]]);
});
