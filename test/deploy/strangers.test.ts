/** What answers in place of a collector: an nginx that serves pages, an app's fallback, a proxy in trouble. No batch is lost to them. */

import { once } from 'node:events';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTelemetry, fetchTransport, memoryStorage, type Outcome, preview, type Upload } from '@murmuration/client';
import { fakeClock } from '@murmuration/client/testing';
import { type Collector, createCollector } from '@murmuration/collector';
import { wireName } from '@murmuration/shared';
import express from 'express';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { schema } from '../kit/senders.ts';
import { freePort, type Running, start } from './deployed.ts';

let folder: string;
let collector: Collector;
let address: string;
let nginx: Running | undefined;
let app: Server | undefined;
let closing: Promise<unknown>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-strangers-'));
  chmodSync(folder, 0o755); // workers of nginx are other users
  mkdirSync(join(folder, 'html'));
  writeFileSync(join(folder, 'html', 'index.html'), '<!doctype html><title>Notes</title>');
  collector = await createCollector({ schemas: [schema.document], data: join(folder, 'data'), leastFree: 0, open: true });
  address = await collector.listen(0, '127.0.0.1');
});
afterEach(async () => {
  vi.restoreAllMocks();
  await nginx?.stop();
  app?.close().closeAllConnections();
  await closing;
  await collector.close();
  rmSync(folder, { recursive: true });
  nginx = app = undefined;
});

/** Starts an nginx with one server, and returns its address. */
async function startNginx(directives: string): Promise<string> {
  const port = await freePort();
  const inFolder = (name: string): string => join(folder, name);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${inFolder(kind)};`);
  const server = `server { listen 127.0.0.1:${port}; root ${inFolder('html')}; access_log off; ${directives} }`;
  const main = `daemon off; pid ${inFolder('nginx.pid')}; worker_processes 1; events {} http { ${temporary.join(' ')} ${server} }`;
  writeFileSync(inFolder('nginx.conf'), main);
  nginx = start('nginx', ['-e', inFolder('nginx.log'), '-c', inFolder('nginx.conf')]);
  const url = `http://127.0.0.1:${port}`;
  await expect
    .poll(() =>
      fetch(url).then(
        ({ status }) => status > 0,
        () => false,
      ),
    )
    .toBe(true);
  return url;
}

/** The server of a single-page app: whatever is asked for, it answers with the app's page. */
async function startApp(): Promise<string> {
  const fallback = express().use((_request, response) => response.sendFile(join(folder, 'html', 'index.html')));
  app = createServer(fallback).listen(0, '127.0.0.1');
  closing = once(app, 'close');
  await once(app, 'listening');
  return `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
}

const upstream = (): string => address.replace('http://', '');

/** What the guides of single-page apps say. */
const FALLBACK = 'location / { try_files $uri /index.html; }';

/** Hosts in place of a collector: each with the status of its answers, and the words that explain them. */
const strangers: readonly (readonly [name: string, start: () => Promise<string>, status: number, said: RegExp])[] = [
  ['an nginx that serves pages', () => startNginx(''), 404, /answers 404, but is no collector/],
  ["an nginx that serves an app's page for each path", () => startNginx(FALLBACK), 405, /answers 405, but is no collector/],
  [
    'one that does so for each method too',
    () => startNginx(`${FALLBACK} error_page 405 =200 $uri;`),
    200,
    /answers 200, but is no collector/,
  ],
  ["the server of an app that answers with the app's page", startApp, 200, /answers 200, but is no collector/],
  ['an nginx that says it is gone', () => startNginx('location /v1 { return 410 gone; }'), 410, /answers 410, but is no collector/],
  [
    'an nginx whose collector is away',
    async () => startNginx(`location / { proxy_pass http://127.0.0.1:${await freePort()}; }`),
    502,
    /The server answered 502/,
  ],
  [
    'an nginx that takes no large bodies',
    () => startNginx(`client_max_body_size 10; location / { proxy_pass http://${upstream()}; }`),
    413,
    /answers 413, but is no collector, or a proxy/,
  ],
  [
    'an nginx that speaks HTTP/1.0 to the collector',
    () => startNginx(`location / { proxy_pass http://${upstream()}; }`),
    400,
    /The collector answered 400 \(.*bad-request.*HTTP\/1\.0/,
  ],
];

test.each(strangers)('%s loses no batch, and that is explained', async (_name, startStranger, status, said) => {
  const lines: string[] = [];
  vi.spyOn(console, 'warn').mockImplementation((line) => void lines.push(line));
  let endpoint = await startStranger();
  const outcomes: Outcome[] = [];
  const uploads: Upload[] = [];
  const answers: number[] = [];
  const clock = fakeClock(new Date());
  const telemetry = createTelemetry({
    schema,
    endpoint: 'http://none.invalid',
    consent: 'granted',
    storage: memoryStorage(),
    clock,
    debug: true,
    onOutcome: (outcome) => outcomes.push(outcome),
    transport: async (upload) => {
      uploads.push(upload);
      const delivery = await fetchTransport({ ...upload, url: `${endpoint}/v1/reports` });
      answers.push(delivery.status);
      return delivery;
    },
  });
  telemetry.record('plan', 'pro');
  await telemetry.flush();
  expect(answers).toEqual([status]);
  expect(outcomes.map(({ result }) => result)).toEqual(['recorded']);
  expect(await preview(telemetry)).toHaveLength(1);
  expect(lines.join('\n')).toMatch(said);

  endpoint = address;
  clock.advance(20_000);
  await telemetry.flush();
  await telemetry.close();
  expect(outcomes.map(({ result }) => result)).toEqual(['recorded', 'delivered']);
  expect(answers).toEqual([status, 204]);
  expect(new Set(uploads.map(({ body }) => body)).size).toBe(1);
  expect((await collector.store.read({ schemas: [wireName(schema.document)], metric: 'plan' })).reports).toBe(1);
});

const DAY = 86_400_000;

test.each([
  [-20, 'stale-day'],
  [3, 'future-day'],
])('a device whose clock is %i days off is refused for good, in the words of the collector', async (days, code) => {
  const outcomes: Outcome[] = [];
  const telemetry = createTelemetry({
    schema,
    endpoint: address,
    consent: 'granted',
    storage: memoryStorage(),
    clock: fakeClock(new Date(Date.now() + days * DAY)),
    onOutcome: (outcome) => outcomes.push(outcome),
  });
  telemetry.record('plan', 'pro');
  await telemetry.close();
  expect(outcomes).toEqual([
    { metric: 'plan', result: 'recorded' },
    { metric: 'plan', result: 'refused', reason: expect.stringMatching(new RegExp(`^{"error":"${code}","expected":"a day`)) },
  ]);
});
