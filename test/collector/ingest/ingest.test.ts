/** Ingest over HTTP: what is accepted is counted exactly once and durable; what is refused leaves no trace. */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Collector, createCollector } from '@murmuration/collector';
import { encodeKAry, type KAryLaw, type SchemaDocument, toBase64url, wireName } from '@murmuration/shared';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

interface Vectors {
  readonly today: string;
  readonly document: SchemaDocument;
  readonly accepted: readonly {
    readonly body: string;
    readonly reports: readonly { readonly metric: string; readonly cells: readonly number[] }[];
  }[];
  readonly refused: readonly { readonly note: string; readonly body: string; readonly status: number; readonly error: string }[];
}

const vectors = JSON.parse(readFileSync(new URL('../../vectors/batch-v1.json', import.meta.url), 'utf8')) as Vectors;
const now = (): number => Date.parse(`${vectors.today}T12:00:00Z`);
const wire = wireName(vectors.document);
const law = vectors.document.metrics['dark']?.law as KAryLaw;

let folder: string;
let collector: Collector;
let url: string;
let clock = now;

const open = async (minimum = 1): Promise<void> => {
  collector = await createCollector({
    open: true,
    perMetric: 1_000,
    schemas: [vectors.document],
    data: folder,
    now: () => clock(),
    minimum,
  });
  url = await collector.listen(0, '127.0.0.1');
};

beforeEach(async () => {
  clock = now;
  folder = mkdtempSync(join(tmpdir(), 'murmuration-'));
  await open();
});

afterEach(async () => {
  await collector.close();
  rmSync(folder, { recursive: true });
});

interface Answer {
  readonly status: number;
  readonly body: string;
}

const post = async (body: string, headers: Record<string, string> = {}): Promise<Answer> => {
  const response = await fetch(`${url}/v1/reports?key=pk_test`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'text/plain', ...headers },
  });
  return { status: response.status, body: await response.text() };
};

/** The first value of each segment, with changes. */
const segmentOf = (changes: object = {}): object => ({
  ...Object.fromEntries(Object.entries(vectors.document.segments ?? {}).map(([name, [value]]) => [name, value])),
  ...changes,
});
const segment = segmentOf();

let serial = 0;
/** A batch that says `true` to the flag so many times. */
const batch = (reports: number, changes: object = {}): string =>
  JSON.stringify({
    v: 1,
    schema: wire,
    day: vectors.today,
    batch: (++serial).toString(16).padStart(32, '0'),
    segment,
    reports: Array.from({ length: reports }, () => ['dark', toBase64url(encodeKAry(law, 1))]),
    ...changes,
  });

const reportsOf = async (metric: string): Promise<number> => (await collector.store.read({ schemas: [wire], metric })).reports;
const total = async (): Promise<number> => {
  const counts = await Promise.all(Object.keys(vectors.document.metrics).map(reportsOf));
  return counts.reduce((sum, count) => sum + count, 0);
};

describe('accepted', () => {
  test('every accepted vector is answered 204 and counted once, cell by cell, and a replay counts nothing', async () => {
    for (const round of [1, 2]) {
      for (const { body } of vectors.accepted) expect(await post(body), `round ${round}`).toEqual({ status: 204, body: '' });
      expect(await total()).toBe(vectors.accepted.reduce((sum, { reports }) => sum + reports.length, 0));
    }
    for (const metric of Object.keys(vectors.document.metrics)) {
      const supported = vectors.accepted.flatMap(({ reports }) =>
        reports.filter((report) => report.metric === metric).flatMap(({ cells }) => cells),
      );
      const { tallies } = await collector.store.read({ schemas: [wire], metric });
      const counted = [...tallies.values()].reduce((sum, { cells }) => sum + cells.reduce((a, b) => a + b, 0), 0);
      expect(counted, metric).toBe(supported.length);
    }
  });

  test('one batch sent a hundred times at once is counted once', async () => {
    const body = batch(3);
    const answers = await Promise.all(Array.from({ length: 100 }, () => post(body)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]));
    expect(await reportsOf('dark')).toBe(3);
  });

  test('the same id with other bytes is a conflict, and the first stays', async () => {
    const body = batch(2);
    expect((await post(body)).status).toBe(204);
    const other = await post(body.replace('"web"', '"ios"'));
    expect(other.status).toBe(409);
    expect(JSON.parse(other.body)).toMatchObject({ error: 'conflict' });
    expect(await reportsOf('dark')).toBe(2);
  });

  test('what was acknowledged is there after a restart, ids included', async () => {
    const body = batch(5);
    await post(body);
    await collector.close();
    await open();
    expect(await reportsOf('dark')).toBe(5);
    expect((await post(body)).status).toBe(204);
    expect(await reportsOf('dark')).toBe(5);
  });

  test('ids are forgotten only when their day is no longer accepted', async () => {
    const body = batch(1);
    await post(body);
    clock = () => now() + 14 * 86_400_000;
    expect((await post(body)).status).toBe(204);
    expect(await reportsOf('dark')).toBe(1);
    clock = () => now() + 17 * 86_400_000;
    expect((await post(batch(1, { day: '2026-12-07' }))).status).toBe(204);
    expect((await post(body)).status).toBe(410);
    expect(await reportsOf('dark')).toBe(2);
  });

  test('any page may send, and nothing of the sender is on the disk', async () => {
    const response = await fetch(`${url}/v1/reports`, {
      method: 'POST',
      body: batch(1),
      headers: {
        'content-type': 'text/plain',
        origin: 'https://app.example',
        'user-agent': 'a-rare-browser/7',
        cookie: 'id=a-cookie',
        referer: 'https://app.example/a-page',
      },
    });
    expect([response.status, response.headers.get('access-control-allow-origin'), response.headers.get('set-cookie')]).toEqual([
      204,
      '*',
      null,
    ]);
    const disk = readdirSync(folder)
      .map((file) => readFileSync(join(folder, file), 'latin1'))
      .join('');
    for (const trace of ['a-rare-browser', 'a-cookie', 'a-page', 'app.example', '127.0.0.1']) expect(disk).not.toContain(trace);
  });
});

