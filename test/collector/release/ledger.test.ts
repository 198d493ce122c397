/** The ledger of releases, through one suite in both stores: append-only, whole, alone while it is written, and honest after a restore. */

import { execFile } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { override } from '#collector/release/budget/budgets.ts';
import { ADMIN, listActions } from '#collector/storage/admin/database.ts';
import { Database } from '#collector/storage/postgres/database.ts';
import { fillLedger } from '#collector/storage/postgres/release-ledger.ts';
import { copyOf, hashOf, InDoubt, type Ledger, type NewEntry, type Wanted } from '#collector/storage/release-ledger.ts';
import { startProxy } from '../../faults/postgres/proxy.ts';
import { execute as query } from '../../setup/postgres-server.ts';
import { places } from './places.ts';

const entry = (question: string, analyst = 'ann'): NewEntry => ({ kind: 'charge', app: 'notes', analyst, question, body: { cost: '1/3' } });
const append = (ledger: Ledger, ...questions: string[]): Promise<void> =>
  ledger.transact(async (transaction) => {
    for (const question of questions) await transaction.append('ann', entry(question));
  });
const all = (ledger: Ledger): ReturnType<Parameters<Parameters<Ledger['transact']>[0]>[0]['find']> =>
  ledger.transact((transaction) => transaction.find({}));

