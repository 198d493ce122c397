/**
 * Decodes as jobs: progress as server-sent events, cancellation, what is shared and kept. The thread is one that does as the test says, so
 * that nothing depends on how long anything takes.
 */

import { once } from 'node:events';
import { get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Worker } from 'node:worker_threads';
import express from 'express';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDecoding, type Decoding, type DecodingOptions } from '#collector/answers/decode-thread.ts';
import type { DecodeTask } from '#collector/answers/decoded-strings.ts';
import { createEstimating, type Estimating } from '#collector/answers/estimates-thread.ts';
import { createWatching, type Watching } from '#collector/answers/watching.ts';
import { createCatalog } from '#collector/schemas/catalog.ts';
import { metricsRouter } from '#collector/server/http/metrics.ts';
import { NOW, type Running, start } from '../../kit/app.ts';
import { schema } from '../../kit/string-app.ts';

/** Replies at once, or once the flag is 1 where it is asked at a false discovery rate of 0.5. Says whether it was given a map. */
const CODE = `
  const { parentPort, workerData: flag } = require('node:worker_threads');
  let ran = 0;
  parentPort.on('message', ({ id, task, map }) => {
    ran++;
    if (map === undefined) parentPort.postMessage({ id, map: { candidates: 1, hashes: 1, places: new Uint16Array(new SharedArrayBuffer(2)) } });
    parentPort.postMessage({ id, progress: { stage: 'reading' } });
    if (task.settings.fdr === 0.5) {
      Atomics.store(flag, 0, 2);
      while (Atomics.load(flag, 0) !== 1) Atomics.wait(flag, 0, 2);
    }
    const fields = new TextEncoder().encode(JSON.stringify({ ran, hasMap: map !== undefined }));
    parentPort.postMessage({ value: { fields, list: 'strings', chunks: [], starts: new Uint32Array(1) } });
  });
`;

let running: Running;
let estimating: Estimating;
let decoding: Decoding;
let watching: Watching;
let server: Server;
let url: string;
let flag: Int32Array;
let workers: Worker[];