describe('refused', () => {
  test('every refused vector is answered with its status and one line of JSON, and counts nothing', async () => {
    for (const { body, status, error, note } of vectors.refused) {
      expect((await post(batch(1))).status).toBe(204); // otherwise most batches would be of wrong days, and the clock in doubt
      const answer = await post(body);
      expect(answer.status, note).toBe(status);
      expect(answer.body.trimEnd().split('\n'), note).toHaveLength(1);
      expect(Object.keys(JSON.parse(answer.body)), note).toEqual(['error', 'expected', 'got']);
      expect(JSON.parse(answer.body).error, note).toBe(error);
    }
    expect(await total()).toBe(vectors.refused.length);
  });

  test('a batch with one bad report among good ones counts none of them', async () => {
    const good = ['dark', toBase64url(encodeKAry(law, 1))];
    const answer = await post(batch(1, { reports: [good, good, ['dark', 'AAAA'], good] }));
    expect([answer.status, await total()]).toEqual([400, 0]);
  });

  test('what is nested without end, and a broken address, are refused and nothing else', async () => {
    const deep = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    for (const body of [deep(30_000), `{"v":${deep(5_000)}}`, `{"v":1,"reports":${deep(20_000)}}`])
      expect((await post(body)).status).toBe(400);
    expect((await fetch(`${url}/v1/metrics/%E0%A4%A/estimates`)).status).toBe(400);
    expect((await post(batch(1))).status).toBe(204);
  });

  test('a database that somebody else holds costs a request, not the collector', async () => {
    const holder = new DatabaseSync(join(folder, 'murmuration.sqlite'));
    holder.exec('BEGIN IMMEDIATE');
    expect((await post(batch(1))).status).toBe(500);
    holder.exec('ROLLBACK');
    holder.close();
    expect((await post(batch(1))).status).toBe(204);
  });

  test('a body without a length is 411, and one that is too long is refused before it is read', async () => {
    const send = (headers: Record<string, string>, body: string): Promise<Answer> =>
      new Promise((resolve, reject) => {
        const outgoing = request(`${url}/v1/reports`, { method: 'POST', headers }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part: string) => {
            text += part;
          });
          response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
        });
        outgoing.on('error', reject).write(body);
        if (headers['transfer-encoding']) outgoing.end();
      });
    expect(await send({ 'transfer-encoding': 'chunked' }, batch(1))).toMatchObject({
      status: 411,
      body: expect.stringContaining('length-required'),
    });
    expect(await send({ 'content-length': '65537' }, 'x')).toMatchObject({ status: 413, body: expect.stringContaining('too-large') });
    expect((await post(batch(1))).status).toBe(204);
  });
});

/** A response, as far as these tests look into it. */
interface Loose {
  readonly metrics: readonly { readonly metric: string }[];
  readonly reports: number;
  readonly answers: readonly { readonly [field in 'estimate' | 'standardError' | 'low' | 'high' | 'normSub' | 'shrunk']: number }[];
}

