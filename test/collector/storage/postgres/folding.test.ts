/** Folds do not read rows that are long dead one by one, and it is told when they can't fold what is there. */

import { afterEach, beforeEach, expect, test } from 'vitest';
import { connected } from '#collector/storage/postgres/connection.ts';
import { Database, type Query } from '#collector/storage/postgres/database.ts';
import { Folding } from '#collector/storage/postgres/fold.ts';
import { openPostgresStore } from '#collector/storage/postgres/postgres.ts';
import { createDatabase, dropDatabase } from '../../../setup/postgres.ts';
import { execute } from '../../../setup/postgres-server.ts';
import { entry, shapes } from '../entries.ts';

let url: string;
let database: Database;
beforeEach(async () => {
  url = await createDatabase();
  database = new Database({ postgres: url }, { connections: 1, isGuarded: false });
});
afterEach(async () => {
  await database.close();
  await dropDatabase(url);
});

/** Runs work while somebody holds the locks of all shards, with which nothing can be folded. */
const locked = (work: () => Promise<void>): Promise<void> =>
  connected({ postgres: url }, async (query: Query) => {
    await query('BEGIN');
    await query('SELECT 1 FROM murmuration.shard FOR UPDATE');
    await work();
    await query('ROLLBACK');
  });

test('folds that go on without an error and fold nothing are late, and it is told', async () => {
  const troubles: string[] = [];
  const store = await openPostgresStore({ postgres: url }, shapes, {
    ...{ isLossAllowed: true, patience: 100, onTrouble: (message) => troubles.push(message) },
  });
  await locked(async () => {
    expect(await store.append(entry('a'))).toBe('counted');
    const folding = new Folding(database);
    expect(await folding.fold()).toBe(2); // its sums, and its id
    const begun = performance.now();
    await expect
      .poll(() => troubles)
      .toContainEqual(
        expect.stringMatching(/^batches have not been folded into the tallies for \d+ s: somebody else has locked their shards$/),
      );
    expect(await folding.fold()).toBe(2);
    expect(folding.age).toBeGreaterThanOrEqual(performance.now() - begun - 1);
    const { deltas, foldAge } = (await store.sizes?.()) ?? {};
    expect([deltas, foldAge]).toEqual([2, expect.toSatisfy((age: number) => age > 0.3)]);
  });
  await store.fold();
  const folding = new Folding(database);
  expect(await folding.fold()).toBe(0);
  expect(await execute(url, 'SELECT reports::integer FROM murmuration.tally')).toEqual([[1]]);
  await store.close();
});

test('a fold reads no dead rows by the index, however many a long snapshot keeps', async () => {
  const store = await openPostgresStore({ postgres: url }, shapes, { isLossAllowed: true });
  await locked(async () => {
    await store.append(entry('a'));
    await store.close();
  });
  const dead = 20_000;
  const read = async (): Promise<readonly unknown[]> =>
    (
      await execute(
        url,
        `SELECT n_tup_del::integer, idx_tup_read::integer FROM pg_stat_user_tables JOIN pg_stat_user_indexes USING (relid)
          WHERE relid = 'murmuration.delta'::regclass`,
      )
    )[0] ?? [];
  await connected({ postgres: url }, async (query) => {
    await query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await query('SELECT 1 FROM murmuration.delta');
    await execute(
      url,
      `INSERT INTO murmuration.delta SELECT shard, gen_random_uuid(), 'dead', '' FROM murmuration.delta, generate_series(1, ${dead});
        DELETE FROM murmuration.delta WHERE head = 'dead'; ANALYZE murmuration.delta`,
    );
    const [deleted, rows] = await read();
    const folder = new Database({ postgres: url }, { connections: 1, isGuarded: false });
    expect(await new Folding(folder).fold()).toBe(2);
    await folder.close(); // what it has read is counted when its connection ends
    await expect.poll(async () => Number((await read())[0])).toBe(Number(deleted) + 2);
    expect(Number((await read())[1]) - Number(rows)).toBeLessThan(10);
    await query('ROLLBACK');
  });
  expect(await execute(url, 'SELECT reports::integer FROM murmuration.tally')).toEqual([[1]]);
});
