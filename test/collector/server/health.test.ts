/** What an operator sees: probes, numbers, and log lines about refusals, none of which says anything about a sender. */

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type Collector, type CollectorOptions, createCollector } from '@murmuration/collector';
import { dayNumber, dayText } from '@murmuration/shared';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Refusal } from '#collector/base/refusal.ts';
import { createRefusalLog } from '#collector/server/health/counts.ts';
import { HEALTH_ROUTES } from '#collector/server/health/health.ts';
import { batch, raw, schema } from '../../kit/senders.ts';

let folder: string;
let collector: Collector;
let url: string;
let lines: Record<string, unknown>[];
let room: number;

async function open(options: Partial<CollectorOptions> = {}): Promise<void> {
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const free = async (): Promise<number> => room;
  collector = await createCollector({ open: true, schemas: [schema.document], data: folder, free, leastFree: 1_000, log, ...options });
  url = await collector.listen(0, '127.0.0.1');
}

beforeEach(async () => {
  [lines, room] = [[], 10_000];
  folder = mkdtempSync(`${tmpdir()}/murmuration-health-`);
  await open();
});

afterEach(async () => {
  await collector.close();
  rmSync(folder, { recursive: true });
});

const get = async (path: string): Promise<{ readonly status: number; readonly body: unknown }> => {
  const response = await fetch(`${url}${path}`);
  return { status: response.status, body: await response.json() };
};
const post = async (body: string, path = '/v1/reports'): Promise<number> => (await fetch(`${url}${path}`, { method: 'POST', body })).status;

/** The samples of `/metrics` by name and labels. */
async function samples(): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const rows = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(rows.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]));
}

const answersOf = async (labels: string): Promise<number | undefined> => (await samples()).get(`murmuration_answers_total{${labels}}`);

describe('probes', () => {
  test('say that a collector lives and is ready', async () => {
    expect(await get('/livez')).toEqual({ status: 200, body: { alive: true } });
    expect(await get('/readyz')).toEqual({ status: 200, body: { ready: true, reasons: [] } });
  });

  test('say why it is not ready while the disk is full, and that it is once there is room', async () => {
    room = 999;
    await expect.poll(() => get('/readyz')).toEqual({ status: 503, body: { ready: false, reasons: ['disk-full'] } });
    expect((await get('/livez')).status).toBe(200);
    room = 10_000;
    await expect.poll(async () => (await get('/readyz')).status).toBe(200);
  });

  test('say that there is no room for the id of a further batch, before anybody counts refusals', async () => {
    await collector.close();
    await open({ room: { mostIds: 4 } });
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++) statuses.push(await post(batch()));
    expect(statuses.slice(-2)).toEqual([507, 507]);
    await expect.poll(() => get('/readyz')).toEqual({ status: 503, body: { ready: false, reasons: ['no-room'] } });
    expect((await samples()).get('murmuration_ids_limit')).toBe(4);
  });

  test("say that a start has not read the ids of today's batches yet, and nothing of earlier days", async () => {
    const { store } = collector;
    const today = dayNumber(Date.now());
    const unread = [today - 1, today];
    const reading = await createCollector({
      open: true,
      schemas: [schema.document],
      data: folder,
      leastFree: 0,
      openStore: async () => ({ ...store, sizes: async () => ({ ids: 0, rows: 0, unread }), close: async () => undefined }),
    });
    const address = await reading.listen(0, '127.0.0.1');
    expect(await (await fetch(`${address}/readyz`)).json()).toEqual({ ready: false, reasons: ['reading-ids'] });
    unread.pop();
    await expect.poll(async () => (await fetch(`${address}/readyz`)).status).toBe(200);
    await reading.close();
  });

  test('say that it stops, on connections that are still open', async () => {
    const { socket, answer } = await raw(url, 'GET /livez HTTP/1.1\r\nHost: t\r\n\r\nGET /readyz HTTP/1.1\r\nHost: t\r\n');
    await once(socket, 'data');
    const closed = collector.close();
    socket.write('\r\n');
    expect(await answer).toMatch(/HTTP\/1\.1 503 [\s\S]*"reasons":\["stopping"\]/);
    await closed;
    await open();
  });

  test('say that the store has failed', async () => {
    const failure = Promise.withResolvers<Error>();
    const { store } = collector;
    const failing = await createCollector({
      open: true,
      schemas: [schema.document],
      data: folder,
      leastFree: 0,
      openStore: async () => ({ ...store, failed: failure.promise, close: async () => undefined }),
    });
    const address = await failing.listen(0, '127.0.0.1');
    failure.resolve(new Error('gone'));
    await failure.promise;
    expect(await (await fetch(`${address}/readyz`)).json()).toEqual({ ready: false, reasons: ['store-failed'] });
    await failing.close();
  });

  test('are the routes that the list names, of which only the numbers are not open', async () => {
    for (const { path } of HEALTH_ROUTES) expect((await fetch(`${url}${path}`)).status, path).toBe(200);
    expect(HEALTH_ROUTES.filter(({ isOpen }) => !isOpen).map(({ path }) => path)).toEqual(['/metrics']);
  });
});