describe('the read side', () => {
  const get = async (path: string): Promise<{ readonly status: number; readonly body: Loose }> => {
    const response = await fetch(`${url}${path}`);
    return { status: response.status, body: await response.json() };
  };

  test('lists the metrics with what they ask and how much is known', async () => {
    await post(batch(4));
    const { body } = await get('/v1/metrics');
    expect(body.metrics.map(({ metric }) => metric).sort()).toEqual(Object.keys(vectors.document.metrics).sort());
    expect(body.metrics.find(({ metric }) => metric === 'dark')).toMatchObject({
      reports: 4,
      mechanism: 'k-ary',
      from: vectors.today,
      to: vectors.today,
    });
  });

  test('estimates answer by answer, of a range and a segment', async () => {
    await post(batch(30));
    await post(batch(10, { segment: segmentOf({ platform: 'ios' }), day: '2026-11-19' }));
    const all = await get('/v1/metrics/dark/estimates');
    expect(all.body).toMatchObject({
      reports: 40,
      from: '2026-11-19',
      to: '2026-11-20',
      answers: [{ answer: false }, { answer: true, label: 'true' }],
    });
    expect(all.body.answers.reduce((sum, { estimate }) => sum + estimate, 0)).toBeCloseTo(1, 10);
    for (const { low, estimate, high, standardError } of all.body.answers)
      expect(low < estimate && estimate < high && standardError > 0).toBe(true);
    for (const field of ['normSub', 'shrunk'] as const)
      expect(all.body.answers.reduce((sum, answer) => sum + answer[field], 0)).toBeCloseTo(1, 10);
    expect((await get('/v1/metrics/dark/estimates?segment.platform=ios')).body.reports).toBe(10);
    expect((await get('/v1/metrics/dark/estimates?from=2026-11-20')).body.reports).toBe(30);
    expect((await get('/v1/metrics/dark/estimates?to=2026-11-18')).body).toMatchObject({ reports: 0, from: null, to: null, answers: [] });
  });

  test.each([
    ['/v1/metrics/nope/estimates', 404, 'unknown-metric'],
    ['/v1/metrics/dark/estimates?app=other', 404, 'unknown-metric'],
    ['/v1/metrics/dark/estimates?from=yesterday', 400, 'bad-query'],
    ['/v1/metrics/dark/estimates?colour=red', 400, 'bad-query'],
    ['/v1/metrics/dark/estimates?among=foo', 400, 'bad-query'],
    ['/v1/metrics/dark/estimates?among=', 400, 'bad-query'],
    ['/v1/metrics/dark/estimates?among=reports&among=population', 400, 'bad-query'],
    ['/v1/metrics/dark/estimates?from=2020-01-02&to=2020-01-01', 400, 'bad-query'],
    ['/v1/metrics/dark/estimates?candidate=x', 400, 'bad-query'],
    ['/v1/metrics/dark/estimates?segment.platform=tv', 400, 'bad-segment'],
    ['/v1/metrics/dark/estimates?segment.nope=1', 400, 'bad-segment'],
    ['/v1/nothing', 404, 'not-found'],
  ])('%s is %i %s, in one line of JSON', async (path, status, error) => {
    expect(await get(path)).toMatchObject({ status, body: { error } });
  });

  test('the truth of a demonstration is told of all reports only, for it knows none of a segment or of some days', async () => {
    await collector.close();
    const truth = (): { readonly [label: string]: number } => ({ true: 0.25, false: 0.75 });
    collector = await createCollector({ open: true, perMetric: 1_000, schemas: [vectors.document], data: folder, now, minimum: 1, truth });
    url = await collector.listen(0, '127.0.0.1');
    await post(batch(3));
    const truths = async (query: string): Promise<readonly unknown[]> =>
      (await get(`/v1/metrics/dark/estimates${query}`)).body.answers.map((answer) => (answer as { readonly truth?: number }).truth);
    expect(await truths('')).toEqual([0.75, 0.25]);
    for (const query of ['?segment.platform=web', `?from=${vectors.today}`, `?to=${vectors.today}`])
      expect(await truths(query), query).toEqual([undefined, undefined]);
  });

  test('too few reports show no answers, and the page says how many are needed', async () => {
    await collector.close();
    await open(20);
    await post(batch(19));
    expect((await get('/v1/metrics/dark/estimates')).body).toMatchObject({ reports: 19, minimum: 20, answers: [] });
    await post(batch(1));
    expect((await get('/v1/metrics/dark/estimates')).body.answers).toHaveLength(2);
  });
});
