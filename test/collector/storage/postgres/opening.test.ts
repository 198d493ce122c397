/** Databases that can't hold the store are refused in one line, and stay as they are. */

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { canonicalSchema } from '@murmuration/shared';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkUrl, connected, withoutPassword } from '#collector/storage/postgres/connection.ts';
import { checkSettings, checkStored, LOCK, prepare } from '#collector/storage/postgres/opening.ts';
import { SCHEMA, STEPS } from '#collector/storage/postgres/tables.ts';
import { schema } from '../../../kit/app.ts';
import { runCommand } from '../../../setup/command.ts';
import { createDatabase, dropDatabase } from '../../../setup/postgres.ts';
import { execute, freePort } from '../../../setup/postgres-server.ts';

let folder: string;
let url: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-opening-'));
  writeFileSync(join(folder, 'schema.json'), canonicalSchema(schema.document));
  url = await createDatabase();
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await dropDatabase(url);
});

const hasTables = async (): Promise<boolean> => (await execute(url, `SELECT to_regnamespace('${SCHEMA}')`))[0]?.[0] !== null;

/** Runs `serve` on a database, and expects that it is refused. Returns the line. */
function refused(postgres: string, ...more: readonly string[]): string {
  const args = ['--schema', join(folder, 'schema.json'), '--data', join(folder, 'data'), '--port', '0', '--postgres', postgres, ...more];
  const { status, stdout, stderr } = runCommand('serve', ...args);
  expect([status, stdout, stderr.trim().split('\n').length]).toEqual([2, '', 1]);
  return stderr.replaceAll(new URL(url).host, 'HOST');
}

/** The URL with another part. */
function changed(change: (url: URL) => void): string {
  const other = new URL(url);
  change(other);
  return other.href;
}

describe('serve --postgres', () => {
  test('what is not the URL of a database, or leads to none', async () => {
    expect(refused('me:secret@nowhere/db')).toBe(
      'murmuration: --postgres: expected a URL such as postgres://user@host:5432/database, got me:\n',
    );
    const port = await freePort();
    // A name with several addresses: each of them fails.
    expect(refused(`postgres://me@localhost:${port}/db`)).toContain('expected a database that answers, got: connect ECONNREFUSED');
    const nobody = refused(changed((other) => Object.assign(other, { port: `${port}`, password: 'secret' })));
    expect(nobody).toMatch(
      /^murmuration: postgres:\/\/murmuration:\*\*\*@127.0.0.1:\d+\/\w+: expected a database that answers, got: connect/,
    );
    expect(nobody).not.toContain('secret');
    expect(refused(changed((other) => Object.assign(other, { pathname: '/none' })))).toMatch(
      /HOST\/none: expected a database and a role that exist, got: database "none" does not exist\n$/,
    );
  });

  test('a server that may lose what it confirms, unless that is said to be right', () => {
    expect(refused(url)).toContain(
      'expected a server that keeps what it confirms, got one with fsync and full_page_writes and synchronous_commit off: set it to on, or say --allow-loss where reports may be lost',
    );
  });

  test('a role that may not create tables, or use them, and a store of a newer version', async () => {
    const name = new URL(url).pathname.slice(1);
    await execute(url, `CREATE ROLE ${name}_guest LOGIN`);
    const guest = changed((other) => Object.assign(other, { username: `${name}_guest` }));
    const expected =
      'expected a role that may create and use the tables of schema murmuration, got one that may not: permission denied for';
    expect(refused(guest, '--allow-loss')).toContain(expected);
    expect(await hasTables()).toBe(false);
    await prepare({ postgres: url }, true);
    expect(refused(guest, '--allow-loss')).toContain(expected);
    await execute(url, `UPDATE ${SCHEMA}.store SET version = version + 1`);
    expect(refused(url, '--allow-loss')).toContain(
      `expected tables of version ${STEPS.length} or older, got version ${STEPS.length + 1}, which a newer murmuration wrote`,
    );
    await execute(url, `UPDATE ${SCHEMA}.store SET version = version - 1`);
    await execute(url, `DROP OWNED BY ${name}_guest; DROP ROLE ${name}_guest`);
  });

  test('the settings in effect have no password', () => {
    // Schemas may be published in the database, to which a check of the settings does not connect.
    const args = ['--data', join(folder, 'data'), '--postgres', 'postgres://me:secret@h/d', '--check-config'];
    const { status, stdout } = runCommand('serve', ...args);
    expect([status, (JSON.parse(stdout) as { readonly postgres: string }).postgres]).toEqual([0, 'postgres://me:***@h/d']);
    expect(withoutPassword('postgres://me@h/d?password=secret')).not.toContain('secret');
    expect(withoutPassword('a secret')).not.toContain('secret');
  });

  test.each(['postgres://me:#secret@h/d', 'postgres://me:5/secret@h/d', 'postgres://me:?secret@h/d', 'postgres:me:secret@h/d'])(
    'a URL where a password may be taken for something else: %s',
    (text) => {
      expect(withoutPassword(text)).toBe('(not a URL)');
      expect(() => checkUrl(text)).toThrow(/^(?!.*secret).*write \/ \? # @ of a password as %2F %3F %23 %40$/);
    },
  );
});

test('commands that read want a database with a store', async () => {
  const none = await createDatabase();
  const args = ['--schema', join(folder, 'schema.json'), '--postgres'];
  expect(runCommand('export', ...args, none)).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('expected a database with a store'),
  });
  await prepare({ postgres: none }, true);
  expect(runCommand('export', ...args, none)).toMatchObject({ status: 0, stdout: expect.stringContaining('app,metric') });
  await dropDatabase(none);
});

