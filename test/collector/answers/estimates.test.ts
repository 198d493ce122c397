/** Estimates over HTTP: read in a thread of its own, shared, paged, and bounded. */

import { request } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import type { MetricEstimates } from '@murmuration/collector';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { estimate } from '#collector/answers/estimates.ts';
import { createEstimating, type Estimating } from '#collector/answers/estimates-thread.ts';
import type { Task } from '#collector/answers/tasks.ts';
import { verdictsOf } from '#collector/answers/verdict.ts';
import { createCatalog } from '#collector/schemas/catalog.ts';
import type { FileSource, Store } from '#collector/storage/store.ts';
import { bodyOf, type Running, read, schema, start } from '../../kit/app.ts';

const DEVICES = 12;
const pages = Array.from({ length: 2_500 }, (_, i) => `page ${i}`);

let running: Running;
beforeAll(async () => {
  running = await start({ candidates: { home: pages } });
  await running.send(await Promise.all(Array.from({ length: DEVICES }, (_, i) => bodyOf(i, i % 2 === 0 ? 'web' : 'ios', i % 3))));
}, 60_000);
afterAll(() => running.close());

interface Answer extends MetricEstimates {
  readonly page: { readonly total: number; readonly offset: number; readonly limit: number };
}
const estimates = (metric: string, query = ''): ReturnType<typeof read<Answer>> =>
  read<Answer>(`${running.url}/v1/metrics/${metric}/estimates?${query}`);

test('a thread estimates what this one does from the same tallies', async () => {
  const [metric] = createCatalog([schema.document]).metrics;
  if (metric === undefined) throw new Error('expected a metric');
  const range = { segment: { platform: 'ios' } };
  const evidence = await running.collector.store.read({ schemas: metric.schemas, metric: metric.metric, ...range });
  const { body } = await estimates(metric.metric, 'segment.platform=ios');
  const verdicts = verdictsOf({}, metric.devices);
  const expected = JSON.parse(JSON.stringify(estimate({ metric, evidence, minimum: 1, candidates: [], verdicts })));
  expect(body).toEqual({ ...expected, page: { total: 3, offset: 0, limit: 1_000 } });
});

test('a metric named constructor is estimated like any other', async () => {
  const { status, body } = await estimates('constructor');
  expect([status, body.reports, body.answers.length]).toEqual([200, DEVICES, 2]);
});

test.each(['toString', 'hasOwnProperty', '__proto__', 'valueOf'])('no metric is named %s', async (name) => {
  expect(await estimates(name)).toMatchObject({ status: 404, body: { error: 'unknown-metric' } });
});

test('candidates come by the thousand, or as many as are asked for, from where they are asked', async () => {
  const whole = (await estimates('home', 'limit=100000')).body;
  expect([whole.answers.length, whole.page.total]).toEqual([pages.length, pages.length]);
  const first = (await estimates('home')).body;
  expect(first.answers).toEqual(whole.answers.slice(0, 1_000));
  const last = (await estimates('home', 'offset=2000&limit=700')).body;
  expect(last.answers).toEqual(whole.answers.slice(2_000));
  expect((await estimates('home', 'offset=9999')).body.answers).toEqual([]);
});

test.each([
  ['limit=0', 'limit: a whole number from 1 to 100000'],
  ['limit=100001', 'limit: a whole number from 1 to 100000'],
  ['limit=1&limit=2', 'limit: a whole number from 1 to 100000'],
  ['offset=-1', 'offset: a whole number from 0 to 9999999'],
  ['offset=1e3', 'offset: a whole number from 0 to 9999999'],
])('a page that is none is refused: %s', async (query, expected) => {
  expect(await estimates('plan', query)).toMatchObject({ status: 400, body: { error: 'bad-query', expected } });
});

test('one version of the schema may be asked for, if it is published', async () => {
  expect((await estimates('plan', 'version=1')).body.reports).toBe(DEVICES);
  expect(await estimates('plan', 'version=2')).toMatchObject({ status: 404, body: { error: 'unknown-version' } });
  expect(await estimates('plan', 'version=01')).toMatchObject({ status: 400, body: { error: 'bad-query' } });
});

test('a request for the head has its length and no body', async () => {
  const response = await fetch(`${running.url}/v1/metrics/plan/estimates`, { method: 'HEAD' });
  expect(Number(response.headers.get('content-length'))).toBeGreaterThan(100);
  expect(await response.text()).toBe('');
});

