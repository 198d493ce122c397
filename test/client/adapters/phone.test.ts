/** The storages of phones: the suite, and programs that are killed before an operation and at any moment. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { sqliteStorage } from '@murmuration/client/react-native';
import { testStorage } from '@murmuration/client/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EFFORT } from '../../setup/effort.ts';
import { increment, openDatabase, PHONES } from './phone.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'murmuration-phone-'));
});
afterAll(() => rm(folder, { recursive: true }));

let files = 0;
const unusedFile = (): string => join(folder, `file ${files++}`);

describe('a database of expo-sqlite', () => {
  const suite = (): string => join(folder, 'suite.db');
  testStorage(test, () => sqliteStorage(() => openDatabase(suite())), {
    full: () => {
      const database = openDatabase(suite());
      database.execSync('PRAGMA max_page_count = 1');
      const runSync = (source: string, key = '', value = ''): unknown => database.runSync(source, key, value.padEnd(200_000));
      return sqliteStorage(() => ({ ...database, runSync }));
    },
    unused: () => {
      const file = unusedFile();
      return { storage: sqliteStorage(() => openDatabase(file)), exists: async () => existsSync(file) && (await stat(file)).size > 0 };
    },
  });

  test('syncs each commit as durably as SQLite can', () => {
    const database = openDatabase(unusedFile());
    sqliteStorage(() => database).transact('key', increment);
    const settings = ['synchronous', 'fullfsync'].map((name) => database.getFirstSync(`PRAGMA ${name}`));
    expect(settings).toEqual([{ synchronous: 3 }, { fullfsync: 1 }]);
  });

  test('leaves a transaction of the app alone', () => {
    const database = openDatabase(unusedFile());
    const storage = sqliteStorage(() => database);
    storage.transact('count', increment);
    database.execSync("BEGIN; CREATE TABLE mine (x); INSERT INTO mine VALUES ('kept')");
    expect(() => storage.transact('count', increment)).toThrow(/transaction within a transaction/);
    database.execSync('COMMIT');
    expect(database.getFirstSync('SELECT x FROM mine')).toEqual({ x: 'kept' });
    expect(storage.transact('count', increment)).toBe(2);
  });
});

/** The operations before which a program dies: between two files of a step, and before a commit. With more effort, all of three steps. */
const OPERATIONS = EFFORT > 1 ? [...Array(18).keys()] : [5, 10];
const LIVES = 2 * EFFORT;

describe.each(Object.keys(PHONES))('an app with %s', (name) => {
  const count = (at: string, notes: string, operations?: number): ChildProcess =>
    spawn(process.execPath, [join(import.meta.dirname, 'phone.ts'), name, at, notes, `${operations ?? ''}` || 'Infinity'], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  /** The number that a program noted last. */
  const noted = (notes: string): number => (existsSync(notes) ? Number(readFileSync(notes, 'utf8').trim().split(/\s+/).at(-1)) : 0);
  /** What is stored is what was noted last, or one more: the program may have died between the step and the note. */
  const expectKept = async (at: string, notes: string): Promise<void> => {
    const stored = await PHONES[name]?.(at).transact('count', (text) => ({ next: undefined, result: Number.parseInt(text ?? '0', 10) }));
    expect([0, 1]).toContain((stored ?? Number.NaN) - noted(notes));
  };
  const newApp = async (): Promise<readonly [at: string, notes: string]> => {
    const at = unusedFile();
    await mkdir(at);
    return [at, `${at}.notes`];
  };

  test('that is killed between two operations of a step loses no step that was done', async () => {
    for (const operations of OPERATIONS) {
      const [at, notes] = await newApp();
      expect(await once(count(at, notes, operations), 'exit')).toEqual([null, 'SIGKILL']);
      await expectKept(at, notes);
    }
  });

  test('that is killed at any moment, again and again, loses no step', async () => {
    const [at, notes] = await newApp();
    for (let life = 0; life < LIVES; life++) {
      const child = count(at, `${notes}${life}`);
      await expect.poll(() => noted(`${notes}${life}`), { interval: 5 }).toBeGreaterThan(0);
      await setTimeout(7 * life);
      child.kill('SIGKILL');
      await once(child, 'exit');
      await expectKept(at, `${notes}${life}`);
    }
  });
});
