/** The behaviours, and the suites of the browser's adapters, in a page, a worker and a service worker of a real Chromium. */

import { join } from 'node:path';
import type { Transport } from '@murmuration/client';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type RunningServer, startServer } from '../adapters/transport-server.ts';
import { launchChromium } from '../setup/chromium.ts';
import { trace } from './behaviours.ts';
import type { Results } from './run.ts';

const POLICY = "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; style-src 'self'";
const PAGE = '<!doctype html><html lang="en"><title>Suites</title>';

/** What the script puts on a page. */
interface Suites {
  readonly runAll: () => Promise<{ [suite: string]: Results }>;
  readonly inMemory: () => Promise<Results>;
  readonly beaconTransport: Transport;
}

let browser: Browser;
let server: RunningServer;
let page: Page;

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'browser-entry.ts')],
    bundle: true,
    format: 'iife',
    target: 'es2022',
    define: { TRACE: JSON.stringify(await trace()) },
    write: false,
  });
  const script = outputFiles[0]?.text ?? '';
  const files: { readonly [path: string]: readonly [type: string, body: string, policy: string] } = {
    '/': ['text/html', PAGE, POLICY],
    '/suites': ['text/html', `${PAGE}<script src="/suites.js"></script>`, POLICY],
    '/sandboxed': ['text/html', `${PAGE}<script src="/suites.js"></script>`, `${POLICY}; sandbox allow-scripts`],
    '/suites.js': ['text/javascript', script, POLICY],
  };
  server = await startServer((path, response) => {
    const file = files[path];
    if (file === undefined) return false;
    const [type, body, policy] = file;
    response.writeHead(200, { 'content-type': type, 'content-security-policy': policy, 'set-cookie': 'person=1' }).end(body);
    return true;
  });
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  await server.close();
});
beforeEach(async () => {
  page = await (await browser.newContext()).newPage();
});
afterEach(() => page.context().close());

function expectPassed(results: { readonly [suite: string]: Results }, suites: readonly string[]): void {
  expect(Object.values(results).flatMap(({ failed }) => failed)).toEqual([]);
  expect(Object.keys(results).sort()).toEqual(suites);
  for (const { passed } of Object.values(results)) expect(passed.length).toBeGreaterThan(2);
}

test('in a page', async () => {
  await page.goto(`${server.address}/suites`);
  const results = await page.evaluate(() => (globalThis as unknown as Suites).runAll());
  expectPassed(results, ['beacon', 'behaviours', 'fetch', 'indexedDb', 'localStorage', 'page']);
});

test('in a page that may not store anything, memory stands in', async () => {
  await page.goto(`${server.address}/sandboxed`);
  expect(
    await page.evaluate(() =>
      Promise.resolve()
        .then(() => localStorage.length)
        .catch(String),
    ),
  ).toContain('SecurityError');
  expectPassed({ memory: await page.evaluate(() => (globalThis as unknown as Suites).inMemory()) }, ['memory']);
});

test('where fetch does not outlive a hidden page, a beacon goes, and its batch stays', async () => {
  await page.goto(`${server.address}/suites`);
  server.received();
  const delivery = await page.evaluate(() => {
    delete (Request.prototype as { keepalive?: boolean }).keepalive;
    Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
    return (globalThis as unknown as Suites).beaconTransport({ url: `${location.origin}/status/204`, body: '{"v":1}' });
  });
  expect(delivery).toEqual({ status: 0 });
  await expect
    .poll(() => server.received().map(({ method, body, headers }) => [method, body, headers['content-type']]))
    .toEqual([['POST', '{"v":1}', 'text/plain;charset=UTF-8']]);
});

test('in a worker', async () => {
  await page.goto(`${server.address}/`);
  const results = await page.evaluate(async () => {
    const worker = new Worker('/suites.js');
    const answer = new Promise<{ [suite: string]: Results }>((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
    });
    worker.postMessage('run');
    return answer;
  });
  expectPassed(results, ['behaviours', 'fetch', 'indexedDb', 'sync', 'worker']);
});

test('in a service worker', async () => {
  await page.goto(`${server.address}/`);
  const results = await page.evaluate(async () => {
    await navigator.serviceWorker.register('/suites.js');
    const { active } = await navigator.serviceWorker.ready;
    const answer = new Promise<{ [suite: string]: Results }>((resolve) => {
      navigator.serviceWorker.onmessage = ({ data }) => resolve(data);
    });
    active?.postMessage('run');
    return answer;
  });
  expectPassed(results, ['behaviours', 'fetch', 'indexedDb', 'sync', 'worker']);
});