describe.each(places)('the ledger in $name', (place) => {
  let location: string;
  let ledger: Ledger;
  beforeEach(async () => {
    location = await place.make();
    ledger = place.open(location);
  });
  afterEach(async () => {
    await ledger.close();
    await place.remove(location);
  });

  test('entries are numbered, and each hash covers the entry and the hash before it', async () => {
    await append(ledger, 'a', 'b', 'c');
    const entries = await all(ledger);
    expect(entries.map(({ n, question }) => [n, question])).toEqual([
      [1, 'a'],
      [2, 'b'],
      [3, 'c'],
    ]);
    let before = '';
    for (const { hash, ...rest } of entries) {
      expect(hash).toBe(hashOf(before, rest));
      before = hash;
    }
    expect(await ledger.transact((transaction) => transaction.head())).toMatchObject({ n: 3, hash: before });
  });

  test('what is wanted is found by each of its fields together', async () => {
    await ledger.transact(async (transaction) => {
      await transaction.append('ann', entry('a'));
      await transaction.append('ben', entry('a', 'ben'));
      await transaction.append('ann', { ...entry('a'), kind: 'answer' });
      await transaction.append('ann', { ...entry('a'), app: 'other' });
    });
    const found = await ledger.transact((transaction) => transaction.find({ kind: 'charge', app: 'notes', analyst: 'ann', question: 'a' }));
    expect(found.map(({ n }) => n)).toEqual([1]);
    expect(found[0]?.body).toEqual({ cost: '1/3' });
  });

  test('what is wanted is found and counted by what its question begins with, after an entry, and as the newest', async () => {
    for (const question of ['stream 1', 'stream 1 b', 'stream 12 a', 'stream 1 a', 'Stream 1 a', 'stream 1!', 'stream 1 c'])
      await append(ledger, question);
    await ledger.transact((transaction) => transaction.append('ann', { ...entry('stream 1 d'), kind: 'answer' }));
    const found = (wanted: Wanted) => ledger.transact(async (transaction) => (await transaction.find(wanted)).map(({ n }) => n));
    expect(await found({ prefix: 'stream 1 ' })).toEqual([2, 4, 7, 8]);
    expect(await found({ prefix: 'stream 1 ', kind: 'charge', after: 2 })).toEqual([4, 7]);
    expect(await found({ prefix: 'stream 1 ', newest: 2 })).toEqual([7, 8]);
    expect(await found({ n: 3 })).toEqual([3]);
    expect(await found({ newest: 0 })).toEqual([]);
    const counted = await ledger.transact((transaction) => transaction.count({ prefix: 'stream 1 ' }));
    expect([...counted].sort()).toEqual([
      ['answer', 1],
      ['charge', 3],
    ]);
  });

  test('the secrets of streams are named without being read', async () => {
    await ledger.transact(async ({ secrets }) => {
      for (const stream of [7, 11, 9]) await secrets.keep(stream, 'counts');
      await secrets.drop(11);
    });
    expect(await ledger.transact(({ secrets }) => secrets.kept())).toEqual([7, 9]);
  });

  test('work that throws leaves nothing behind, neither an entry nor an action', async () => {
    const failing = ledger.transact(async (transaction) => {
      await transaction.append('ann', entry('a'));
      await transaction.log('ann', 'did something', 'notes');
      throw new Error('stop');
    });
    await expect(failing).rejects.toThrow('stop');
    expect(await all(ledger)).toEqual([]);
    await append(ledger, 'b');
    expect((await all(ledger)).map(({ n }) => n)).toEqual([1]);
  });

  test('entries are there after closing and opening', async () => {
    await append(ledger, 'a');
    await ledger.close();
    ledger = place.open(location);
    expect((await all(ledger)).map(({ question }) => question)).toEqual(['a']);
    await append(ledger, 'b');
    expect(await all(ledger)).toHaveLength(2);
  });

  test('no entry can be changed or deleted', async () => {
    await append(ledger, 'a');
    for (const sql of ["UPDATE release_entry SET body = '{}'", 'DELETE FROM release_entry']) {
      if (place.name === 'SQLite') {
        const database = new DatabaseSync(join(location, ADMIN));
        expect(() => database.exec(sql)).toThrow('the ledger is append-only');
        database.close();
      } else await expect(query(location, sql.replace('release_entry', 'murmuration.release_entry'))).rejects.toThrow('append-only');
    }
    if (place.name === 'PostgreSQL') await expect(query(location, 'TRUNCATE murmuration.release_entry')).rejects.toThrow('append-only');
  });

  test('of two connections that want the last of a budget at once, one gets it', async () => {
    const other = place.open(location);
    const charge = (on: Ledger, name: string): Promise<boolean> =>
      on.transact(async (transaction) => {
        if ((await transaction.find({ kind: 'charge' })).length > 0) return false;
        await transaction.append(name, entry(name, name));
        return true;
      });
    try {
      const won = await Promise.all([charge(ledger, 'ann'), charge(other, 'ben'), charge(ledger, 'cid'), charge(other, 'dan')]);
      expect(won.filter(Boolean)).toHaveLength(1);
      expect(await all(ledger)).toHaveLength(1);
    } finally {
      await other.close();
    }
  });

  test('two processes that charge until nothing is left charge exactly what there was, on one chain', async () => {
    const limit = 40;
    const run = promisify(execFile);
    const racer = fileURLToPath(new URL('racer.ts', import.meta.url));
    const racers = ['ann', 'ben'].map((name) => run(process.execPath, [racer, place.name, location, name, `${limit}`]));
    const charged = (await Promise.all(racers)).map(({ stdout }) => Number(stdout));
    expect(charged[0] as number).toBeGreaterThanOrEqual(0);
    expect((charged[0] as number) + (charged[1] as number)).toBe(limit);
    let before = '';
    for (const { hash, ...rest } of await all(ledger)) {
      expect(hash).toBe(hashOf(before, rest));
      before = hash;
    }
  });

  test('an override of a ledger that is whole is refused', async () => {
    await append(ledger, 'a');
    await expect(override(ledger, 'bob', 'to be sure')).rejects.toThrow('nothing to override');
    await expect(override(ledger, 'bob', ' ')).rejects.toThrow('--reason: expected why');
  });
});