test('a server that is too old, or none of those settings, is refused', () => {
  const settings = (version: number): Map<string, string> =>
    new Map([
      ['server_version_num', `${version}`],
      ['server_version', '14.10'],
    ]);
  expect(() => checkSettings(settings(140_010), false)).toThrow('expected PostgreSQL 15 or later, got 14.10');
  expect(() => checkSettings(new Map(), false)).toThrow('expected PostgreSQL 15 or later');
  expect(() => checkSettings(settings(150_000), false)).not.toThrow();
});

test('collectors that start at once migrate once, and a migration that fails leaves nothing', async () => {
  const fresh = await createDatabase();
  const source = { postgres: fresh };
  const failing = [...STEPS, 'CREATE TABLE murmuration.half (n integer);\nSELECT 1 / 0;\n'];
  await expect(prepare(source, true, failing)).rejects.toThrow('division by zero');
  expect(await execute(fresh, `SELECT to_regnamespace('${SCHEMA}')`)).toEqual([[null]]);
  await Promise.all(Array.from({ length: 4 }, () => prepare(source, true)));
  expect(await execute(fresh, `SELECT count(*)::integer AS rows, max(version) FROM ${SCHEMA}.store`)).toEqual([[1, STEPS.length]]);
  await expect(prepare(source, true, failing)).rejects.toThrow('division by zero');
  await prepare(source, true);
  await dropDatabase(fresh);
});

test('a migration waits for another one, whatever is set for the role, and a table that stays locked is told in one line', async () => {
  const fresh = await createDatabase();
  const name = new URL(fresh).pathname.slice(1);
  await execute(fresh, `ALTER DATABASE ${name} SET lock_timeout = '10ms'`);
  await execute(fresh, `ALTER DATABASE ${name} SET statement_timeout = '3s'`);
  let prepared: Promise<void> | undefined;
  await connected({ postgres: fresh }, async (query) => {
    await query(`SELECT pg_advisory_lock(${LOCK})`);
    prepared = prepare({ postgres: fresh }, true);
    const waits = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = '${name}')`;
    await Promise.race([prepared, expect.poll(async () => (await query(waits)).length).toBe(1)]);
    await sleep(50);
  });
  await prepared;
  await connected({ postgres: fresh }, async (query) => {
    await query('BEGIN');
    await query(`LOCK TABLE ${SCHEMA}.store`);
    await expect(checkStored({ postgres: fresh })).rejects.toThrow(
      'expected tables that no other transaction locks, as a dump or a migration does, got: canceling statement due to lock timeout',
    );
  });
  await execute(fresh, `ALTER DATABASE ${name} RESET ALL`);
  await dropDatabase(fresh);
});

test('a command creates tables, and refuses to migrate those of a version before it', async () => {
  const fresh = await createDatabase();
  const source = { postgres: fresh };
  await prepare(source, true, STEPS, true);
  const newer = [...STEPS, 'SELECT 1'];
  await expect(prepare(source, true, newer, true)).rejects.toThrow(
    `expected tables of version ${newer.length}, got version ${STEPS.length}; start a collector of this version first`,
  );
  await prepare(source, true, newer);
  await prepare(source, true, newer, true);
  await dropDatabase(fresh);
});

test('every key of what grows begins with the shard, and the file for Citus distributes all of it', async () => {
  const fresh = await createDatabase();
  await prepare({ postgres: fresh }, true);
  const keys = await execute(
    fresh,
    `SELECT relname, (SELECT attname FROM pg_attribute WHERE attrelid = indrelid AND attnum = indkey[0]) AS first
      FROM pg_index JOIN pg_class ON pg_class.oid = indrelid JOIN pg_namespace ON pg_namespace.oid = relnamespace
      WHERE nspname = '${SCHEMA}' ORDER BY relname`,
  );
  const text = readFileSync(new URL('../../../../docs/deploy/postgres/citus.sql', import.meta.url), 'utf8');
  const distributed = [...text.matchAll(/create_distributed_table\('murmuration\.(\w+)', 'shard'/g)].map(([, name]) => name).sort();
  const references = [...text.matchAll(/create_reference_table\('murmuration\.(\w+)'\)/g)].map(([, name]) => name);
  const others = new Set(keys.flatMap(([table, first]) => (first === 'shard' ? [] : [table])));
  expect(references).toEqual(['store']);
  const small = [
    'admin_action',
    'admin_annotation',
    'admin_credential',
    'admin_log_key',
    'admin_schema',
    'admin_schema_log',
    'admin_user',
    'decoded',
    'release_entry',
    'release_place',
    'release_secret',
    'store',
  ];
  expect([...others]).toEqual(small); // which do not grow with reports
  expect(distributed).toEqual(keys.flatMap(([table, first]) => (first === 'shard' ? [table] : [])));
  await dropDatabase(fresh);
});
