/** `GET /.well-known/murmuration.json`: anybody may read what is asked and what that gives away, and nothing that came of it. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type IncomingHttpHeaders, request } from 'node:http';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { choice, defineSchema, flag, permanent } from '@murmuration/client';
import { canonicalSchema, dayNumber, dayText, wireName } from '@murmuration/shared';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type PublicApps, type PublicSchema, publicApps, WELL_KNOWN } from '#collector/api/openapi/well-known.ts';
import { auditOf } from '#collector/planning/audit/audit.ts';
import { createAudits } from '#collector/planning/audit/audit-thread.ts';
import { spendingOf } from '#collector/planning/audit/spending.ts';
import { createCatalog } from '#collector/schemas/catalog.ts';
import { openAdminDatabase } from '#collector/storage/admin/database.ts';
import { publishSchemas, retireSchema } from '#collector/storage/admin/published.ts';
import { bodyOf, schema as notes, type Running, sendTo, start } from '../../kit/app.ts';

const bin = fileURLToPath(new URL('../../../collector/bin/murmuration.js', import.meta.url));
const dark = flag({ epsilon: 1, every: 'month', description: 'Is dark mode on?' });
const versions = [1, 2].map((version) =>
  defineSchema({
    app: 'maps',
    version,
    budget: { epsilon: 5, per: 'month' },
    metrics: {
      dark: version === 1 ? permanent(dark, { epsilon: 3, renew: 'year' }) : dark,
      plan: choice(['free', 'pro'], { epsilon: 1, every: 'month', description: 'Which plan?' }),
    },
  }),
);
const [first, second] = versions.map(({ document }) => document) as [(typeof notes)['document'], (typeof notes)['document']];

let running: Running;
/** The port that takes batches, where reads have another one. */
beforeEach(async () => {
  running = await start({ open: false, readsApart: true, schemas: [notes.document, first] });
});
afterEach(() => running.close());

interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Asks for it. (`fetch` adds a `Cache-Control: no-cache` to conditional requests.) */
const get = (url: string, headers: Record<string, string> = {}): Promise<Got> =>
  new Promise((resolve, reject) => {
    request(`${url}${WELL_KNOWN}`, { headers }, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
    })
      .on('error', reject)
      .end();
  });

const appsIn = ({ text }: Got): PublicApps => publicApps.parse(JSON.parse(text));
const maps = (got: Got): readonly PublicSchema[] => appsIn(got).apps.find(({ app }) => app === 'maps')?.schemas ?? [];

/** Changes what is published, as a command does. */
function change(work: (database: ReturnType<typeof openAdminDatabase>) => unknown): void {
  const database = openAdminDatabase(running.folder);
  work(database);
  database.close();
  running.collector.admin.look();
}

test('it is public on the port of batches and on that of reads, may be kept and read by pages, and is not sent twice', async () => {
  const reads = await running.collector.listenForReads(0, '127.0.0.1');
  const got = await get(running.url);
  expect(got.status).toBe(200);
  expect(got.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'public, max-age=3600',
    'access-control-allow-origin': '*',
  });
  expect(await get(reads)).toMatchObject({ status: 200, text: got.text });
  const { etag = '' } = got.headers;
  expect(etag).toMatch(/^"[\w-]{43}"$/);
  expect(await get(running.url, { 'if-none-match': etag, authorization: 'Bearer at_wrong' })).toMatchObject({ status: 304, text: '' });
  expect((await get(running.url, { 'if-none-match': '"another"' })).status).toBe(200);
  for (const path of ['/v1/schemas', '/v1/metrics']) expect((await fetch(`${running.url}${path}`)).status).toBe(404);
});

test('it has each schema with its document, its statement and ε as the audit computes them, for each app', async () => {
  const { apps } = appsIn(await get(running.url));
  expect(apps.map(({ app }) => app)).toEqual(['maps', 'notes']);
  for (const [i, document] of [first, notes.document].entries()) {
    const { metrics, month, year, life, statement, fingerprint } = await auditOf(document);
    const report = Object.fromEntries(metrics.map(({ metric, epsilon }) => [metric, epsilon.report]));
    const shown = { schema: wireName(document), inForce: true, fingerprint, statement, document };
    expect(apps[i]?.schemas).toEqual([{ ...shown, epsilon: { report, month, year, life } }]);
  }
  expect(maps(await get(running.url))[0]?.epsilon).toMatchObject({ month: '3.999999995499', year: '18.999999982200' });
});

