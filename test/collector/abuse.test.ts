/** What the collector does to those who send too much, too slowly, from the wrong page, or while it has no room or is about to stop. */

import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choice, createTelemetry, defineSchema, memoryStorage } from '@murmuration/client';
import { type Collector, type CollectorOptions, openCollector } from '@murmuration/collector';
import { dayNumber, dayText, REFUSALS, wireName } from '@murmuration/shared';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Room } from '../../collector/src/http/room.ts';
import { Sources } from '../../collector/src/http/sources.ts';

const schema = defineSchema({
  app: 'abuse',
  version: 1,
  budget: { epsilon: 2, per: 'month' },
  metrics: {
    plan: choice(['free', 'pro', 'team'], { epsilon: 1, description: 'Which plan?' }),
    theme: choice(['light', 'dark'], { epsilon: 1, description: 'Which theme?' }),
  },
});

let folder: string;
let opened: Collector | undefined;
let collector: Collector;
let url: string;

async function open(options: Partial<CollectorOptions> = {}): Promise<void> {
  collector = await openCollector({ schemas: [schema.document], data: folder, ...options });
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

let serial = 0;
const batch = (reports: readonly (readonly [string, string])[] = [['plan', 'AQ']]): string =>
  JSON.stringify({
    v: 1,
    schema: wireName(schema.document),
    day: dayText(dayNumber(Date.now())),
    batch: (++serial).toString(16).padStart(32, '0'),
    reports,
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

/** A connection that says what it is told, and all that it is answered until it is closed. */
async function raw(text: string): Promise<{ readonly socket: Socket; readonly answer: Promise<string> }> {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1' });
  await once(socket, 'connect');
  let said = '';
  socket.setEncoding('utf8').on('data', (part: string) => {
    said += part;
  });
  const answer = once(socket, 'close').then(() => said);
  socket.write(text);
  return { socket, answer };
}

const head = (length: number): string => `POST /v1/reports HTTP/1.1\r\nHost: t\r\nContent-Length: ${length}\r\n\r\n`;

describe('who may send', () => {
  test('a page that is not listed is 403 and counts nothing; listed pages and what is no page are heard', async () => {
    await open({ origins: ['https://app.example'] });
    expect(await post(batch(), { origin: 'https://evil.example' })).toMatchObject({ status: 403, error: 'bad-origin' });
    expect(await counted()).toBe(0);
    expect((await post(batch(), { origin: 'https://app.example' })).status).toBe(204);
    expect((await post(batch())).status).toBe(204);
    expect(await counted()).toBe(2);
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

  test('a source has another name the next day, and neighbours in one IPv6 network have one', () => {
    const sources = new Sources(1);
    const name = sources.nameOf('192.0.2.7', 1);
    expect(sources.nameOf('192.0.2.7', 1)).toBe(name);
    expect(sources.nameOf('192.0.2.8', 1)).not.toBe(name);
    expect(sources.nameOf('2001:db8:1:2:3::4', 1)).toBe(sources.nameOf('2001:db8:1:2:ffff::1', 1));
    expect(sources.nameOf('192.0.2.7', 2)).not.toBe(name);
    expect(name).not.toContain('192');
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
    await open({ timeouts: { headers: 300, request: 600, idle: 5_000 } });
    const slowHeaders = await raw('POST /v1/reports HTTP/1.1\r\nHost:');
    const slowBody = await raw(`${head(100)}{`);
    const drip = setInterval(() => slowBody.socket.writable && slowBody.socket.write(' '), 50);
    expect((await post(batch())).status).toBe(204);
    for (const answer of await Promise.all([slowHeaders.answer, slowBody.answer])) {
      expect(answer).toMatch(/^HTTP\/1\.1 408 /);
      expect(answer).toMatch(/\r\n\r\n\{"error":"timeout","expected":"[^\n]*\}\n$/);
    }
    clearInterval(drip);
    expect(await counted()).toBe(1);
  });

  test('what is no HTTP is 400 in one line, and headers without end are 431', async () => {
    await open();
    expect(await (await raw('never heard of it\r\n\r\n')).answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*\{"error":"bad-request"[^\n]*\}\n$/);
    expect(await (await raw(`GET / HTTP/1.1\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`)).answer).toMatch(/^HTTP\/1\.1 431 /);
    expect((await post(batch())).status).toBe(204);
  });
});

describe('no room', () => {
  test('bytes that wait beyond the limit are 503 with a jittered Retry-After, and once there is room again all are heard', async () => {
    const one = Buffer.byteLength(batch());
    await open({ mostQueued: 3 * one });
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
    await expect.poll(async () => (await post(batch())).status, { timeout: 5_000 }).toBe(204);
    expect(await counted()).toBe(1);
  });

  test('a disk that says nothing of its room has none', async () => {
    const room = new Room({ mostQueued: 10, leastFree: 1, free: () => Promise.reject(new Error('gone')) });
    await room.look();
    expect(() => room.checkDisk()).toThrow('disk-full');
    room.enter(10);
    expect(() => room.enter(1)).toThrow('busy');
    room.leave(10);
    room.enter(10);
    room.close();
  });
});

test('a collector that stops answers every request that it accepted, tells connections that it closes, and keeps what it acknowledged', async () => {
  await open();
  const bodies = Array.from({ length: 100 }, () => batch());
  const late = await raw(head(Buffer.byteLength(bodies[0] as string)));
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

test('nothing on the disk names a sender or a time finer than a day', async () => {
  await open({ perMinute: 1_000 });
  await post(batch(), { 'user-agent': 'a-rare-browser/7', origin: 'https://app.example' });
  await counted();
  const disk = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'latin1'));
  for (const trace of ['127.0.0.1', 'a-rare-browser', 'app.example', dayText(dayNumber(Date.now()))])
    expect(disk.join('')).not.toContain(trace);
});

describe('one table of refusals', () => {
  const format = readFileSync(new URL('../../docs/format.md', import.meta.url), 'utf8');
  const rows = [...format.matchAll(/^\| (\d{3}) +\| `([a-z-]+)` +\|/gm)].map(([, status, code]) => [code, Number(status)] as const);

  test('the format lists every one, with its status, and no other', () => {
    expect(Object.fromEntries(rows)).toEqual(REFUSALS);
  });

  test.each(Object.entries(REFUSALS))('after %s (%i) a device keeps or drops its batch as the format says', async (_code, status) => {
    await open();
    const telemetry = createTelemetry({
      schema,
      endpoint: 'http://refusals.invalid',
      storage: memoryStorage(),
      transport: async () => ({ status }),
    });
    telemetry.consent.grant();
    telemetry.record('plan', 'pro');
    await telemetry.flush();
    const kept = (await telemetry.preview()).length > 0;
    expect(kept).toBe(status === 408 || status === 429 || status >= 500);
    await telemetry.close();
  });
});
