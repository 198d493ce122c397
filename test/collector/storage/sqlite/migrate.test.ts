/** Versions of the store: older ones are taken forward, step by step; what is newer, or no store, is left as it is. */

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Step } from '#collector/storage/files/database.ts';
import { writeHashOf } from '#collector/storage/group-commit.ts';
import { openForWriting, STEPS } from '#collector/storage/sqlite/schema.ts';
import { openSqliteStore } from '#collector/storage/sqlite/sqlite.ts';
import { DAY, entry, hashOf, idOf, OTHER_APP, SCHEMA, shapes, sum } from '../entries.ts';

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-'));
  file = join(folder, 'murmuration.sqlite');
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Leaves a file as SQL makes it. */
const write = (sql: string): void => {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
};

const value = (database: DatabaseSync, sql: string): unknown => Object.values(database.prepare(sql).get() ?? {})[0];

/** A store of version 1, as the first release wrote it, with one batch of two reports. */
const VERSION_1 = `
  CREATE TABLE batch (id TEXT PRIMARY KEY, day INTEGER NOT NULL, hash TEXT NOT NULL) WITHOUT ROWID;
  CREATE INDEX batch_day ON batch (day);
  CREATE TABLE tally (
    schema TEXT NOT NULL, metric TEXT NOT NULL, day INTEGER NOT NULL, segment TEXT NOT NULL, cohort INTEGER NOT NULL,
    reports INTEGER NOT NULL, cells BLOB NOT NULL,
    PRIMARY KEY (schema, metric, day, segment, cohort)
  ) WITHOUT ROWID;
  INSERT INTO batch VALUES ('${idOf('a')}', ${DAY}, '${Buffer.from(hashOf('a body'), 'hex').toString('base64url').slice(0, 22)}');
  INSERT INTO tally VALUES ('${SCHEMA}', 'plan', ${DAY}, '{}', 0, 2, X'${Buffer.from(new Float64Array([0, 2, 0, 0, 0, 0, 0, 0]).buffer).toString('hex')}');
  PRAGMA user_version = 1;
`;

describe('a store of version 1', () => {
  test('is taken forward with its ids and its counts', async () => {
    write(VERSION_1);
    const store = await openSqliteStore(folder, shapes);
    expect(await sum(store)).toMatchObject({ reports: 2, tallies: { 0: { reports: 2, cells: [0, 2, 0, 0, 0, 0, 0, 0] } } });
    expect(await store.append(entry('a'))).toBe('duplicate');
    expect(await store.append(entry('a', { body: 'another body' }))).toBe('conflict');
    expect(await store.append(entry('b'))).toBe('counted');
    expect((await sum(store)).reports).toBe(3);
    await store.close();
    const database = openForWriting(file);
    expect(value(database, 'PRAGMA user_version')).toBe(STEPS.length);
    database.close();
  });
});

test('a store of version 2 keeps the hashes of its ids, of those in its log as well', async () => {
  const database = openForWriting(file, STEPS.slice(0, 2));
  const batch = (name: string, after: readonly number[]): Buffer => {
    const words = Buffer.from(Int32Array.from(after).buffer);
    return Buffer.concat([Buffer.from(idOf(name), 'hex'), Buffer.from(hashOf('a body'), 'hex').subarray(0, 8), words]);
  };
  const names = Array.from({ length: 2_300 }, (_, i) => `folded ${i}`);
  const insert = database.prepare('INSERT INTO ids (first, day, words) VALUES (?, ?, ?)');
  insert.run(11, DAY, Buffer.concat(names.map((name) => batch(name, [DAY]))));
  const words = Buffer.concat(['one', 'two'].flatMap((name) => [Buffer.from(Int32Array.of(0, 3).buffer), batch(name, [0, 0, 2])]));
  database.prepare('INSERT INTO log (places, words) VALUES (?, ?)').run(JSON.stringify([[SCHEMA, DAY, '{}']]), words);
  database.close();
  const store = await openSqliteStore(folder, shapes);
  expect(await sum(store)).toMatchObject({ reports: 2, tallies: { 0: { reports: 2, cells: [0, 2, 0, 0, 0, 0, 0, 0] } } });
  const known = ['one', 'two', ...names];
  expect(new Set(await Promise.all(known.map((name) => store.append(entry(name)))))).toEqual(new Set(['duplicate']));
  expect(await store.append(entry('another'))).toBe('counted');
  await store.close();
  const bytes = readFileSync(file);
  expect(known.filter((name) => bytes.includes(Buffer.from(idOf(name), 'hex')))).toEqual([]);
});

