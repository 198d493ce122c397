/** Commands of a newer version beside a running collector of an older one: they leave it the file of keys that it can read. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { canonicalSchema } from '@murmuration/shared';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lock } from '#collector/storage/files/durable.ts';
import { schema } from '../../../kit/senders.ts';
import { runCommand } from '../../../setup/command.ts';

let folder: string;
let file: string;
let data: string;

/** Does something with the file of keys, and says its version. */
function versionAfter(statements: string = ''): unknown {
  const database = new DatabaseSync(join(data, 'admin.sqlite'));
  database.exec(statements);
  const version = database.prepare('PRAGMA user_version').get()?.['user_version'];
  database.close();
  return version;
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-older-'));
  file = join(folder, 'schema.json');
  data = join(folder, 'data');
  writeFileSync(file, canonicalSchema(schema.document));
  expect(runCommand('keys', 'create', '--app', 'abuse', '--data', data).status).toBe(0);
  lock(data)();
});
afterEach(() => rmSync(folder, { recursive: true }));

test('what only reads changes nothing, whether a collector runs or not', () => {
  versionAfter(
    'DROP TABLE log_key; DROP TABLE schema_log; DROP TABLE annotation; DROP TABLE release_secret; DROP TABLE release_entry; DROP TABLE user; DROP TABLE schema; PRAGMA user_version = 1',
  );
  const unlock = lock(data);
  const read = (): readonly unknown[] =>
    ['keys', 'schemas', 'roles', 'annotations'].map((command) => {
      const { status, stdout } = runCommand(command, 'list', '--data', data, '--json');
      return [status, (JSON.parse(stdout) as Record<string, readonly unknown[]>)[command]?.length];
    });
  const lists = [
    [0, 1],
    [0, 0],
    [0, 0],
    [0, 0],
  ];
  expect(read()).toEqual(lists);
  unlock();
  expect(read()).toEqual(lists);
  expect(versionAfter()).toBe(1);
});

test('what writes is refused in one line while a collector runs, and migrates when none does', () => {
  const newest = versionAfter('DROP TABLE log_key; DROP TABLE schema_log');
  const older = Number(newest) - 1;
  versionAfter(`PRAGMA user_version = ${older}`);
  const unlock = lock(data);
  const commands = [
    ['keys', 'create', '--app', 'other'],
    ['serve', '--schema', file, '--port', '0'],
  ];
  for (const command of commands) {
    const message = `murmuration: ${data}: a collector of an older version runs on this folder; use its own command, or stop it first\n`;
    const { status, stdout, stderr } = runCommand(...command, '--data', data);
    expect([status === 0, stdout, stderr], command.join(' ')).toEqual([false, '', message]);
  }
  expect(versionAfter()).toBe(older);
  unlock();
  expect(runCommand('keys', 'create', '--app', 'other', '--data', data).status).toBe(0);
  expect(versionAfter()).toBe(newest);
});
