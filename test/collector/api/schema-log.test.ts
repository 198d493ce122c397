/** The log of schemas of a collector: what is published is in it, `murmuration log verify` reads it, and a witness sees that it was rewritten. */

import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defineSchema, flag } from '@murmuration/client';
import { canonicalSchema, fingerprint, wireName } from '@murmuration/shared';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LogEntry } from '#collector/schemas/log/entry.ts';
import { createLogKey, openCheckpoint } from '#collector/schemas/log/note.ts';
import { openAdminDatabase } from '#collector/storage/admin/database.ts';
import { publishSchemas, retireSchema } from '#collector/storage/admin/published.ts';
import { schema as notes, type Running, start } from '../../kit/app.ts';
import { bin } from '../../setup/command.ts';

const [first, second] = [1, 2]
  .map((version) =>
    defineSchema({
      app: 'maps',
      version,
      budget: { epsilon: 9, per: 'month' },
      metrics: { dark: flag({ epsilon: version, every: 'month', description: 'Is dark mode on?' }) },
    }),
  )
  .map(({ document }) => document) as [(typeof notes)['document'], (typeof notes)['document']];
const described = { ...first, about: { dark: { description: 'Do you use dark mode?' } } };

let running: Running;
let witness: string;
beforeEach(async () => {
  running = await start({ schemas: [notes.document] });
  witness = join(running.folder, 'witness');
});
afterEach(() => running.close());

/** Changes what is published, as a command does. */
function change(work: (database: ReturnType<typeof openAdminDatabase>) => unknown): void {
  const database = openAdminDatabase(running.folder);
  work(database);
  database.close();
  running.collector.admin.look();
}

const execute = promisify(execFile);

interface Verified {
  readonly size: number;
  readonly root: string;
  readonly key: string;
  readonly grown: boolean;
  readonly entries: readonly LogEntry[];
}

/** Runs `log verify`. */
const verify = async (...args: readonly string[]): Promise<Verified> =>
  JSON.parse((await execute(process.execPath, [bin, 'log', 'verify', running.url, '--json', ...args])).stdout) as Verified;

const refusal = (code: number, words: string): object => ({ code, stderr: expect.stringContaining(words) });

test('every schema that is served, published, described anew or retired is an entry, with its document', async () => {
  change((database) => publishSchemas(database, 'test', [first, second, first], true)); // one of them twice
  change((database) => publishSchemas(database, 'test', [described], true));
  change((database) => publishSchemas(database, 'test', [described], true)); // changes nothing
  change((database) => retireSchema(database, 'test', wireName(first), []));
  const { entries, size } = await verify('--witness', witness);
  const published = await Promise.all(
    [notes.document, first, second, described].map(async (document) => ({
      day: expect.any(String) as string,
      fingerprint: await fingerprint(canonicalSchema(document)),
      schema: wireName(document),
      what: 'published',
    })),
  );
  expect(entries).toEqual([...published, { day: expect.any(String), schema: wireName(first), what: 'retired' }]);
  expect(size).toBe(5);
  const document = await fetch(`${running.url}/.well-known/murmuration-log/schema/${published[3]?.fingerprint}`);
  expect(await document.text()).toBe(canonicalSchema(described));
  expect(document.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
});

test('the log outlives a restart, and a witness sees it grow', async () => {
  const before = await verify('--witness', witness);
  expect(before).toMatchObject({ size: 1, grown: false });
  change((database) => publishSchemas(database, 'test', [first], true));
  const file = join(running.folder, 'schema.json');
  writeFileSync(file, canonicalSchema(first));
  expect(await verify('--witness', witness, '--schema', file)).toMatchObject({ size: 2, grown: true, key: before.key });
  const [key = '', ...note] = readFileSync(witness, 'utf8').split('\n');
  expect(openCheckpoint(note.join('\n'), key).size).toBe(2);
  writeFileSync(file, canonicalSchema(second));
  await expect(verify('--schema', file)).rejects.toMatchObject(refusal(1, 'expected an entry of the log with its fingerprint'));
});

test('a log that was rewritten, cut, or signed by another key is refused, and the witness keeps what it saw', async () => {
  change((database) => publishSchemas(database, 'test', [first], true));
  await verify('--witness', witness);
  const seen = readFileSync(witness, 'utf8');
  const free = 'DROP TRIGGER schema_log_is_final; DROP TRIGGER schema_log_stays';
  change((database) => {
    expect(() => database.exec('DELETE FROM schema_log')).toThrow('the log of schemas is append-only');
    expect(() => database.exec("UPDATE schema_log SET entry = 'x'")).toThrow('the log of schemas is append-only');
    database.exec(`${free}; UPDATE schema_log SET entry = replace(entry, 'maps/1/', 'maps/3/') WHERE n = 1; DELETE FROM schema WHERE 1`);
    publishSchemas(database, 'test', [second], true);
  });
  await expect(verify('--witness', witness)).rejects.toMatchObject(refusal(1, 'of its first 2 entries, as it was signed before'));
  await expect(verify()).rejects.toMatchObject(refusal(1, 'expected "maps/3/')); // nor do its documents fit
  change((database) => database.exec('DELETE FROM schema_log WHERE n > 0'));
  await expect(verify('--witness', witness)).rejects.toMatchObject(
    refusal(1, 'expected at least the 2 entries that were signed before, got 1'),
  );
  expect(readFileSync(witness, 'utf8')).toBe(seen);
  change((database) => {
    const { name, secret } = createLogKey();
    database.prepare('UPDATE log_key SET name = ?, secret = ?').run(name, secret);
    publishSchemas(database, 'test', [described], true);
  });
  await expect(verify('--witness', witness)).rejects.toMatchObject(refusal(1, 'got none of its signatures'));
  await expect(verify('--key', 'maps+00000000+AA==')).rejects.toMatchObject(refusal(1, 'expected a key as name+id+base64'));
});

test('what can not be checked is one sentence', async () => {
  await expect(execute(process.execPath, [bin, 'log', 'verify', 'maps'])).rejects.toMatchObject(
    refusal(2, 'expected the address of a collector'),
  );
  const away = execute(process.execPath, [bin, 'log', 'verify', 'http://127.0.0.1:9']);
  await expect(away).rejects.toMatchObject(refusal(1, 'http://127.0.0.1:9/.well-known/murmuration.json: expected an answer, got'));
  const unwritable = verify('--witness', join(running.folder, 'none', 'witness'));
  await expect(unwritable).rejects.toMatchObject({ code: 1, stderr: expect.not.stringContaining('    at ') });
  for (const path of ['tile/0/000', 'tile/entries/000.p/2', 'tile/0/000.p/0', 'schema/0', 'schema/constructor', 'checkpoint/'])
    expect((await fetch(`${running.url}/.well-known/murmuration-log/${path}`)).status, path).toBe(404);
});
