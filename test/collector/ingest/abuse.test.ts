/** What the collector does to those who send too much, too slowly, from the wrong page, or while it has no room or is about to stop. */

import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Collector, type CollectorOptions, createCollector } from '@murmuration/collector';
import { dayNumber, dayText, wireName } from '@murmuration/shared';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { StoreFull } from '#collector/base/fault.ts';
import { Capacity, REQUEST_BYTES } from '#collector/ingest/capacity.ts';
import { batch, head, raw, report, schema } from '../../kit/senders.ts';
import { timesIn } from '../../kit/times.ts';

let folder: string;
let opened: Collector | undefined;
let collector: Collector;
let url: string;

async function open(options: Partial<CollectorOptions> = {}): Promise<void> {
  collector = await createCollector({ open: true, schemas: [schema.document], data: folder, ...options });
  opened = collector;
  url = await collector.listen(0, '127.0.0.1');
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-abuse-'));
});

afterEach(async () => {
  await opened?.close();
  opened = undefined;
  rmSync(folder, { recursive: true });
});

interface Answer {
  readonly status: number;
  readonly error?: string;
  readonly retryAfter: string | null;
}

async function post(body: string, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(`${url}/v1/reports`, { method: 'POST', body, headers: { 'content-type': 'text/plain', ...headers } });
  const text = await response.text();
  if (text !== '') expect(text).toMatch(/^\{"error":"[^\n]*\}\n$/);
  return { status: response.status, ...(text && { error: JSON.parse(text).error }), retryAfter: response.headers.get('retry-after') };
}

const counted = async (): Promise<number> => (await collector.store.read({ schemas: [wireName(schema.document)], metric: 'plan' })).reports;

describe('who may send', () => {
  test('a page that is not listed is 403 and counts nothing; listed pages and what is no page are heard', async () => {
    await open({ origins: ['https://app.example'] });
    expect(await post(batch(), { origin: 'https://evil.example' })).toMatchObject({ status: 403, error: 'bad-origin' });
    expect(await counted()).toBe(0);
    expect((await post(batch(), { origin: 'https://app.example' })).status).toBe(204);
    expect((await post(batch())).status).toBe(204);
    expect(await counted()).toBe(2);
  });

  test('who may not send is told so first, and of a body that is too large or of no length nothing is read', async () => {
    await open({ origins: ['https://app.example'] });
    const answer = async (text: string): Promise<string> => (await raw(url, text)).answer;
    expect(await answer(head(70_000, 'Origin: https://evil.example\r\n'))).toMatch(
      /^HTTP\/1\.1 403 [\s\S]*connection: close[\s\S]*"bad-origin"/i,
    );
    expect(await answer(head(70_000, 'Origin: https://app.example\r\n'))).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('a source that has sent all that it may this minute is asked to come later, and is heard in the next', async () => {
    let clock = Date.parse('2026-11-20T12:00:00Z');
    const today = (): string => batch().replace(/"day":"[^"]*"/, '"day":"2026-11-20"');
    await open({ perMinute: 3, now: () => clock });
    for (let i = 0; i < 3; i++) expect((await post(today())).status).toBe(204);
    const refused = await post(today());
    expect(refused).toMatchObject({ status: 429, error: 'too-many' });
    expect(Number(refused.retryAfter)).toBeGreaterThan(0);
    expect(await counted()).toBe(3);
    clock += 60_000;
    expect((await post(today())).status).toBe(204);
  });

  test('a batch with more reports of one metric than the collector takes counts none of them', async () => {
    await open({ perMetric: 1 });
    const [plan, theme] = [
      ['plan', 'AQ'],
      ['theme', 'AQ'],
    ] as const;
    expect(await post(batch([plan, theme, plan]))).toMatchObject({ status: 400, error: 'too-many-reports' });
    expect(await counted()).toBe(0);
    expect((await post(batch([plan, theme]))).status).toBe(204);
  });
});

describe('who takes too long', () => {
  test('headers and bodies that trickle in are answered 408 in one line, and others are served meanwhile', async () => {
    await open({ timeouts: { headers: 3_000, request: 5_000, idle: 60_000 } });
    const slowHeaders = await raw(url, 'POST /v1/reports HTTP/1.1\r\nHost:');
    const slowBody = await raw(url, `${head(1_000)}{`);
    const drip = setInterval(() => slowBody.socket.write(' '), 50);
    slowBody.socket.once('data', () => clearInterval(drip));
    expect((await post(batch())).status).toBe(204);
    for (const answer of await Promise.all([slowHeaders.answer, slowBody.answer])) {
      expect(answer).toMatch(/^HTTP\/1\.1 408 /);
      expect(answer).toMatch(/\r\n\r\n\{"error":"timeout","expected":"[^\n]*\}\n$/);
    }
    expect(await counted()).toBe(1);
  });
});

describe('no room', () => {
  test('bytes that wait beyond the limit are 503 with a jittered Retry-After, and once there is room again all are heard', async () => {
    const one = Buffer.byteLength(batch());
    await open({ mostQueued: 3 * (REQUEST_BYTES + one) });
    const bodies = Array.from({ length: 200 }, () => batch());
    const answers = await Promise.all(bodies.map((body) => post(body)));
    const refused = answers.filter(({ status }) => status === 503);
    expect(answers.every(({ status }) => status === 204 || status === 503)).toBe(true);
    expect(refused.length).toBeGreaterThan(0);
    for (const { retryAfter } of refused) expect(Number(retryAfter)).toBeGreaterThanOrEqual(5);
    if (refused.length > 20) expect(new Set(refused.map(({ retryAfter }) => retryAfter)).size).toBeGreaterThan(1);
    expect(await counted()).toBe(200 - refused.length);
    for (const body of bodies) expect((await post(body)).status).toBe(204);
    expect(await counted()).toBe(200);
  });

  test('a disk that is nearly full is 507 before anything is written, and is used again when it has room', async () => {
    let free = 0;
    await open({ leastFree: 1_000, free: async () => free });
    expect(await post(batch())).toMatchObject({ status: 507, error: 'disk-full' });
    free = 10_000;
    await expect.poll(async () => (await post(batch())).status).toBe(204);
    expect(await counted()).toBe(1);
  });

  test('an app that has opened all the rows that it may in a day is 507 for new ones, which come again, and counts on in the others', async () => {
    await open({ room: { mostRows: 1 } });
    expect((await post(batch())).status).toBe(204);
    const [first, second] = [batch([['theme', 'AQ']]), batch()];
    expect(await post(first)).toMatchObject({ status: 507, error: 'no-room', retryAfter: expect.stringMatching(/^\d+$/) });
    expect((await post(second)).status).toBe(204);
    expect(await counted()).toBe(2);
    await collector.close();
    await open();
    expect((await post(first)).status).toBe(204);
  });

  test('a read that finds no room for what it must write first is 507', async () => {
    const full = async (): Promise<never> => {
      throw new StoreFull('database or disk is full');
    };
    const failed = new Promise<Error>(() => {});
    const reads = { fold: full, read: full, totals: full, source: { file: '' } };
    const store = { ...reads, append: full, publish: full, expire: full, failed, close: async () => {} };
    await open({ openStore: async () => store });
    for (const path of ['metrics', 'metrics/plan/estimates']) {
      const response = await fetch(`${url}/v1/${path}`);
      expect([response.status, await response.json()]).toEqual([507, { error: 'disk-full', expected: 'room on the disk', got: 'none' }]);
    }
  });

  test('a disk that says nothing of its room has none', async () => {
    const room = new Capacity({ mostQueued: 10, leastFree: 1, free: () => Promise.reject(new Error('gone')) });
    await room.look();
    expect(() => room.check(1)).toThrow('disk-full');
    room.close();
  });

  test('there is room again when those before were answered; an empty body takes some, and what is only declared none', () => {
    const room = new Capacity({ mostQueued: REQUEST_BYTES + 10, leastFree: 1, free: async () => 2 });
    room.check(10);
    room.enter(10);
    expect(() => room.check(0)).toThrow('busy');
    expect(() => room.enter(0)).toThrow('busy');
    room.leave(10);
    expect(() => room.enter(11)).toThrow('busy');
    room.enter(10);
    room.close();
  });

  test('a body that there is no room for is refused before it is sent, and its connection stays', async () => {
    const body = batch();
    await open({ mostQueued: REQUEST_BYTES + Buffer.byteLength(body) });
    const { socket, answer } = await raw(url, head(60_000));
    const [first] = (await once(socket, 'data')) as [string];
    expect(first).toMatch(/^HTTP\/1\.1 503 /);
    expect(first).not.toMatch(/connection: close/i);
    socket.write(' '.repeat(60_000));
    socket.write(head(Buffer.byteLength(body)) + body);
    const [second] = (await once(socket, 'data')) as [string];
    expect(second).toMatch(/^HTTP\/1\.1 204 /);
    socket.end();
    await answer;
    expect(await counted()).toBe(1);
  });

  test('bodies on their way have room of their own: where it is used up the slowest come later, and others are heard', async () => {
    const body = batch();
    await open({ mostArriving: 1_000, mostQueued: REQUEST_BYTES + 60_000 });
    const slow = await raw(url, head(60_000) + ' '.repeat(1_000));
    const refused = once(slow.socket, 'data') as Promise<[string]>;
    expect((await post(batch())).status).toBe(204); // it is of one piece, and the queue is empty
    expect(slow.socket.bytesRead).toBe(0);
    const fast = await raw(url, head(body.length) + body.slice(0, 9));
    expect((await refused)[0]).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: \d+[\s\S]*\{"error":"busy"/i);
    const heard = once(fast.socket, 'data') as Promise<[string]>;
    fast.socket.write(body.slice(9));
    expect((await heard)[0]).toMatch(/^HTTP\/1\.1 204 /);
    const again = once(slow.socket, 'data') as Promise<[string]>;
    slow.socket.write(' '.repeat(59_000) + report());
    expect((await again)[0]).toMatch(/^HTTP\/1\.1 204 /);
    for (const { socket, answer } of [slow, fast]) {
      socket.end();
      await answer;
    }
    expect(await counted()).toBe(3);
  });

  test('a body of a length that is not accepted is not read: its connection ends with the answer', async () => {
    await open();
    expect(await (await raw(url, head(10 ** 9))).answer).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close/i);
    const chunked = 'POST /v1/reports HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(await (await raw(url, chunked)).answer).toMatch(/^HTTP\/1\.1 411 [\s\S]*connection: close/i);
  });
});

test('a collector that stops answers every request that it accepted, tells connections that it closes, and keeps what it acknowledged', async () => {
  await open();
  const bodies = Array.from({ length: 100 }, () => batch());
  const late = await raw(url, head(Buffer.byteLength(bodies[0] as string)));
  const answers = bodies.slice(1).map((body) => post(body));
  await Promise.race(answers);
  const closing = collector.close();
  late.socket.write(bodies[0] as string);
  expect(await late.answer).toMatch(/^HTTP\/1\.1 204 [\s\S]*connection: close/i);
  const settled = await Promise.allSettled(answers);
  await closing;
  const acknowledged = settled.filter((each) => each.status === 'fulfilled' && each.value.status === 204).length;
  await open();
  expect(await counted()).toBeGreaterThanOrEqual(acknowledged + 1);
  for (const body of bodies) expect((await post(body)).status).toBe(204);
  expect(await counted()).toBe(100);
});

/** The columns of the folder's databases, with all of their values. */
function columnsIn(): ReadonlyMap<string, readonly unknown[]> {
  const columns = new Map<string, readonly unknown[]>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.sqlite'))) {
    const database = new DatabaseSync(join(folder, file), { readOnly: true });
    for (const { name } of database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()) {
      const select = database.prepare(`SELECT * FROM "${name}"`);
      select.setReadBigInts(true);
      const rows = select.all();
      for (const column of Object.keys(rows[0] ?? {}))
        columns.set(
          `${file} ${name}.${column}`,
          rows.map((row) => row[column]),
        );
    }
    database.close();
  }
  return columns;
}

test('nothing on the disk names a sender or a time finer than a day', async () => {
  const begun = Date.now();
  await open({ perMinute: 1_000 });
  for (let i = 0; i < 20; i++) await post(batch(), { 'user-agent': 'a-rare-browser/7', origin: 'https://app.example' });
  // The log of actions says when operators did something, here that they created the store.
  const timed = (): readonly string[] =>
    [...columnsIn()]
      .filter(([column]) => column !== 'admin.sqlite action.at')
      .flatMap(([column, values]) => timesIn(values, { from: begun, to: Date.now() }).map((form) => `${column}: ${form}`));
  expect([...columnsIn().keys()]).toContain('murmuration.sqlite log.words');
  expect(timed()).toEqual([]);
  expect(await counted()).toBe(20);
  await collector.store.fold();
  expect([...columnsIn().keys()]).toContain('murmuration.sqlite tally.cells');
  expect(timed()).toEqual([]);
  const textOf = (files: readonly string[]): string => files.map((file) => readFileSync(join(folder, file), 'latin1')).join('');
  const files = readdirSync(folder);
  for (const trace of ['127.0.0.1', 'a-rare-browser', 'app.example']) expect(textOf(files)).not.toContain(trace);
  expect(textOf(files.filter((file) => !file.startsWith('admin.sqlite')))).not.toContain(dayText(dayNumber(begun)));
});

test('a body that is deeper than a batch or has too many parts is refused before it is parsed, and brackets in texts do not count', async () => {
  await open();
  const post = async (body: string): Promise<unknown> => (await fetch(`${url}/v1/reports`, { method: 'POST', body })).json();
  const deep = { error: 'malformed', expected: 'lists and objects that are at most 3 deep in each other' };
  expect(await post('['.repeat(65_536))).toMatchObject(deep);
  expect(await post(`{"a":{"b":{"c":{"d":"${'x'.repeat(1_024)}`)).toMatchObject(deep);
  const many = { error: 'malformed', expected: 'at most 2000 lists, objects and names' };
  expect(await post(`{${Array.from({ length: 6_000 }, (_, i) => `"${i}":1`).join()}}`)).toMatchObject(many);
  expect(await post(`{"reports":[${'[],'.repeat(2_000)}[]]}`)).toMatchObject(many);
  expect(await post(`{"v":2,"text":"${'[{:\\"'.repeat(3_000)}"}`)).toMatchObject({ error: 'malformed', expected: '"v": 1' });
  const release = await fetch(`${url}/v1/release/preview`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '['.repeat(4_096),
  });
  expect([release.status, await release.json()]).toMatchObject([
    400,
    { expected: 'lists and objects that are at most 32 deep in each other' },
  ]);
});
