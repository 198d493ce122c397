/** URLs of databases: what is wrong with one is said in a line, in which no part of it may be a password. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkUrl, withoutPassword } from '#collector/storage/postgres/connection.ts';
import { prepare } from '#collector/storage/postgres/opening.ts';
import { withCluster } from '../../../faults/postgres/cluster.ts';
import { createDatabase, dropDatabase } from '../../../setup/postgres.ts';
import { execute } from '../../../setup/postgres-server.ts';

test.each(['password', 'PASSWORD', 'sslpassword', 'options', 'anything'])('no value of the parameter %s is shown', (name) => {
  const shown = withoutPassword(`postgres://me:secret@h/d?${name}=secret&sslmode=disable&${name}=secret`);
  expect(shown).not.toContain('secret');
  expect(shown).toContain('sslmode=disable');
});

test.each([
  ['', 'expected a URL such as postgres://user@host:5432/database, got an empty text'],
  ['secret', 'got a text that begins with no protocol'],
  ['host=h password=secret', 'got a text that begins with no protocol'],
  ['postgres://me:secret#more@h/d', 'got one with a host or a port that none can have: write / ? # @ of a password as %2F %3F %23 %40'],
  ['postgres://me@h:543x/d', 'got one with a host or a port that none can have'],
  ['postgres://me:secret%E9@h/d', 'got a password in which % is not followed by the digits of UTF-8: write % as %25'],
  ['postgres://me%@h/d', 'got a user in which %'],
  ['postgres://me@h/d%zz', 'got a database in which %'],
  ...['require', 'prefer', 'verify-ca', 'allow', 'bogus', ''].map((mode) => [
    `postgres://me:secret@h/d?sslmode=${mode}`,
    `expected sslmode=disable, no-verify or verify-full, got ${mode}`,
  ]),
  ['postgres://me@h/d?sslmode=secret%20word', 'got another'],
])('%s is refused', (text, message) => {
  expect(() => checkUrl(text)).toThrow(message);
  expect(() => checkUrl(text)).not.toThrow('secret');
});

test.each([
  'postgres://me:%25%40@h/d?sslmode=verify-full',
  'postgresql://me@h:5432/d?sslmode=disable',
  'postgres://me@h/d?sslmode=no-verify',
  'postgres://me@%2Frun%2Fpostgresql/d',
])('%s is taken', (text) => expect(() => checkUrl(text)).not.toThrow());

test('options that the server does not take are told in words', async () => {
  const url = await createDatabase();
  const told = (options: string): Promise<void> => prepare({ postgres: `${url}?options=${encodeURIComponent(options)}` }, true);
  await expect(told('-c nonsense=1')).rejects.toThrow(
    'expected options that the server takes, got: unrecognized configuration parameter "nonsense"',
  );
  await expect(told('-c work_mem=many')).rejects.toThrow('expected options that the server takes, got: invalid value');
  await dropDatabase(url);
});

test('a server that asks for a password, and a socket in place of a port', async () => {
  await withCluster(
    async (cluster) => {
      await execute(cluster.url, "CREATE ROLE asked LOGIN SUPERUSER PASSWORD 'secret'");
      const file = join(cluster.data, 'pg_hba.conf');
      writeFileSync(file, `host all asked 127.0.0.1/32 scram-sha-256\n${readFileSync(file, 'utf8')}`);
      await execute(cluster.url, 'SELECT pg_reload_conf()');
      const asked = Object.assign(new URL(cluster.url), { username: 'asked' });
      await expect
        .poll(() => prepare({ postgres: asked.href }, true).catch((error: Error) => error.message))
        .toContain('expected a password, got none: set PGPASSWORD, or add a line for this role to the password file');
      await prepare({ postgres: Object.assign(asked, { password: 'secret' }).href }, true);
      const [[folder] = []] = await execute(cluster.url, "SELECT current_setting('unix_socket_directories')");
      const socket = `postgres://murmuration@${encodeURIComponent(String(folder))}:${cluster.port}${new URL(cluster.url).pathname}`;
      await prepare({ postgres: socket }, true);
    },
    [`unix_socket_directories=/tmp`],
  );
});
