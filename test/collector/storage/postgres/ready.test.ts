/** A store says that it is away while no batch can be written, whatever the reason, and that it is back without help once one can. */

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { StoreAway, StoreFull } from '#collector/base/fault.ts';
import { Partitions } from '#collector/storage/postgres/batch-ids.ts';
import { connected } from '#collector/storage/postgres/connection.ts';
import { Database } from '#collector/storage/postgres/database.ts';
import { UnfitDatabase } from '#collector/storage/postgres/errors.ts';
import { FlushWatch, tryToWrite } from '#collector/storage/postgres/flush-watch.ts';
import { LogThrottle } from '#collector/storage/postgres/log-throttle.ts';
import { openPostgresStore } from '#collector/storage/postgres/postgres.ts';
import type { Store } from '#collector/storage/store.ts';
import { createDatabase, dropDatabase } from '../../../setup/postgres.ts';
import { execute } from '../../../setup/postgres-server.ts';
import { DAY, entry, shapes, sum } from '../entries.ts';

let url: string;
let troubles: string[];
let store: Store;
beforeEach(async () => {
  url = await createDatabase();
  troubles = [];
  store = await openPostgresStore({ postgres: url }, shapes, {
    ...{ isLossAllowed: true, now: () => DAY * 86_400_000, patience: 300, onTrouble: (message) => troubles.push(message) },
  });
  expect(await store.append(entry('before'))).toBe('counted');
});
afterEach(async () => {
  await store.close();
  await dropDatabase(url);
});

const until = async (isAway: boolean): Promise<void> => expect.poll(() => store.isAway?.()).toBe(isAway);