describe('a ledger that was restored', () => {
  const [sqlite, postgres] = places as [(typeof places)[number], (typeof places)[number]];

  /** What every restored ledger must do: read, refuse to grow, and grow after an override that is logged. */
  async function expectDoubt(ledger: Ledger, reason: RegExp): Promise<void> {
    expect((await all(ledger)).length).toBeGreaterThan(0);
    await expect(append(ledger, 'after')).rejects.toThrow(InDoubt);
    await expect(append(ledger, 'after')).rejects.toThrow(reason);
    expect(await override(ledger, 'bob', 'the disk was lost')).toMatchObject({ kind: 'override', who: 'bob' });
    await append(ledger, 'after');
    expect((await all(ledger)).slice(-2).map(({ kind }) => kind)).toEqual(['override', 'charge']);
  }

  test('in a folder: an older admin.sqlite in place of the newer one', async () => {
    const location = await sqlite.make();
    let ledger = sqlite.open(location);
    await append(ledger, 'a');
    await ledger.close();
    cpSync(join(location, ADMIN), join(location, 'older'));
    ledger = sqlite.open(location);
    await append(ledger, 'b');
    await ledger.close();
    for (const end of ['', '-wal', '-shm']) rmSync(join(location, `${ADMIN}${end}`), { force: true });
    cpSync(join(location, 'older'), join(location, ADMIN));
    ledger = sqlite.open(location);
    await expectDoubt(ledger, /ends at entry 1, where entry 2 was written before/);
    const database = new DatabaseSync(join(location, ADMIN));
    expect(listActions(database, 1)[0]?.what).toMatch(/^releases: went on with .*: the disk was lost$/);
    database.close();
    await ledger.close();
    await sqlite.remove(location);
  });

  test('in a folder: a copy of admin.sqlite without its release.head', async () => {
    const [location, copied] = [await sqlite.make(), await sqlite.make()];
    let ledger = sqlite.open(location);
    await append(ledger, 'a');
    await ledger.close();
    cpSync(join(location, ADMIN), join(copied, ADMIN));
    ledger = sqlite.open(copied);
    await expectDoubt(ledger, /without its release.head/);
    await ledger.close();
    await sqlite.remove(location);
    await sqlite.remove(copied);
  });

  test('in a folder: another history of the same length', async () => {
    const [location, other] = [await sqlite.make(), await sqlite.make()];
    for (const [place, question] of [
      [location, 'a'],
      [other, 'b'],
    ] as const) {
      const ledger = sqlite.open(place);
      await append(ledger, question);
      await ledger.close();
    }
    cpSync(join(other, ADMIN), join(location, ADMIN));
    const ledger = sqlite.open(location);
    await expectDoubt(ledger, /entry 1 is not the one that was written before/);
    await ledger.close();
    await sqlite.remove(location);
    await sqlite.remove(other);
  });

  test('that moves from a folder to a database keeps its entries, its chain and its doubt', async () => {
    for (const isRestored of [false, true]) {
      const [folder, database] = [await sqlite.make(), await postgres.make()];
      const [from, to] = [sqlite.open(folder), postgres.open(database)];
      await append(from, 'a', 'b');
      if (isRestored) rmSync(join(folder, 'release.head'));
      const connection = new Database({ postgres: database }, { connections: 1, isGuarded: false });
      const copy = await copyOf(from);
      await connection.transaction((query) => fillLedger(query, copy));
      await connection.close();
      expect(await all(to)).toEqual(await all(from));
      if (isRestored) await expectDoubt(to, /without its release.head/);
      else await append(to, 'c');
      let before = '';
      for (const { hash, ...rest } of await all(to)) {
        expect(hash).toBe(hashOf(before, rest));
        before = hash;
      }
      await from.close();
      await to.close();
      await sqlite.remove(folder);
      await postgres.remove(database);
    }
  });

  test('in a database: a role that owns nothing but these tables can write the ledger, and tell where it is', async () => {
    const location = await postgres.make();
    const guest = `${new URL(location).pathname.slice(1)}_writer`;
    await query(
      location,
      `CREATE ROLE ${guest} LOGIN; GRANT USAGE ON SCHEMA murmuration TO ${guest}; GRANT ALL ON ALL TABLES IN SCHEMA murmuration TO ${guest}`,
    );
    const ledger = postgres.open(Object.assign(new URL(location), { username: guest }).href);
    await append(ledger, 'a');
    expect(await all(ledger)).toHaveLength(1);
    await ledger.close();
    await query(location, `DROP OWNED BY ${guest}; DROP ROLE ${guest}`);
    await postgres.remove(location);
  });

  test('in a database: tables that were written in another place, as a restored dump has', async () => {
    const location = await postgres.make();
    const ledger = postgres.open(location);
    await append(ledger, 'a');
    await query(location, "UPDATE murmuration.release_place SET place = '7300000000000000000 00000001 5 16400'");
    await expectDoubt(ledger, /in another place/);
    await ledger.close();
    await postgres.remove(location);
  });

  test('in a database: an older state in the same place is found by a process that has seen a newer one, and told to all', async () => {
    const location = await postgres.make();
    const [ledger, other] = [postgres.open(location), postgres.open(location)];
    await append(ledger, 'a', 'b');
    expect(await all(other)).toHaveLength(2);
    // What copying the server's files back does: the place is the same.
    const drop = (n: number): Promise<unknown> =>
      query(
        location,
        `ALTER TABLE murmuration.release_entry DISABLE TRIGGER USER; DELETE FROM murmuration.release_entry WHERE n >= ${n};
          ALTER TABLE murmuration.release_entry ENABLE TRIGGER USER`,
      );
    await drop(2);
    await expect(append(ledger, 'c')).rejects.toThrow(InDoubt);
    const fresh = postgres.open(location);
    await expectDoubt(fresh, /^a ledger that lacks entry 2, which it had before/);
    // The admin has gone on without it, and that holds for whoever has seen it.
    await append(other, 'd');
    await append(ledger, 'e');
    expect((await all(other)).map(({ kind, question }) => question || kind)).toEqual(['a', 'override', 'after', 'd', 'e']);
    await drop(5);
    await append(fresh, 'f');
    await expect(append(ledger, 'g')).rejects.toThrow('lacks entry 5');
    for (const each of [ledger, other, fresh]) await each.close();
    await postgres.remove(location);
  });

  test('in a database: it is written once when the answer to a COMMIT is lost, and not by a process of another version', async () => {
    const location = await postgres.make();
    const proxy = await startProxy(location);
    const ledger = postgres.open(proxy.url);
    for (const mode of ['cut-after-commit', 'cut-before-commit'] as const) {
      proxy.set(mode, 1);
      await append(ledger, mode, `${mode} again`);
    }
    expect(proxy.cuts()).toBe(2);
    const expected = ['cut-after-commit', 'cut-after-commit again', 'cut-before-commit', 'cut-before-commit again'];
    expect((await all(ledger)).map(({ question }) => question)).toEqual(expected);
    await query(location, 'UPDATE murmuration.store SET version = version + 1');
    await expect(append(ledger, 'newer')).rejects.toThrow('expected tables of version');
    await ledger.close();
    await proxy.close();
    await postgres.remove(location);
  });
});

test('in a folder, a secret that was dropped is in no file, although other connections are open', async () => {
  const [sqlite] = places as [(typeof places)[number]];
  const location = await sqlite.make();
  const [ledger, other] = [sqlite.open(location), new DatabaseSync(join(location, ADMIN))];
  const secret = 'exact counts '.repeat(20_000);
  const holds = (file: string): boolean => readFileSync(file).includes('exact counts exact counts');
  const kept = (): readonly string[] => readdirSync(location).filter((name) => holds(join(location, name)));
  await ledger.transact(({ secrets }) => secrets.keep(1, secret));
  other.exec('BEGIN');
  other.prepare('SELECT * FROM release_secret').all();
  expect(kept()).not.toEqual([]);
  await ledger.transact(({ secrets }) => secrets.drop(1));
  expect(kept()).not.toEqual([]); // the reader still needs it
  other.exec('COMMIT');
  await append(ledger, 'a');
  expect(kept()).toEqual([]);
  await ledger.transact(({ secrets }) => secrets.keep(2, secret));
  await ledger.transact(({ secrets }) => secrets.drop());
  expect(kept()).toEqual([]);
  other.close();
  await ledger.close();
  await sqlite.remove(location);
});
