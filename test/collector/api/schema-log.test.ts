/** The log of schemas of a collector: what is published is in it, `murmuration log verify` reads it, and a witness sees that it was rewritten. */

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { defineSchema, flag } from '@murmuration/client';
import { canonicalSchema, fingerprint, type SchemaDocument, wireName } from '@murmuration/shared';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { published } from '#collector/planning/audit/deployed/checks/published.ts';
import type { LogEntry } from '#collector/schemas/log/entry.ts';
import { createLogKey, openCheckpoint } from '#collector/schemas/log/note.ts';
import { parseWitness, type Witness } from '#collector/schemas/log/witness.ts';
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
    for (const sql of [
      "UPDATE schema_log SET entry = 'x'",
      "INSERT OR REPLACE INTO schema_log (n, entry) VALUES (0, 'x')",
      "INSERT INTO schema_log (n, entry) VALUES (-1, 'x')",
      'INSERT OR REPLACE INTO schema_log SELECT 2, entry, fingerprint, document FROM schema_log WHERE n = 0',
    ])
      expect(() => database.exec(sql), sql).toThrow('the log of schemas is append-only');
    for (const sql of ["UPDATE log_key SET name = 'x'", 'DELETE FROM log_key', "INSERT INTO log_key VALUES ('x', 'y')"])
      expect(() => database.exec(sql), sql).toThrow('the log of schemas has one key');
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
    database.exec('DROP TRIGGER log_key_is_final');
    database.prepare('UPDATE log_key SET name = ?, secret = ?').run(name, secret);
    publishSchemas(database, 'test', [described], true);
  });
  await expect(verify('--witness', witness)).rejects.toMatchObject(refusal(1, 'got none of its signatures'));
  await expect(verify('--key', 'maps+00000000+AA==')).rejects.toMatchObject(refusal(1, 'expected a key as name+id+base64'));
});

test('a statement that shows another document under a logged name is refused, and one of another form is one sentence', async () => {
  const address = '/.well-known/murmuration.json';
  const said = (await (await fetch(`${running.url}${address}`)).json()) as {
    apps: { schemas: { document: { devices: number } }[] }[];
  };
  const honest = JSON.stringify(said);
  const [shown] = said.apps[0]?.schemas ?? [];
  if (shown !== undefined) shown.document.devices += 1;
  let answer = JSON.stringify(said);
  const posing = createServer(async (request, response) => {
    if (request.url === address) return void response.end(answer);
    response.end(Buffer.from(await (await fetch(`${running.url}${request.url}`)).arrayBuffer()));
  }).listen(0, '127.0.0.1');
  await once(posing, 'listening');
  const url = `http://127.0.0.1:${(posing.address() as AddressInfo).port}`;
  const ask = (): Promise<unknown> => execute(process.execPath, [bin, 'log', 'verify', url]);
  await expect(ask()).rejects.toMatchObject(refusal(1, 'expected each schema in force in the log as it is stated'));
  answer = '{"log":{"key":5},"apps":[]}';
  await expect(ask()).rejects.toMatchObject(refusal(1, 'expected the statement of a collector, got something else'));
  answer = honest;
  await ask();
  posing.close();
  await once(posing, 'close');
});

test('an audited page is held to the log that a witness saw, and a log that is withheld then fails', async () => {
  await verify('--witness', witness);
  const seen = parseWitness(readFileSync(witness, 'utf8'));
  const rows = async (url: string, document: SchemaDocument, by?: Witness): Promise<readonly (readonly string[])[]> => {
    const known = async () => ({ devices: [{ document, wire: wireName(document) }] });
    const stories = async () => [['grant', { sent: [{ isReport: true, url: `${url}/v1/reports` }] }]];
    const found = await published.run({ known, stories, witness: by } as unknown as Parameters<typeof published.run>[0]);
    return found.map(({ check, verdict, evidence }) => [check, verdict, evidence]);
  };
  const passed = ['log of schemas', 'passed', expect.stringContaining('signed by the key of the witness')];
  expect(await rows(running.url, notes.document, seen)).toContainEqual(passed);
  expect(await rows(running.url, first, seen)).toContainEqual(['log of schemas', 'failed', expect.stringContaining('has no entry')]);
  const none = { known: async () => ({ devices: [] }), stories: async () => [], witness: seen };
  const blind = await published.run(none as unknown as Parameters<typeof published.run>[0]);
  expect(blind.map(({ verdict }) => verdict)).toEqual(['not tested', 'failed']);
  const forked = { ...seen, note: seen.note.replace(/\n.{43}=\n/, `\n${Buffer.alloc(32).toString('base64')}\n`) };
  expect((await rows(running.url, notes.document, forked)).at(-1)?.slice(0, 2)).toEqual(['log of schemas', 'failed']);
  const silent = createServer((_request, response) => void response.writeHead(404).end()).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  expect((await rows(url, notes.document)).map(([check, verdict]) => [check, verdict])).toEqual([
    ['published schema', 'not tested'],
    ['log of schemas', 'not tested'],
  ]);
  expect((await rows(url, notes.document, seen)).at(-1)?.slice(0, 2)).toEqual(['log of schemas', 'failed']);
  silent.close();
  await once(silent, 'close');
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
