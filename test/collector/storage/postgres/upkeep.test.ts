/** What a store does between flushes on PostgreSQL goes on where a part of it fails, and its transactions are what they say. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { GroupBuilder } from '#collector/storage/group-commit.ts';
import { AppQuotas } from '#collector/storage/postgres/admission.ts';
import { findIds, Partitions, readBatches } from '#collector/storage/postgres/batch-ids.ts';
import { connected } from '#collector/storage/postgres/connection.ts';
import { Database } from '#collector/storage/postgres/database.ts';
import { flush } from '#collector/storage/postgres/flush.ts';
import { Folding } from '#collector/storage/postgres/fold.ts';
import { openPostgresStore } from '#collector/storage/postgres/postgres.ts';
import { reopenDaysIn } from '#collector/storage/postgres/retention.ts';
import { STEPS, shardOf } from '#collector/storage/postgres/tables.ts';
import { QUOTA_LIMITS } from '#collector/storage/quota.ts';
import type { Appended, Entry, Store } from '#collector/storage/store.ts';
import { createDatabase, dropDatabase } from '../../../setup/postgres.ts';
import { execute } from '../../../setup/postgres-server.ts';
import { DAY, entry, SCHEMA, shapes } from '../entries.ts';

let url: string;
let store: Store;
let database: Database;
const open = (): Promise<Store> => openPostgresStore({ postgres: url }, shapes, { isLossAllowed: true });
beforeEach(async () => {
  url = await createDatabase();
  store = await open();
  database = new Database({ postgres: url }, { connections: 1, isGuarded: false });
});
afterEach(async () => {
  await store.close();
  await database.close();
  await dropDatabase(url);
});

test('deltas that cannot be read do not keep those of other shards from being folded', async () => {
  const head = JSON.stringify({ partitions: [[SCHEMA, DAY, '{}']], parts: [[0, 'plan', 1, 1, 2, 0]], ids: [] });
  const shard = shardOf(SCHEMA, 'plan');
  await execute(
    url,
    `INSERT INTO murmuration.delta SELECT shard, gen_random_uuid(), '${head}', '\\x0000' FROM murmuration.shard WHERE shard <> ${shard}`,
  );
  expect(await store.append(entry('a'))).toBe('counted');
  await expect(store.fold()).rejects.toThrow('bytes of tallies');
  expect(await execute(url, `SELECT 1 FROM murmuration.delta WHERE shard = ${shard}`)).toEqual([]);
  expect(await execute(url, 'SELECT metric, reports::integer FROM murmuration.tally')).toEqual([['plan', 1]]);
});

test('a running store takes batches of days that were opened again', async () => {
  expect(await store.append(entry('a'))).toBe('counted');
  await store.expire(DAY);
  expect(await store.append(entry('b', { day: DAY + 1 }))).toBe('counted');
  expect(await store.append(entry('c', { day: DAY - 3 }))).toBe('expired');
  await reopenDaysIn({ postgres: url }, DAY - 5);
  const both = [entry('c', { day: DAY - 3 }), entry('d')];
  expect(await Promise.all(both.map(store.append))).toEqual(['counted', 'counted']);
});

test('a day whose ids are in use is left for the next time, and flushes do not wait for it', async () => {
  const partitions = new Partitions(database);
  await partitions.ensure([DAY, DAY + 1]);
  await connected({ postgres: url }, async (query) => {
    await query('BEGIN');
    await query('LOCK TABLE murmuration.batch_id IN ROW EXCLUSIVE MODE');
    await partitions.close(DAY + 1);
    expect(await partitions.dropClosed()).toContain('lock timeout');
    expect(await store.append(entry('a', { day: DAY + 1 }))).toBe('counted');
    await query('ROLLBACK');
  });
  await expect.poll(() => partitions.dropClosed()).toBeUndefined(); // the store may be dropping it, too
  expect(await execute(url, `SELECT to_regclass('murmuration.batch_id_${DAY}')`)).toEqual([[null]]);
});

test('a transaction that only finds duplicates writes, so that its commit waits for a synchronous standby', async () => {
  await store.append(entry('a'));
  const builder = new GroupBuilder();
  builder.add(entry('a'));
  const batches = readBatches(builder.take());
  const [found, rows] = await database.transaction(async (query) => [
    await findIds(query, batches, batches.all),
    await query('SELECT pg_current_xact_id_if_assigned() IS NOT NULL'),
  ]);
  expect([found.bodies.size, rows]).toEqual([1, [[true]]]);
});

test('a transaction reads what is committed, whatever the usual mode is, and throws unless it commits', async () => {
  const other = new URL(url);
  other.searchParams.set('options', '-c default_transaction_isolation=serializable');
  const strict = new Database({ postgres: other.href }, { connections: 1, isGuarded: false });
  expect(await strict.transaction((query) => query('SHOW transaction_isolation'))).toEqual([['read committed']]);
  await strict.close();
  const swallowing = database.transaction((query) => query('SELECT 1 / 0').catch(() => undefined));
  await expect(swallowing).rejects.toThrow('expected a transaction that is committed, got ROLLBACK');
});

test('an app that has used up its rows makes a flush fold once, and not each one after it', async () => {
  await store.close(); // it folds, too
  const quotas = new AppQuotas(database, { ...QUOTA_LIMITS, mostRows: 2 });
  let folds = 0;
  const settle = async (): Promise<void> => {
    folds++;
    await new Folding(database).fold();
    await quotas.refresh();
  };
  const parts = { database, partitions: new Partitions(database), quotas, shapes, settle };
  const send = async (...entries: readonly Entry[]): Promise<readonly Appended[]> => {
    const builder = new GroupBuilder();
    for (const each of entries) builder.add(each);
    return flush(builder.take(), parts);
  };
  const of = (name: string, cohort: number): Entry => entry(name, { reports: [{ metric: 'plan', cohort, cells: [1] }] });
  await quotas.refresh();
  expect(await send(of('a', 0), of('b', 1))).toEqual(['counted', 'counted']);
  expect(folds).toBe(0);
  for (let n = 0; n < 8; n++) expect(await send(of(`c${n}`, 0), of(`d${n}`, 2), of(`e${n}`, 1))).toEqual(['counted', 'full', 'counted']);
  expect(folds).toBe(1);
  await quotas.refresh(); // with deltas that open nothing
  expect(await send(of('f', 1))).toEqual(['counted']);
  expect(folds).toBe(1);
  store = await open();
});

test('the partition of the next day is there before its first batch', async () => {
  await store.append(entry('a'));
  await expect.poll(() => execute(url, `SELECT to_regclass('murmuration.batch_id_${DAY + 1}') IS NOT NULL`)).toEqual([[true]]);
  expect(await execute(url, `SELECT to_regclass('murmuration.batch_id_${DAY + 2}')`)).toEqual([[null]]);
});

test('folds and reads refuse tables of another version, too', async () => {
  await execute(url, 'UPDATE murmuration.store SET version = version + 1');
  // Deltas that the store had no time to fold before.
  const head = JSON.stringify({ partitions: [], parts: [], ids: [] });
  await execute(url, `INSERT INTO murmuration.delta SELECT shard, gen_random_uuid(), '${head}', '' FROM murmuration.shard LIMIT 2`);
  for (const refused of [() => store.fold(), () => store.totals(), () => store.read({ schemas: [SCHEMA], metric: 'plan' })])
    await expect(refused()).rejects.toThrow(`expected tables of version ${STEPS.length}, got version ${STEPS.length + 1}`);
  expect((await store.failed).message).toContain(`got version ${STEPS.length + 1}`); // found by the work in the background
  expect(await execute(url, 'SELECT count(*)::integer FROM murmuration.delta')).toEqual([[2]]);
  await execute(url, 'UPDATE murmuration.store SET version = version - 1');
});

test('work that waits long for a connection is done, and does not count as a database that is away', async () => {
  const busy = new Database({ postgres: url }, { connections: 1, isGuarded: true, onAway: (reason) => Promise.reject(new Error(reason)) });
  const slow = busy.transaction((query) => query('SELECT pg_sleep(5.5)')); // longer than connecting may take
  expect(await Promise.all([slow, busy.transaction((query) => query('SELECT 1'))])).toEqual([[['']], [[1]]]);
  expect(busy.isAway).toBe(false);
  await busy.close();
});

test('a partition that another collector creates while this one waits for its turn is not created again', async () => {
  const partitions = new Partitions(database);
  await partitions.ensure([DAY - 1]); // so that the connection looks up nothing else for the first time
  const name = `murmuration.batch_id_${DAY}`;
  const waiting = `SELECT count(*)::integer FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%SELECT closed, version FROM%'`;
  const ensured = await connected({ postgres: url }, async (query) => {
    await query('BEGIN');
    await query('SELECT 1 FROM murmuration.store FOR UPDATE');
    const ensuring = partitions.ensure([DAY]).then(
      () => 'ensured',
      (error: Error) => error.message,
    );
    await expect.poll(() => execute(url, waiting)).toEqual([[1]]);
    await query(`CREATE TABLE ${name} (LIKE murmuration.batch_id INCLUDING ALL)`);
    await query(`ALTER TABLE murmuration.batch_id ATTACH PARTITION ${name} FOR VALUES IN (${DAY})`);
    await query('COMMIT');
    return ensuring;
  });
  expect(ensured).toBe('ensured');
});
