/** An older program on what a newer one has migrated: every command refuses it in one sentence, and nothing is changed, in both stores. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createCollector } from '@murmuration/collector';
import { canonicalSchema } from '@murmuration/shared';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { postgres } from '#collector/storage/postgres/backend.ts';
import { sqlite } from '#collector/storage/sqlite/backend.ts';
import { STEPS } from '#collector/storage/sqlite/schema.ts';
import { noMount } from '../../faults/full.ts';
import { batch, schema } from '../../kit/senders.ts';
import { runCommand } from '../../setup/command.ts';
import { createDatabase, dropDatabase } from '../../setup/postgres.ts';
import { execute } from '../../setup/postgres-server.ts';

let folder: string;
let data: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-rollback-'));
  data = join(folder, 'data');
  file = join(folder, 'schema.json');
  writeFileSync(file, canonicalSchema(schema.document));
});
afterEach(() => rmSync(folder, { recursive: true }));

const APP = schema.document.app;
/** Commands that read or write a store, as far as both stores have them. */
const commands = (): readonly (readonly string[])[] => [
  ['serve', '--schema', file, '--port', '0', '--allow-loss'],
  ['keys', 'create', '--app', APP],
  ['keys', 'revoke', 'first'],
  ['keys', 'list'],
  ['roles', 'set', 'kim', '--role', 'viewer'],
  ['schemas', 'publish', file],
  ['schemas', 'retire', file],
  ['days', 'show'],
  ['days', 'reopen'],
  ['export', '--schema', file],
  ['release', 'list'],
];
const inFolder = (): readonly (readonly string[])[] => [
  ['backup', '--out', join(folder, 'copy')],
  ['prune', '--keep-for', '400'],
  ['delete', '--app', APP, '--yes'],
  ['vacuum'],
];

/** Runs commands that must be refused in one line, and returns that line of each, without what differs between them. */
function refused(all: readonly (readonly string[])[], ...place: readonly string[]): readonly string[] {
  return all.map((command) => {
    const { status, stdout, stderr } = runCommand(...command, ...place);
    const said = `${command.slice(0, 2).join(' ')}: ${stderr}`;
    expect([status === 0, stdout, stderr.split('\n').length], said).toEqual([false, '', 2]);
    return said;
  });
}

/** Starts a collector, takes a batch, and stops it. */
async function use(storage: ReturnType<typeof sqlite>): Promise<void> {
  const collector = await createCollector({ open: true, schemas: [schema.document], storage, leastFree: 0 });
  const address = await collector.listen(0, '127.0.0.1');
  expect((await fetch(`${address}/v1/reports`, { method: 'POST', body: batch() })).status).toBe(204);
  await collector.close();
}

/** The files of the folder, without what SQLite shares between connections. */
const files = (): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(data)
      .filter((name) => !/-(shm|wal)$/.test(name))
      .map((name) => [name, readFileSync(join(data, name), 'base64')]),
  );

/** Makes a file of the folder one of a version that is so many later, or earlier, with more in it. Returns that version. */
function shift(name: string, by: number, more: string = ''): number {
  const database = new DatabaseSync(join(data, name));
  database.exec(more);
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']) + by;
  database.exec(`PRAGMA user_version = ${version}`);
  database.close();
  return version;
}

test('a folder of a newer version', async () => {
  await use(sqlite(data));
  const newer = ['admin.sqlite', 'murmuration.sqlite'].map((name) => shift(name, 1));
  const before = files();
  const lines = refused([...commands(), ...inFolder()], '--data', data);
  for (const said of lines) expect(said).toMatch(new RegExp(`got version (${newer.join('|')}), which a newer murmuration wrote`));
  expect(files()).toEqual(before);
});

test('a folder of which only the store is newer: its keys are left as they are', async () => {
  await use(sqlite(data));
  const newer = shift('murmuration.sqlite', 1);
  rmSync(join(data, 'admin.sqlite')); // a start would make it, with a token
  const before = files();
  for (const said of refused(commands().slice(0, 1), '--data', data))
    expect(said).toContain(`got version ${newer}, which a newer murmuration wrote`);
  expect(files()).toEqual(before);
});

test.runIf(noMount() === undefined)('an upgrade that has too little room leaves the keys to the older version, too', async () => {
  mkdirSync(data);
  // There is room for the keys, which need 16 MiB, and not for a step that rewrites the store, which needs twice its size besides.
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=22m', 'tmpfs', data]);
  try {
    await use(sqlite(data));
    shift('murmuration.sqlite', 4 - STEPS.length, 'CREATE TABLE filler AS SELECT zeroblob(4000000) AS bytes');
    const older = shift('admin.sqlite', -1);
    expect(refused(commands().slice(0, 1), '--data', data)).toEqual([expect.stringContaining('nothing has been changed')]);
    expect(shift('admin.sqlite', 0)).toBe(older);
  } finally {
    execFileSync('umount', [data]);
  }
});

test('a database of a newer version', async () => {
  const url = await createDatabase();
  try {
    await use(postgres(url, { allowLoss: true }));
    await execute(url, 'UPDATE murmuration.store SET version = version + 1');
    const content = (): Promise<unknown> => execute(url, "SELECT schema_to_xml('murmuration', true, false, '')::text");
    const before = await content();
    for (const said of refused(commands(), '--postgres', url)) expect(said).toMatch(/got version \d+, which a newer murmuration wrote/);
    expect(await content()).toEqual(before);
  } finally {
    await dropDatabase(url);
  }
});
