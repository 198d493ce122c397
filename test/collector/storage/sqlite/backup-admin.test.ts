/** A backup carries `admin.sqlite`: a restore after the loss of the disk has every key, token, schema and action, and nothing half. */

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { schema } from '@murmuration/examples/cli/schema';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createToken, createWriteKey, listCredentials, revokeCredential } from '#collector/storage/admin/credentials.ts';
import { listActions, openAdminDatabase } from '#collector/storage/admin/database.ts';
import { listSchemas, publishSchemas } from '#collector/storage/admin/published.ts';
import { verifyCopy } from '#collector/storage/sqlite/backup.ts';
import { openSqliteLedger } from '#collector/storage/sqlite/release-ledger.ts';
import { isSealed, seal, unseal } from '#collector/storage/sqlite/seal.ts';
import { openSqliteStore } from '#collector/storage/sqlite/sqlite.ts';
import { runCommand } from '../../../setup/command.ts';
import { entry, shapes } from '../entries.ts';

const ADMIN = 'admin.sqlite';
let folder: string;
let data: string;
let copy: string;
let restored: string;
let admin: DatabaseSync;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-'));
  [data, copy, restored] = [join(folder, 'data'), join(folder, 'copy.sqlite'), join(folder, 'restored')];
  const store = await openSqliteStore(data, shapes);
  await store.append(entry('a'));
  await store.close();
  admin = openAdminDatabase(data); // stays open with its write-ahead log, as beside a running collector
  createWriteKey(admin, 'test', 'notes', 60, undefined);
  createToken(admin, 'test', 'ann', 'viewer', []);
  createToken(admin, 'test', 'bob', 'admin', []);
  revokeCredential(admin, 'test', 'bob');
  publishSchemas(admin, 'test', [schema.document], false);
});

afterEach(() => {
  if (admin.isOpen) admin.close();
  rmSync(folder, { recursive: true });
});

/** Everything that the file holds, the hashes of tokens included. */
const contentOf = (database: DatabaseSync): unknown => [
  listCredentials(database),
  database.prepare('SELECT name, hash FROM credential').all(),
  listSchemas(database),
  listActions(database, 1_000, undefined, []),
];

const backUp = (): void => {
  const { status, stdout, stderr } = runCommand('backup', '--data', data, '--out', copy);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toContain('3 keys and tokens, 1 published schemas');
};

const change = (file: string, work: (database: DatabaseSync) => void): void => {
  const database = new DatabaseSync(file);
  work(database);
  database.close();
};

const mode = (path: string): number => statSync(path).mode & 0o777;

const refuses = (args: readonly string[], message: string): void => {
  const { status, stderr } = runCommand(...args);
  expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(existsSync(restored) ? readdirSync(restored).filter((name) => name.includes('sqlite') && !name.startsWith(ADMIN)) : []).toEqual(
    [],
  );
};

