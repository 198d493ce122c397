/** The typed reader: what it asks is what the API answers, in types and in values, and it runs where there is no Node. */

import { fileURLToPath } from 'node:url';
import { createReader, ReadError } from '@murmuration/collector/reader';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from 'vitest';
import { bodyOf, type Running, read, schema, start } from '../../kit/app.ts';

let running: Running;
beforeAll(async () => {
  running = await start();
  await running.send(await Promise.all(Array.from({ length: 12 }, (_, i) => bodyOf(i, i % 2 === 0 ? 'web' : 'ios', i % 4))));
}, 60_000);
afterAll(() => running.close());

describe('a reader with a schema', () => {
  const reader = () => createReader(schema, { url: running.url });

  test('has the answers of each metric in its types', async () => {
    const plan = await reader().estimates('plan', { segment: { platform: 'web' } });
    expectTypeOf(plan.answers[0]?.answer).toEqualTypeOf<'free' | 'pro' | 'team' | undefined>();
    const { points } = await reader().series('dark');
    expectTypeOf(points[0]?.answers[0]?.answer).toEqualTypeOf<boolean | undefined>();
    expect(plan.answers.map(({ answer }) => answer)).toEqual(['free', 'pro', 'team']);
    // @ts-expect-error: no such metric
    await expect(reader().estimates('plam')).rejects.toMatchObject({ status: 404, code: 'unknown-metric' });
    // @ts-expect-error: no such value of the segment
    await expect(reader().estimates('plan', { segment: { platform: 'tv' } })).rejects.toBeInstanceOf(ReadError);
  });

  test('asks for what its options say', async () => {
    const { body } = await read(`${running.url}/v1/metrics/plan/estimates?from=2026-11-18&segment.platform=ios&among=reports&limit=2`);
    const asked = { from: '2026-11-18', segment: { platform: 'ios' }, among: 'reports', limit: 2 } as const;
    expect(await reader().estimates('plan', asked)).toEqual(body);
    const without = await reader().estimates('plan', { exclude: ['2026-11-18', '2026-11-20'] });
    expect(without).toEqual((await read(`${running.url}/v1/metrics/plan/estimates?exclude=2026-11-20,2026-11-18`)).body);
    expect([without.reports, without.excluded?.map(({ reports }) => reports)]).toEqual([6, [3, 3]]);
    const [only] = (await reader().series('plan', { exclude: ['2026-11-18'] })).excluded ?? [];
    expect(only).toEqual({ from: '2026-11-18', to: '2026-11-18', reports: 3 });
    const apart = await reader().compare('plan', {}, { exclude: ['2026-11-18'] });
    expect([apart.a.reports, apart.b.reports, apart.b.excluded]).toEqual([12, 9, [only]]);
    const pages = await reader().estimates('home', { candidates: ['page 1', 'page & more'] });
    expect(pages.answers.map(({ answer }) => answer).sort()).toEqual(['page & more', 'page 1']);
    const { distribution } = await reader().estimates('spread', { ranges: [[0, 50]], quantiles: [0.5] });
    expect([distribution?.ranges.length, distribution?.quantiles.length]).toEqual([1, 1]);
    const series = await reader().series('speed', { interval: 'week' });
    expect(series.points.reduce((sum, { reports }) => sum + reports, 0)).toBe(12);
    const compared = await reader().compare(
      'plan',
      { segment: { platform: 'web' } },
      { segment: { platform: 'ios' } },
      { from: '2026-11-17' },
    );
    expect(compared.differences.map(({ answer }) => answer)).toEqual(['free', 'pro', 'team']);
    const sides = [{ segment: { platform: 'web' } }, { segment: { platform: 'ios' } }] as const;
    const addresses = [
      reader().addressOf('plan', { from: '2026-11-17' }, 'compare', ...sides),
      reader().addressOf('speed', { interval: 'week' }, 'series'),
    ];
    expect(await Promise.all(addresses.map(async (address) => (await read(`${running.url}/${address}`)).body))).toEqual([compared, series]);
    expect(await reader().metrics()).toHaveLength(7);
    const visits = await reader().association('visits', { candidates: ['page 0', 'page 1'], limit: 1 });
    expect([visits.page.total, visits.strings.length]).toEqual([2, 1]);
  });
});

test('a decode is the answer of the API, with or without progress', async () => {
  const reader = createReader(schema, { url: running.url });
  const asked = { candidates: ['page 1', 'page & more'], fdr: 0.1, all: true, limit: 1 } as const;
  const { body } = await read(`${running.url}/v1/metrics/home/decode?candidate=page+1&candidate=page+%26+more&fdr=0.1&all=true&limit=1`);
  const stages: string[] = [];
  const heard = await reader.decode('home', { ...asked, onProgress: ({ stage }) => stages.push(stage) });
  expectTypeOf(heard.strings[0]?.answer).toEqualTypeOf<string | undefined>();
  expect(await reader.decode('home', asked)).toEqual(body);
  expect(heard).toEqual(body);
  expect(stages[0]).toBe('waiting');
  await expect(reader.decode('plan', { onProgress: () => undefined })).rejects.toMatchObject({ status: 400, code: 'bad-query' });
});

