/** A database that would lose reports, count them twice or refuse them at midnight is refused at the start, and stays as it is. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canonicalSchema } from '@murmuration/shared';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { prepare } from '#collector/storage/postgres/opening.ts';
import { openPostgresStore } from '#collector/storage/postgres/postgres.ts';
import { schema } from '../../../kit/app.ts';
import { runCommand } from '../../../setup/command.ts';
import { createDatabase, dropDatabase } from '../../../setup/postgres.ts';
import { execute } from '../../../setup/postgres-server.ts';
import { entry, shapes, sum } from '../entries.ts';

let url: string;
let role: string;
let folder: string;
beforeEach(async () => {
  url = await createDatabase();
  role = `${new URL(url).pathname.slice(1)}_role`;
  await execute(url, `CREATE ROLE ${role} LOGIN`);
  folder = mkdtempSync(join(tmpdir(), 'murmuration-checks-'));
  writeFileSync(join(folder, 'schema.json'), canonicalSchema(schema.document));
});
afterEach(async () => {
  await dropDatabase(url);
  await execute(url, `DROP OWNED BY ${role}; DROP ROLE ${role}`);
  rmSync(folder, { recursive: true });
});

const asRole = (): string => Object.assign(new URL(url), { username: role }).href;

/** The line with which `serve` refuses to start. */
function refusalOf(postgres: string): string {
  const { status, stdout, stderr } = runCommand(
    ...['serve', '--schema', join(folder, 'schema.json'), '--port', '0', '--postgres', postgres, '--allow-loss'],
  );
  expect([status, stdout, stderr.trim().split('\n').length]).toEqual([2, '', 1]);
  return stderr;
}

test('without the primary key of ids, no batch is counted a second time, and no collector starts', async () => {
  const store = await openPostgresStore({ postgres: url }, shapes, { isLossAllowed: true });
  expect(await store.append(entry('a'))).toBe('counted');
  await execute(url, 'ALTER TABLE murmuration.batch_id DROP CONSTRAINT batch_id_pkey');
  await expect(store.append(entry('a'))).rejects.toThrow('no unique or exclusion constraint');
  expect(await sum(store)).toMatchObject({ reports: 1 });
  await store.close();
  expect(refusalOf(url)).toContain('expected a primary key of each table, got none of batch_id: without it, batches may be counted twice');
});

test('a role that can not create the partitions of the days to come is refused, and one that can is not', async () => {
  await prepare({ postgres: url }, true);
  await execute(
    url,
    `GRANT USAGE ON SCHEMA murmuration TO ${role}; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA murmuration TO ${role}`,
  );
  const words = 'expected a role that may create and use the tables of schema murmuration, got one that may not: it';
  expect(refusalOf(asRole())).toContain(`${words} lacks CREATE on the schema murmuration\n`);
  await execute(url, `GRANT CREATE ON SCHEMA murmuration TO ${role}`);
  expect(refusalOf(asRole())).toContain(`${words} does not own the table admin_action\n`);
  await execute(url, `CREATE ROLE ${role}_owners; GRANT ${role}_owners TO ${role}`);
  await execute(
    url,
    `ALTER SCHEMA murmuration OWNER TO ${role}_owners;
      DO $$ DECLARE t regclass; BEGIN
        FOR t IN SELECT oid FROM pg_class WHERE relnamespace = 'murmuration'::regnamespace AND relkind IN ('r', 'p')
        LOOP EXECUTE format('ALTER TABLE %s OWNER TO ${role}_owners', t); END LOOP;
      END $$`,
  );
  await prepare({ postgres: asRole() }, true);
  await execute(url, `DROP OWNED BY ${role}_owners CASCADE; DROP ROLE ${role}_owners`);
});

test('a database that takes no writes is refused', async () => {
  await prepare({ postgres: url }, true);
  await execute(url, `ALTER ROLE ${role} SET default_transaction_read_only = on`);
  expect(refusalOf(asRole())).toContain('expected a database that takes writes, got one with default_transaction_read_only on');
});

test('a database whose encoding lacks letters is refused', async () => {
  const latin = `${new URL(url).pathname.slice(1)}_latin`;
  await execute(url, `CREATE DATABASE ${latin} ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`);
  expect(refusalOf(Object.assign(new URL(url), { pathname: latin }).href)).toContain(
    'expected a database with the encoding UTF8, got LATIN1',
  );
  await execute(url, `DROP DATABASE ${latin}`);
});

test.for([
  ['CREATE TABLE murmuration.shard (n integer)', 'relation "shard" already exists'],
  ['CREATE TABLE murmuration.store (n integer)', 'column "version" does not exist'],
  ['CREATE TABLE murmuration.store (version integer)', 'its table store is another one'],
])('a schema of the same name with other tables is refused, and stays as it is: %s', async ([create, reason]) => {
  await execute(url, `CREATE SCHEMA murmuration; ${create}`);
  expect(refusalOf(url)).toContain(`expected a schema murmuration with the tables of murmuration and no others, got: ${reason}`);
  const args = ['--from', 'sqlite', '--to', 'postgres', '--data', join(folder, 'data'), '--postgres', url, '--allow-loss'];
  expect(runCommand('migrate', ...args).status).not.toBe(0);
  expect(await execute(url, `SELECT count(*)::integer FROM pg_tables WHERE schemaname = 'murmuration'`)).toEqual([[1]]);
});