test('a store of version 4 keeps its tallies, their totals and its numbers of ones, in a fraction of the bytes', async () => {
  const database = openForWriting(file, STEPS.slice(0, 4));
  const insert = database.prepare('INSERT INTO tally VALUES (?, ?, ?, ?, ?, ?, ?)');
  const counts = (of: number): Float64Array => Float64Array.from({ length: 128 }, (_, cell) => of * cell * 1e9);
  const segments = ['{"platform":"ios"}', '{"platform":"web"}'];
  database.exec('BEGIN');
  for (let cohort = 0; cohort < 500; cohort++)
    for (const [i, segment] of segments.entries())
      insert.run(SCHEMA, 'plan', DAY + i, segment, cohort, 2, new Uint8Array(counts(cohort + i).buffer));
  insert.run(OTHER_APP, 'theme', DAY + 9, '{}', 0, 3, new Uint8Array(Float64Array.of(0, 3, 0, 0, 0, 0, 0, 1).buffer));
  database.prepare('INSERT INTO ones VALUES (?, ?, ?, ?, ?)').run(OTHER_APP, 'theme', DAY + 9, 1, 3);
  database.exec('COMMIT; VACUUM');
  const before = Number(value(database, 'PRAGMA page_count'));
  database.close();
  const store = await openSqliteStore(folder, shapes);
  expect(await store.totals()).toEqual([
    { schema: SCHEMA, metric: 'plan', reports: 2_000, from: DAY, to: DAY + 1, version: 1 },
    { schema: OTHER_APP, metric: 'theme', reports: 3, from: DAY + 9, to: DAY + 9, version: 1 },
  ]);
  const { tallies } = await store.read({ schemas: [SCHEMA], metric: 'plan', segment: { platform: 'web' } });
  expect(tallies.size).toBe(500);
  for (const [cohort, tally] of tallies) expect(tally).toEqual({ reports: 2, cells: counts(cohort + 1) });
  expect(await store.read({ schemas: [OTHER_APP], metric: 'theme' })).toEqual({
    tallies: new Map([[0, { reports: 3, cells: Float64Array.of(0, 3, 0, 0, 0, 0, 0, 1) }]]),
    ones: [{ day: DAY + 9, reports: new Map([[1, 3]]) }],
    reports: 3,
    from: DAY + 9,
    to: DAY + 9,
  });
  expect(await store.append(entry('a', { schema: OTHER_APP, reports: [{ metric: 'theme', cells: [1] }] }))).toBe('counted');
  expect((await store.totals()).map(({ reports, from, version }) => [reports, from, version])).toEqual([
    [2_000, DAY, 1],
    [4, DAY, 2],
  ]);
  await store.close();
  const after = openForWriting(file);
  after.exec('VACUUM');
  expect(before * 4_096).toBeGreaterThan(1_000 * 4_000);
  expect(Number(value(after, 'PRAGMA page_count')) * 4_096).toBeLessThan(1_000 * 1_450); // of cells that need all of a double
  after.close();
});

test('a store of version 9 counts the ids of each day, in whichever rows they are', async () => {
  const database = openForWriting(file, STEPS.slice(0, 9));
  const batch = (name: string, day: number): Buffer => {
    const hashed = Buffer.alloc(16);
    writeHashOf(idOf(name), hashed, 0);
    return Buffer.concat([hashed, Buffer.from(hashOf('a body'), 'hex').subarray(0, 8), Buffer.from(Int32Array.of(day).buffer)]);
  };
  const insert = database.prepare('INSERT INTO ids (first, day, words) VALUES (?, ?, ?)');
  insert.run(11, DAY + 1, Buffer.concat([batch('a', DAY), batch('b', DAY + 1), batch('c', DAY)]));
  insert.run(14, DAY + 1, batch('d', DAY + 1));
  insert.run(15, DAY, batch('e', DAY));
  database.close();
  const store = await openSqliteStore(folder, shapes);
  const days = { a: DAY, b: DAY + 1, c: DAY, d: DAY + 1, e: DAY };
  for (const [name, day] of Object.entries(days)) expect(await store.append(entry(name, { day })), name).toBe('duplicate');
  expect(await store.append(entry('f', { day: DAY + 1 }))).toBe('counted');
  expect(await store.sizes?.()).toMatchObject({ ids: 6, unread: [] });
  await store.close();
  const after = openForWriting(file);
  expect(after.prepare('SELECT day, ids FROM day_ids').all()).toEqual([
    { day: DAY, ids: 3 },
    { day: DAY + 1, ids: 3 },
  ]);
  after.close();
});