test('what was published and retired is told, the newest first, and earlier versions count in a year and in a life', async () => {
  const before = await get(running.url);
  change((database) => publishSchemas(database, 'test', [first, second], true));
  change((database) => retireSchema(database, 'test', wireName(first), []));
  change((database) => retireSchema(database, 'test', 'maps/3/0123456789abcdef', []));
  await expect
    .poll(async () => maps(await get(running.url)).map(({ schema, inForce }) => [schema, inForce]))
    .toEqual([
      ['maps/3/0123456789abcdef', false],
      [wireName(second), true],
      [wireName(first), false],
    ]);
  const got = await get(running.url);
  expect(got.headers.etag).not.toBe(before.headers.etag);
  const [unknown, newest, oldest] = maps(got);
  const today = dayText(dayNumber(Date.now()));
  expect(unknown).toEqual({ schema: 'maps/3/0123456789abcdef', inForce: false, retired: today });
  expect(newest).toMatchObject({
    published: today,
    changes: [expect.stringMatching(/^dark: permanent before and not now/), expect.any(String)],
  });
  expect(oldest).toMatchObject({ published: today, retired: today });
  expect(oldest).not.toHaveProperty('changes');
  const { year, life } = spendingOf(second, [first]);
  expect(newest?.epsilon).toMatchObject({ year, life });
  expect(Number(year)).toBeGreaterThan(Number(spendingOf(second).year));
});

test('nothing that devices send changes it', async () => {
  await running.close();
  running = await start({ schemas: [notes.document] });
  const before = await get(running.url);
  await sendTo(running.url, await Promise.all([1, 2, 3].map((device) => bodyOf(device))));
  await running.collector.store.fold();
  const after = await get(running.url);
  expect([after.text, after.headers.etag]).toEqual([before.text, before.headers.etag]);
});

test('all audits share one thread', async () => {
  let threads = 0;
  const code =
    "const { parentPort } = require('node:worker_threads'); parentPort.on('message', (value) => parentPort.postMessage({ value }));";
  const { audited, close } = createAudits(() => {
    threads++;
    return new Worker(code, { eval: true });
  });
  const catalog = createCatalog([first, second, notes.document]);
  const audits = await Promise.all([...catalog.schemas.keys(), wireName(first)].map((wire) => audited(wire, catalog)));
  expect(audits).toEqual([[first], [first, second], [notes.document], [first]]);
  expect(threads).toBe(1);
  await close();
});

/** The nice values of a process's threads, ascending (proc(5), field 19 of `stat`). */
const priorities = (pid: number): readonly number[] =>
  readdirSync(`/proc/${pid}/task`)
    .map((thread) =>
      Number(
        readFileSync(`/proc/${pid}/task/${thread}/stat`, 'latin1')
          .replace(/^.*\) /, '')
          .split(' ')[16],
      ),
    )
    .sort((a, b) => a - b);

test.runIf(process.platform === 'linux')('threads that compute have less priority than the one that takes batches', async () => {
  await get(running.url);
  await expect.poll(() => priorities(process.pid).at(-1)).toBe(Math.min(19, getPriority() + 5));
  await expect.poll(() => priorities(process.pid)[0]).toBe(getPriority());
});

test.runIf(process.platform === 'linux')('murmuration serve begins its audits before anybody asks', async () => {
  const file = join(running.folder, 'schema.json');
  writeFileSync(file, canonicalSchema(first));
  const options = ['serve', '--open', '--schema', file, '--port', '0', '--data', join(running.folder, 'other')];
  const child = spawn(process.execPath, [bin, ...options], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  try {
    await expect.poll(() => priorities(child.pid as number).at(-1)).toBe(Math.min(19, getPriority() + 5));
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
});