test('a restore from the copy alone has every key, token, schema and action, in files for their owner only', () => {
  const before = contentOf(admin);
  backUp();
  expect(readdirSync(folder).sort()).toEqual(['copy.sqlite', 'data']);
  expect(mode(copy)).toBe(0o600);
  createWriteKey(admin, 'test', 'later', undefined, undefined);
  admin.close();
  rmSync(data, { recursive: true });
  expect(runCommand('backup', '--verify', copy).stdout).toMatch(/ 1 metrics, 1 reports, 3 keys and tokens, 1 published schemas\n$/);
  expect(runCommand('restore', '--from', copy, '--data', restored)).toMatchObject({ status: 0, stderr: '' });
  expect(readdirSync(restored).sort()).toEqual([ADMIN, 'murmuration.lock', 'murmuration.sqlite', 'release.head']);
  for (const name of readdirSync(restored)) expect([name, mode(join(restored, name))]).toEqual([name, 0o600]);
  admin = openAdminDatabase(restored);
  expect(contentOf(admin)).toEqual(before);
  expect(() => admin.exec('DELETE FROM action')).toThrow('append-only');
  change(join(restored, 'murmuration.sqlite'), (store) => {
    expect(store.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'carried'").get()).toBeUndefined();
  });
});

test('a copy carries no secret of a stream: nobody can read one in it, and no stream goes on from it', async () => {
  const secret = '{"threshold":4711}';
  const ledger = openSqliteLedger(data);
  await ledger.transact((transaction) => transaction.secrets.keep(1, secret));
  backUp();
  expect(readFileSync(copy).includes(secret)).toBe(false);
  expect(await ledger.transact((transaction) => transaction.secrets.of(1))).toBe(secret);
  await ledger.close();
  expect(runCommand('restore', '--from', copy, '--data', restored).status).toBe(0);
  const later = openSqliteLedger(restored);
  expect(await later.transact((transaction) => transaction.secrets.all())).toEqual([]);
  await later.close();
});

test('a restore never replaces keys that may be newer: it changes nothing, and says so', () => {
  backUp();
  const mine = openAdminDatabase(restored);
  createToken(mine, 'test', 'newer', 'admin', []);
  const before = contentOf(mine);
  refuses(['restore', '--from', copy, '--data', restored], 'expected a folder without admin.sqlite, because its keys may be newer');
  expect(contentOf(mine)).toEqual(before);
  mine.close();
  rmSync(restored, { recursive: true });
  mkdirSync(restored);
  writeFileSync(join(restored, `${ADMIN}-wal`), 'left of a file that is lost'); // SQLite would replay it
  refuses(['restore', '--from', copy, '--data', restored], 'got one with admin.sqlite-wal');
});

test('a copy whose keys are damaged, or from a later version, is found by its check and not restored', () => {
  backUp();
  const whole = readFileSync(copy);
  const other = join(folder, ADMIN);
  const damages: readonly (readonly [(bytes: Uint8Array) => Uint8Array, string])[] = [
    [(bytes) => bytes.subarray(0, 4_096), 'admin.sqlite: expected a whole file, got a damaged one'],
    [(bytes) => bytes.map((byte, i) => (i > 4_200 && i < 9_000 ? 0x5a : byte)), 'admin.sqlite: expected a whole file, got a damaged one'],
    [() => new TextEncoder().encode('no database at all '.repeat(300)), 'admin.sqlite: expected a store, got a file that is no SQLite'],
    [
      (bytes) => {
        writeFileSync(other, bytes);
        change(other, (database) => database.exec('PRAGMA user_version = 99'));
        return readFileSync(other);
      },
      'got version 99, which a newer murmuration wrote',
    ],
  ];
  for (const [damage, message] of damages) {
    writeFileSync(copy, whole);
    unseal(copy);
    change(copy, (database) => {
      const bytes = database.prepare('SELECT bytes FROM carried').get()?.['bytes'] as Uint8Array;
      database.prepare('UPDATE carried SET bytes = ?').run(damage(bytes));
    });
    seal(copy);
    refuses(['backup', '--verify', copy], message);
    refuses(['restore', '--from', copy, '--data', restored], message);
    expect(existsSync(restored)).toBe(false);
  }
});

test('a bit that changes anywhere in a copy is found, and such a copy is not restored', () => {
  backUp();
  const whole = readFileSync(copy);
  expect(isSealed(copy)).toBe(true);
  const positions = Array.from({ length: 400 }, (_, i) => Math.floor((i * whole.length) / 400) + (i % 7));
  const last = Array.from({ length: 90 }, (_, i) => whole.length - 1 - i); // the checksum itself
  for (const [i, position] of [...positions, ...last].entries()) {
    const bytes = Buffer.from(whole);
    bytes[position] = (bytes[position] as number) ^ (1 << (i % 8));
    writeFileSync(copy, bytes);
    expect(() => verifyCopy(copy), `byte ${position}`).toThrow(RangeError);
    if (i % 49 === 0) refuses(['restore', '--from', copy, '--data', restored], 'expected ');
  }
  writeFileSync(copy, whole);
  expect(runCommand('restore', '--from', copy, '--data', restored).status).toBe(0);
});

test('a copy that was put in place by hand is backed up with the keys of its folder, not with those inside it', () => {
  backUp();
  admin.close();
  for (const name of readdirSync(data)) rmSync(join(data, name));
  writeFileSync(join(data, 'murmuration.sqlite'), readFileSync(copy));
  const { stdout } = runCommand('backup', '--data', data, '--out', join(folder, 'second'));
  expect(stdout).toContain('no keys and no published schemas');
  expect(runCommand('backup', '--verify', join(folder, 'second')).stdout).toContain('no keys and no published schemas');
});