describe('steps', () => {
  const steps: readonly Step[] = [
    (database) => database.exec('CREATE TABLE first (x INTEGER); INSERT INTO first VALUES (7)'),
    (database) => database.exec('ALTER TABLE first ADD COLUMN y INTEGER; UPDATE first SET y = x * 6'),
    (database) => database.exec('CREATE TABLE third (z INTEGER); INSERT INTO third SELECT y FROM first'),
  ];
  const versions = (database: DatabaseSync): unknown => value(database, 'PRAGMA user_version');

  test.each([0, 1, 2, 3])('take a store of version %i to the newest, and each runs once', (from) => {
    if (from > 0) openForWriting(file, steps.slice(0, from)).close();
    for (const _ of [1, 2]) {
      const database = openForWriting(file, steps);
      expect([versions(database), value(database, 'SELECT z FROM third'), value(database, 'SELECT count(*) FROM first')]).toEqual([
        3, 42, 1,
      ]);
      database.close();
    }
  });

  test('one that fails takes back what it did, and the steps before it stay', () => {
    const broken: Step = (database) => {
      database.exec('DROP TABLE first');
      throw new Error('a step that fails');
    };
    expect(() => openForWriting(file, [...steps.slice(0, 2), broken])).toThrow('a step that fails');
    const database = openForWriting(file, steps);
    expect([versions(database), value(database, 'SELECT z FROM third')]).toEqual([3, 42]);
    database.close();
  });
});

describe('is refused in one sentence, and left as it is:', () => {
  test.each([
    [
      'a store of a later version',
      () => write(`${VERSION_1} PRAGMA user_version = 99`),
      'of version 1 or older, got version 99, which a newer murmuration wrote',
    ],
    ['another SQLite database', () => write('CREATE TABLE songs (title TEXT)'), 'expected a store, got another SQLite database'],
    [
      'a file of another kind',
      () => writeFileSync(file, 'a file of another kind '.repeat(400)),
      'expected a store, got a file that is no SQLite database',
    ],
  ])('%s', async (_, make, message) => {
    make();
    const before = readFileSync(file);
    await expect(openSqliteStore(folder, shapes)).rejects.toThrow(message.replace('version 1 or', `version ${STEPS.length} or`));
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});

describe('an older store on a short disk', () => {
  const left = (): readonly unknown[] => {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      return [value(database, 'PRAGMA user_version'), value(database, 'SELECT count(*) FROM sqlite_schema')];
    } finally {
      database.close();
    }
  };

  test('is left as it is, and says how much room it needs, before anything is changed', () => {
    write(VERSION_1);
    const before = left();
    const MIB = 2 ** 20;
    expect(() => openForWriting(file, STEPS, () => 16 * MIB)).toThrow(
      `${file}: expected 17 MiB of free disk, to bring it from version 1 to ${STEPS.length}, got 16; nothing has been changed`,
    );
    expect(left()).toEqual(before);
    openForWriting(file, STEPS, () => 17 * MIB).close();
  });

  test('is brought forward step by step, each whole or not at all, and its log is emptied after each', () => {
    write(VERSION_1);
    const fails: Step = () => {
      throw new Error('the power failed');
    };
    expect(() => openForWriting(file, [...STEPS.slice(0, 4), fails])).toThrow('the power failed');
    expect(left()[0]).toBe(4);
    const sizes: number[] = [];
    const looked = STEPS.map((step, i): Step => {
      if (i < 4) return step;
      return (database) => {
        sizes.push(statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0);
        step(database);
      };
    });
    const database = openForWriting(file, looked);
    expect(value(database, 'PRAGMA user_version')).toBe(STEPS.length);
    expect(statSync(`${file}-wal`).size).toBe(0);
    expect(sizes.slice(1)).toEqual(sizes.slice(1).map(() => 0));
    database.close();
  });
});