describe('the numbers', () => {
  test('count answers by code and reason, commits, and the days of batches', async () => {
    const today = dayNumber(Date.now());
    for (const ago of [0, 1, 1, 100]) await post(batch().replace(/"day":"[^"]*"/, `"day":"${dayText(today - ago)}"`));
    await post('nonsense');
    await fetch(`${url}/v1/nothing`);
    await (await raw(url, 'nonsense\r\n\r\n')).answer;
    expect(await answersOf('route="reports",status="204",reason="none"')).toBe(3);
    expect(await answersOf('route="reports",status="410",reason="stale-day"')).toBe(1);
    expect(await answersOf('route="reports",status="400",reason="malformed"')).toBe(1);
    expect(await answersOf('route="read",status="404",reason="not-found"')).toBe(1);
    expect(await answersOf('route="connection",status="400",reason="bad-request"')).toBe(1);
    const all = await samples();
    expect(all.get('murmuration_batches_counted_total')).toBe(3);
    expect(all.get('murmuration_commit_batches_sum')).toBe(3);
    expect(all.get('murmuration_commit_seconds_count')).toBe(all.get('murmuration_commit_batches_count'));
    const days = [...all].filter(([name]) => name.startsWith('murmuration_batch_days_total')).sort();
    expect(days).toEqual([
      ['murmuration_batch_days_total{days="-1"}', 2],
      ['murmuration_batch_days_total{days="-15"}', 1],
      ['murmuration_batch_days_total{days="0"}', 1],
    ]);
  });

  test('say how much of everything there is', async () => {
    await post(batch());
    const all = await samples();
    expect(all.get('murmuration_ready')).toBe(1);
    expect(all.get('murmuration_clock_doubtful')).toBe(0);
    expect(all.get('murmuration_queue_bytes')).toBe(0);
    expect(all.get('murmuration_disk_free_bytes')).toBe(10_000);
    expect(all.get('murmuration_disk_reserve_bytes')).toBe(1_000);
    expect(all.get('murmuration_wal_bytes')).toBeGreaterThan(0);
    expect(all.get('murmuration_store_bytes')).toBeGreaterThan(0);
    expect(all.get('murmuration_ids')).toBe(1);
    expect(all.get('murmuration_tally_rows')).toBe(0); // the batch is still in the log
    await collector.store.fold();
    // The store is asked once a second.
    await expect.poll(async () => (await samples()).get('murmuration_tally_rows')).toBe(1);
    expect(all.get('murmuration_estimates_waiting')).toBe(0);
    expect(all.get('nodejs_eventloop_lag_seconds')).toBeGreaterThanOrEqual(0);
  });

  test('have no label, and no name, that a client has chosen', async () => {
    const labels = async (): Promise<readonly string[]> =>
      [...(await samples()).keys()].filter((key) => key.startsWith('murmuration_')).sort();
    const strange = 'x-chosen-by-a-client';
    await post(batch().replace('abuse/1', `${strange}/1`));
    await post(batch([[strange, 'AQ']]));
    await fetch(`${url}/${strange}?${strange}=${strange}`, { headers: { [strange]: strange, 'user-agent': strange } });
    await fetch(`${url}/v1/metrics/${strange}/estimates`, { method: 'PATCH' });
    await labels(); // its own answer is the first of its kind
    const before = await labels();
    for (let i = 0; i < 5; i++) {
      await post(batch([[`${strange}-${i}`, 'AQ']]));
      await fetch(`${url}/${strange}-${i}`);
    }
    expect(await labels()).toEqual(before);
    expect(before.join()).not.toContain(strange);
  });
});

describe('the log of refusals', () => {
  test('has a line for the first of each kind, with nothing of the sender or the body', async () => {
    for (let i = 0; i < 3; i++) {
      await post(batch([['a-secret-body', 'AQ']]));
      await fetch(`${url}/a-secret-path`, { headers: { 'user-agent': 'a-secret-agent' } });
      await fetch(`${url}/v1/metrics?a-secret-name=1`);
    }
    const refused = lines.filter(({ msg }) => String(msg).startsWith('refused'));
    expect(refused).toEqual([
      expect.objectContaining({ level: 40, status: 400, code: 'unknown-metric', expected: 'a metric of the schema', times: 1 }),
      expect.objectContaining({ level: 40, status: 404, code: 'not-found', times: 1 }),
      expect.objectContaining({ level: 40, status: 400, code: 'bad-query', expected: 'no parameters of other names', times: 1 }),
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/secret|127\.0\.0\.1/);
  });

  test('has the next line of a kind after ten minutes, with how many there were', () => {
    let elapsed = 0;
    const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const refused = createRefusalLog(log, () => elapsed);
    for (const minute of [0, 1, 5, 10, 11, 20]) {
      elapsed = minute * 60_000;
      refused(new Refusal(503, 'busy', 'at most so many', 'more'));
    }
    expect(lines.map(({ times }) => times)).toEqual([1, 3, 2]);
  });
});

test('a request of HTTP/1.0 is refused, as the format says, whether it has a Host or not', async () => {
  for (const host of ['', 'Host: t\r\n']) {
    const { answer } = await raw(url, `GET /v1/metrics HTTP/1.0\r\n${host}Connection: keep-alive\r\n\r\n`);
    expect(await answer).toMatch(/^HTTP\/1\.1 400 [\s\S]*connection: close[\s\S]*"bad-request","expected":"HTTP\/1.1","got":"HTTP\/1.0"/i);
  }
});