test('the list is made of totals: no tally is read, and no thread runs', async () => {
  const counted = { schema: schema.wire, metric: 'plan', reports: 7, from: 20_000, to: 20_003, version: 1 };
  const refuse = (): never => {
    throw new Error('a tally was read');
  };
  const other = await start({
    openStore: async () => ({
      totals: async () => [counted],
      read: refuse,
      source: { file: '/nonexistent/store.sqlite' },
      fold: async () => undefined,
      append: refuse,
      expire: async () => undefined,
      publish: async () => undefined,
      failed: new Promise(() => undefined),
      close: async () => undefined,
    }),
  });
  try {
    const { body } = await read<{
      readonly metrics: readonly { readonly metric: string; readonly reports: number; readonly from: string | null }[];
    }>(`${other.url}/v1/metrics`);
    expect(body.metrics.map(({ metric, reports, from }) => [metric, reports, from])).toEqual(
      ['plan', 'home', 'dark', 'speed', 'spread', 'visits', 'constructor'].map((name) =>
        name === 'plan' ? [name, 7, '2024-10-04'] : [name, 0, null],
      ),
    );
    expect(await read(`${other.url}/v1/metrics?limit=2&offset=1`)).toMatchObject({ body: { page: { total: 7, offset: 1, limit: 2 } } });
    expect(await read(`${other.url}/v1/metrics/plan/estimates`)).toMatchObject({ status: 500, body: { error: 'internal' } });
  } finally {
    await other.close();
  }
});

test('the list is there, with all reports, from a store without tallies', async () => {
  const other = await start();
  await other.send(await Promise.all([1, 2, 3].map((device) => bodyOf(device))));
  const { store } = other.collector;
  await store.fold();
  const database = new DatabaseSync((store.source as FileSource).file, { timeout: 60_000 });
  database.exec('DROP TABLE tally');
  database.close();
  const { status, body } = await read<{ readonly metrics: readonly { readonly reports: number }[] }>(`${other.url}/v1/metrics`);
  expect([status, body.metrics.map(({ reports }) => reports)]).toEqual([200, Array(7).fill(3)]);
  expect(await read(`${other.url}/v1/metrics/plan/estimates`)).toMatchObject({ status: 500, body: { error: 'internal' } });
  await other.close();
});

describe('the service', () => {
  let estimating: Estimating;
  let store: Store;
  let folder: Running;
  const [metric] = createCatalog([schema.document]).metrics;
  const task = { kind: 'estimates', of: [{ metric, range: {} }], settings: { minimum: 1 } } as Task;
  beforeAll(async () => {
    folder = await start();
    await folder.send([await bodyOf(1)]);
    store = folder.collector.store;
    estimating = createEstimating({ store, candidates: new Map() });
  }, 60_000);
  afterAll(async () => {
    await estimating.close();
    await folder.close();
  });
  const signal = new AbortController().signal;

  test('answers again from what it has, until there are more reports', async () => {
    const ask = () => estimating.answer(task, 0, signal);
    const [first, second] = [await ask(), await ask()];
    expect(second.answer).toBe(first.answer);
    await folder.send([await bodyOf(2)]);
    const third = await ask();
    expect(third.answer).not.toBe(first.answer);
    expect(JSON.parse(Buffer.from(third.answer.fields).toString())).toMatchObject({ reports: 2 });
  });

  test('readers who accept an age share totals of that age, and totals that are read again without news are the same', async () => {
    const totals = await estimating.totals(0);
    await folder.send([await bodyOf(3)]);
    expect(await estimating.totals(10 ** 8)).toBe(totals);
    const news = await estimating.totals(0);
    expect(news).not.toBe(totals);
    expect(await estimating.totals(0)).toBe(news);
  });

  test('does not begin what nobody waits for', async () => {
    const control = new AbortController();
    control.abort();
    await expect(estimating.answer(task, 0, control.signal)).rejects.toThrow(/abort/);
    expect(estimating.waiting()).toBe(0);
  });
});

test('a client that goes while its estimates wait leaves no work behind', async () => {
  const gone = Array.from({ length: 30 }, (_, i) => {
    const asked = request(`${running.url}/v1/metrics/home/estimates?candidate=gone${i}&limit=100000`);
    asked.on('error', () => undefined).end();
    return asked;
  });
  await Promise.all(gone.map((asked) => new Promise((resolve) => asked.once('socket', (socket) => socket.once('connect', resolve)))));
  for (const asked of gone) asked.destroy();
  expect((await estimates('plan')).status).toBe(200);
});