async function open(options: Partial<DecodingOptions> = {}): Promise<void> {
  const { store } = running.collector;
  estimating = createEstimating({ store, candidates: new Map() });
  const begin = (): Worker => {
    const worker = new Worker(CODE, { eval: true, workerData: flag });
    workers.push(worker);
    return worker;
  };
  const limits = { mostWaiting: 5, longest: 10 ** 8, longestAlone: 0, idle: 10 ** 8 };
  decoding = createDecoding({ store, totals: estimating.totals, candidates: new Map([['word', ['anchor']]]), limits, begin, ...options });
  const catalog = createCatalog([schema.document]);
  watching = createWatching({ store, totals: estimating.totals, catalogOf: () => catalog, now: () => NOW });
  server = express()
    .use(
      metricsRouter({
        catalogOf: () => catalog,
        estimating,
        decoding,
        watching,
        plans: () => Promise.reject(new Error('expected no plan')),
        minimum: 1,
      }),
    )
    .listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/metrics/word`;
}

beforeEach(async () => {
  running = await start({ schemas: [schema.document] });
  flag = new Int32Array(new SharedArrayBuffer(4));
  workers = [];
});
afterEach(async () => {
  Atomics.store(flag, 0, 1);
  server.closeAllConnections();
  server.close();
  await Promise.all([decoding.close(), estimating.close(), watching.close()]);
  await running.close();
});

interface Event {
  readonly event: string;
  readonly data: { readonly [key: string]: unknown };
}

/** The events of a whole stream. */
const eventsIn = (text: string): readonly Event[] =>
  text
    .split('\n\n')
    .filter((part) => part.startsWith('event: '))
    .map((part) => {
      const [event = '', data = ''] = part.split('\n').map((line) => line.slice(line.indexOf(': ') + 2));
      return { event, data: JSON.parse(data) as Event['data'] };
    });

/** A client that reads events. */
async function follow(
  query: string,
): Promise<{ readonly response: IncomingMessage; readonly text: Promise<string>; readonly said: () => string; readonly go: () => void }> {
  const asked = get(`${url}/decode?${query}`, { headers: { accept: 'text/event-stream' } });
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  let said = '';
  response.setEncoding('utf8').on('data', (part: string) => {
    said += part;
  });
  response.on('error', () => undefined);
  return {
    response,
    text: new Promise((resolve) => response.once('close', () => resolve(said))),
    said: () => said,
    go: () => asked.destroy(),
  };
}

const begun = (): Promise<void> => expect.poll(() => Atomics.load(flag, 0)).toBe(2);
const finish = (): void => {
  Atomics.store(flag, 0, 1);
  Atomics.notify(flag, 0);
};

test('a reader of events hears how far it is, then the answer', async () => {
  await open();
  const { response, text } = await follow('');
  expect([response.statusCode, response.headers['content-type'], response.headers['cache-control']]).toEqual([
    200,
    'text/event-stream; charset=utf-8',
    'no-store',
  ]);
  expect(eventsIn(await text)).toEqual([
    { event: 'progress', data: { stage: 'waiting' } },
    { event: 'progress', data: { stage: 'reading' } },
    { event: 'answer', data: { ran: 1, hasMap: false, page: { total: 0, offset: 0, limit: 1_000 }, strings: [] } },
  ]);
});

const settings = { minimum: 1, fdr: 0.05, all: false };
const [metric] = createCatalog([schema.document]).metrics;

test('a list that is too long is refused, as an event or as an answer', async () => {
  await open({ mostMapBytes: 1 });
  const refusal = { error: 'too-many-candidates', expected: 'at most 0 strings; murmuration decode takes more', got: '1' };
  expect(eventsIn(await (await follow('')).text).at(-1)).toEqual({ event: 'refusal', data: { status: 400, ...refusal } });
  const task = { of: [{ metric, range: {} }], settings } as unknown as DecodeTask;
  await expect(decoding.answer(task, 0, new AbortController().signal)).rejects.toMatchObject({ status: 400, code: refusal.error });
});

test('a client that goes ends its decode, and others are answered by another thread', async () => {
  await open();
  const { go } = await follow('fdr=.5');
  await begun();
  const ended = once(workers[0] as Worker, 'exit');
  go();
  await ended;
  await expect.poll(() => decoding.waiting()).toBe(0);
  expect(eventsIn(await (await follow('')).text).at(-1)).toMatchObject({ event: 'answer', data: { ran: 1 } });
  expect(workers).toHaveLength(2);
});

test('who asks the same hears of the same decode, and goes without ending it for others', async () => {
  await open();
  const [first, second] = [await follow('fdr=.5'), await follow('fdr=.5')];
  await begun();
  first.go();
  await first.text;
  finish();
  expect(eventsIn(await second.text).at(-1)).toMatchObject({ event: 'answer', data: { ran: 1 } });
  expect(workers).toHaveLength(1);
  // It is kept: nothing is decoded again.
  expect(await (await fetch(`${url}/decode?fdr=.5`)).json()).toMatchObject({ ran: 1 });
});

test('the cells of a list are kept for other questions, also where the first was cancelled', async () => {
  await open();
  const { go, said } = await follow('fdr=.5');
  await expect.poll(said).toContain('reading'); // the thread gives its map away before it says so
  await begun();
  const ended = once(workers[0] as Worker, 'exit');
  go();
  await ended;
  const ask = async (query: string): Promise<unknown> => (await fetch(`${url}/decode?${query}`)).json();
  expect(await ask('segment.platform=web')).toMatchObject({ hasMap: true });
  expect(await ask('candidate=anchor')).toMatchObject({ hasMap: false });
});

test('estimates do not wait for a decode', async () => {
  await open();
  const { text } = await follow('fdr=.5');
  await begun();
  expect((await fetch(`${url}/estimates`)).status).toBe(200);
  expect((await fetch(`${url.replace('/word', '')}`)).status).toBe(200);
  finish();
  expect(eventsIn(await text).at(-1)?.event).toBe('answer');
});

test('a collector that stops says so to who waits', async () => {
  await open();
  const running = await follow('fdr=.5');
  await begun();
  const waiting = await follow('');
  const closed = decoding.close();
  expect(eventsIn(await waiting.text).at(-1)).toMatchObject({ event: 'refusal', data: { status: 503, error: 'busy' } });
  finish();
  await closed;
  expect(['answer', 'refusal']).toContain(eventsIn(await running.text).at(-1)?.event); // the running one gets a little time
});