test('while the database takes no writes', async () => {
  const name = new URL(url).pathname.slice(1);
  await execute(url, `ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  await execute(
    url,
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
  await expect(store.append(entry('a'))).rejects.toThrow(StoreAway);
  await until(true);
  // One that only asks whether the database answers would find that it does.
  for (let i = 0; i < 20; i++) {
    await execute(url, 'SELECT pg_sleep(0.05)');
    expect(store.isAway?.()).toBe(true);
  }
  expect(troubles).toContainEqual(expect.stringMatching('^the database does not answer: '));
  const postgres = { postgres: url };
  await connected(postgres, (query) => query(`BEGIN READ WRITE; ALTER DATABASE ${name} RESET default_transaction_read_only; COMMIT`));
  await until(false);
  expect(await store.append(entry('a'))).toBe('counted');
});

test('while the partition of the day is detached', async () => {
  await execute(url, `ALTER TABLE murmuration.batch_id DETACH PARTITION murmuration.batch_id_${DAY}`);
  await expect(store.append(entry('a'))).rejects.toThrow('no partition');
  await until(true);
  await expect.poll(() => troubles).toContainEqual(expect.stringMatching('^no batch could be written for a while: no partition'));
  await expect(store.append(entry('a'))).rejects.toThrow(StoreAway);
  await execute(url, `ALTER TABLE murmuration.batch_id ATTACH PARTITION murmuration.batch_id_${DAY} FOR VALUES IN (${DAY})`);
  await until(false);
  expect(troubles.at(-1)).toBe('batches can be written again');
  expect(await Promise.all(['before', 'a'].map((name) => store.append(entry(name))))).toEqual(['duplicate', 'counted']);
  expect(await sum(store)).toMatchObject({ reports: 2 });
});

test('while a right is missing: batches are refused as while it is away, and one line says so', async () => {
  const role = `${new URL(url).pathname.slice(1)}_bare`;
  await store.close();
  await execute(url, `CREATE ROLE ${role} LOGIN; ALTER SCHEMA murmuration OWNER TO ${role}`);
  const tables = await execute(
    url,
    `SELECT oid::regclass FROM pg_class WHERE relnamespace = 'murmuration'::regnamespace AND relkind IN ('r', 'p')`,
  );
  for (const [table] of tables) await execute(url, `ALTER TABLE ${table} OWNER TO ${role}`);
  store = await openPostgresStore({ postgres: Object.assign(new URL(url), { username: role }).href }, shapes, {
    ...{ isLossAllowed: true, now: () => DAY * 86_400_000, patience: 60_000, onTrouble: (message) => troubles.push(message) },
  });
  await execute(url, `REVOKE INSERT ON murmuration.delta FROM ${role}`);
  for (const name of ['a', 'b', 'c']) await expect(store.append(entry(name))).rejects.toThrow(StoreAway);
  // On a busy machine a flush may have waited, which other lines say.
  const refused = troubles.filter((each) => each.includes('permission'));
  expect(refused).toEqual(['the database takes no batches: permission denied for table delta']);
  await execute(url, `GRANT INSERT ON murmuration.delta TO ${role}`);
  expect(await store.append(entry('a'))).toBe('counted');
  await store.close();
  store = await openPostgresStore({ postgres: url }, shapes, { isLossAllowed: true });
  await execute(url, `REASSIGN OWNED BY ${role} TO CURRENT_USER; DROP OWNED BY ${role}; DROP ROLE ${role}`);
});

test('while it takes no connections', async () => {
  const name = new URL(url).pathname.slice(1);
  const server = url.replace(/\w+$/, 'postgres');
  await execute(server, `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
  await execute(server, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
  await expect(store.append(entry('a'))).rejects.toThrow(StoreAway);
  await until(true);
  await execute(server, `ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
  await until(false);
  expect(await store.append(entry('a'))).toBe('counted');
});

test('a flush that meets the new index of REINDEX CONCURRENTLY is tried again', async () => {
  await execute(url, 'CREATE SEQUENCE murmuration.met');
  await execute(
    url,
    `CREATE FUNCTION murmuration.meet() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('murmuration.met') < 3 THEN RAISE unique_violation; END IF; RETURN NEW; END $$;
    CREATE TRIGGER meet BEFORE INSERT ON murmuration.delta FOR EACH ROW EXECUTE FUNCTION murmuration.meet()`,
  );
  expect(await store.append(entry('a'))).toBe('counted');
});

test('while somebody else has locked what a flush appends to', async () => {
  let appended: Promise<unknown> | undefined;
  await connected({ postgres: url }, async (query) => {
    await query('BEGIN');
    await query('LOCK TABLE murmuration.delta');
    appended = store.append(entry('a'));
    await until(true);
    await expect.poll(() => troubles).toContainEqual('no batch could be written for a while: flushes wait for something');
    await query('ROLLBACK');
  });
  expect(await appended).toBe('counted');
  await until(false);
});

test('while its disk is full, batches are refused for that reason, and flushes that hang count as those that fail', async () => {
  let error: Error | undefined = new StoreFull('no space left');
  const calls: string[] = [];
  const watch = new FlushWatch({
    ...{ patience: 0, onStuck: (reason) => calls.push(reason), onFree: () => calls.push('free') },
    tryToWrite: () => (error === undefined ? Promise.resolve() : Promise.reject(error)),
  });
  expect(await watch.run(async () => 1)).toBe(1);
  expect(watch.isStuck).toBe(false);
  await expect(watch.run(() => Promise.reject(error as Error))).rejects.toThrow(StoreFull);
  expect([watch.isStuck, watch.refusal]).toEqual([true, expect.any(StoreFull)]);
  await expect.poll(() => calls).toEqual(['no space left']);
  error = new Error('a lock');
  await expect.poll(() => watch.refusal).toEqual(new StoreAway('a lock'));
  error = undefined;
  await expect.poll(() => calls).toEqual(['no space left', 'free']);
  expect(watch.isStuck).toBe(false);
  void watch.run(() => new Promise(() => undefined)); // hangs for good
  await expect.poll(() => calls).toHaveLength(4); // told, and free again, because a try succeeds
  watch.close();
});

test('a try writes what a flush writes, and leaves nothing', async () => {
  await store.fold();
  const database = new Database({ postgres: url }, { connections: 1, isGuarded: false });
  const partitions = new Partitions(database);
  const rows = `SELECT (SELECT count(*) FROM murmuration.batch_id)::integer, (SELECT count(*) FROM murmuration.delta)::integer`;
  for (const day of [DAY, DAY + 1, 1]) await tryToWrite(database, partitions, day);
  expect(await execute(url, rows)).toEqual([[1, 0]]);
  await execute(url, `UPDATE murmuration.store SET closed = ${DAY}`);
  await expect(tryToWrite(database, new Partitions(database), 2)).resolves.toBeUndefined();
  await execute(url, 'ALTER TABLE murmuration.delta RENAME TO other');
  await expect(tryToWrite(database, partitions, DAY)).rejects.toThrow('"murmuration.delta" does not exist');
  await execute(url, 'ALTER TABLE murmuration.other RENAME TO delta');
  await database.close();
});

test('with fewer connections than a collector would use, it works with those that there are', async () => {
  const role = `${new URL(url).pathname.slice(1)}_few`;
  await execute(url, `CREATE ROLE ${role} LOGIN CONNECTION LIMIT 2`);
  const away: string[] = [];
  const few = new Database(
    { postgres: Object.assign(new URL(url), { username: role }).href },
    { connections: 5, isGuarded: true, onAway: (reason) => away.push(reason) },
  );
  await few.transaction((query) => query('SELECT 1'));
  const all = Array.from({ length: 40 }, (_, n) =>
    few.transaction(async (query) => (await query('SELECT $1::integer, pg_sleep(0.02)', [n]))[0]?.[0]),
  );
  expect(await Promise.all(all)).toEqual(Array.from({ length: 40 }, (_, n) => n));
  expect(away).toEqual([]);
  await few.close();
  await execute(url, `DROP ROLE ${role}`);
});

test('a connection that is in use is made and checked again, so a server that begins to lose what it confirms is noticed', async () => {
  let isFit = true;
  const away: string[] = [];
  const database = new Database(
    { postgres: url },
    {
      ...{ connections: 1, isGuarded: true, lifetime: 1, onAway: (reason) => away.push(reason) },
      check: async () => {
        if (!isFit) throw new UnfitDatabase('fsync is off');
      },
    },
  );
  await database.transaction((query) => query('SELECT 1'));
  isFit = false;
  await expect
    .poll(() =>
      database
        .transaction((query) => query('SELECT 1'))
        .then(
          () => away,
          () => away,
        ),
    )
    .toEqual(['fsync is off']);
  isFit = true;
  await expect.poll(() => database.isAway).toBe(false);
  await database.close();
});

test('a database that goes away again and again is told once a minute, and one that stays away is told', () => {
  vi.useFakeTimers();
  try {
    const lines: string[] = [];
    const throttle = new LogThrottle((line) => lines.push(line));
    for (let i = 0; i < 100; i++) {
      throttle.away('full');
      throttle.back();
    }
    expect(lines).toEqual(['the database does not answer: full', 'the database answers again']);
    throttle.away('gone');
    vi.advanceTimersByTime(61_000);
    expect(lines.slice(2)).toEqual(['the database does not answer: gone']);
    throttle.back();
    expect(lines.slice(3)).toEqual(['the database answers again']);
    for (let i = 0; i < 100; i++) throttle.log('a', `a ${i}`);
    vi.advanceTimersByTime(600_000);
    throttle.log('a', 'a 100');
    expect(lines.slice(4)).toEqual(['a 0', 'a 100']);
  } finally {
    vi.useRealTimers();
  }
});