test('a refusal that comes as an event is an error with its words, and events come in any parts', async () => {
  const said =
    ': \n\nevent: progress\ndata: {"stage":"reading"}\n\nevent: refusal\ndata: {"status":503,"error":"busy","expected":"ü","got":"b"}\n\n';
  const bytes = new TextEncoder().encode(said);
  const body = new ReadableStream({
    start: (controller) => {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  const reader = createReader(undefined, { url: running.url, fetch: async () => new Response(body) });
  const stages: unknown[] = [];
  await expect(reader.decode('home', { onProgress: (how) => stages.push(how) })).rejects.toMatchObject({
    status: 503,
    code: 'busy',
    expected: 'ü',
  });
  expect(stages).toEqual([{ stage: 'reading' }]);
});

test('a reader without a schema reads whatever is there, page by page', async () => {
  const reader = createReader(undefined, { url: `${running.url}/`, maxAge: 1 });
  const metrics = await reader.metrics();
  expect(metrics.map(({ metric }) => metric)).toContain('constructor');
  for (const { metric, app } of metrics) expect((await reader.estimates(metric, { app })).reports).toBe(12);
});

test('a refusal is an error with its words; something else at the address is told', async () => {
  const reader = createReader(undefined, { url: running.url });
  await expect(reader.estimates('nothing')).rejects.toThrow(
    'The collector answered 404, unknown-metric. Expected a published metric. Got nothing.',
  );
  const other = createReader(undefined, { url: running.url, fetch: async () => new Response('<html>') });
  await expect(other.metrics()).rejects.toThrow(/is not JSON/);
  const proxy = createReader(undefined, { url: running.url, fetch: async () => new Response('gone', { status: 502 }) });
  await expect(proxy.metrics()).rejects.toThrow('The collector answered 502.');
});

/** An address of the API as it is, and compressed. */
const inBothCodings = (path: string): Promise<readonly Response[]> =>
  Promise.all(['identity', 'gzip'].map((coding) => fetch(`${running.url}/v1/${path}`, { headers: { 'accept-encoding': coding } })));

test('an answer comes compressed to those who take that, unless it is short', async () => {
  for (const [path, isLong] of [
    ['metrics/plan/estimates', true],
    ['metrics/plan/estimates?limit=1&looks=once&offset=3', false],
  ] as const) {
    const [plain, packed] = await inBothCodings(path);
    const bytes = Number(plain?.headers.get('content-length'));
    expect([path, bytes >= 1_000]).toEqual([path, isLong]);
    expect([plain, packed].map((each) => each?.headers.get('content-encoding'))).toEqual([null, isLong ? 'gzip' : null]);
    expect(Number(packed?.headers.get('content-length')) < bytes).toBe(isLong);
    expect(await packed?.json()).toEqual(await plain?.json());
  }
});

test('a list that has not changed is not sent again, and one that is sent comes compressed', async () => {
  const seen: (readonly [status: number, coding: string | null, bytes: number])[] = [];
  const send = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const response = await fetch(url, init);
    const { length } = await response.clone().text();
    seen.push([response.status, response.headers.get('content-encoding'), length]);
    return response;
  };
  const reader = createReader(undefined, { url: running.url, fetch: send });
  const before = await reader.metrics();
  const again = await reader.metrics();
  expect(again.map((metric, i) => metric === before[i])).not.toContain(false);
  await running.send([await bodyOf(12)]);
  const after = await reader.metrics();
  expect(after.find(({ metric }) => metric === 'plan')?.reports).toBe(13);
  expect(seen).toEqual([
    [200, 'gzip', expect.any(Number)],
    [304, null, 0],
    [200, 'gzip', expect.any(Number)],
  ]);
  const [plain, packed] = await inBothCodings('metrics');
  expect([plain?.headers.get('content-encoding'), plain?.headers.get('etag')]).toEqual([null, packed?.headers.get('etag')]);
  expect(Number(packed?.headers.get('content-length'))).toBeLessThan(Number(plain?.headers.get('content-length')) / 2);
  expect(await packed?.json()).toEqual(await plain?.json());
});

test('the list has the answers by which a question is found, as far as they are listed', async () => {
  const metrics = await createReader(undefined, { url: running.url }).metrics();
  const answersOf = (name: string) => metrics.find(({ metric }) => metric === name)?.answers;
  expect([answersOf('plan'), answersOf('dark'), answersOf('home')]).toEqual([['free', 'pro', 'team'], undefined, undefined]);
});

test('the token and the age are sent as headers, and the address keeps its path', async () => {
  const seen: (readonly [string, unknown])[] = [];
  const send = async (url: string | URL | Request, init?: RequestInit): Promise<Response> => {
    seen.push([String(url), init?.headers]);
    return Response.json({ metrics: [], page: { total: 0, offset: 0, limit: 1_000 } });
  };
  await createReader(undefined, { url: 'https://t.example/flock', token: 'mr_1', maxAge: 2.5, fetch: send }).metrics();
  expect(seen).toEqual([
    [
      'https://t.example/flock/v1/metrics?limit=1000&offset=0',
      { accept: 'application/json', authorization: 'Bearer mr_1', 'cache-control': 'max-age=2' },
    ],
  ]);
});

test('it bundles for a browser without anything else of the collector, in less than 4.5 kB', async () => {
  const entry = fileURLToPath(new URL('../../../collector/src/api/reader/reader.ts', import.meta.url));
  const { metafile, outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
    metafile: true,
  });
  for (const file of Object.keys(metafile.inputs)) expect(file).toMatch(/collector\/src\/api\/reader\/[a-z-]+\.ts$/);
  expect(outputFiles[0]?.contents.length).toBeLessThan(4_500);
});
