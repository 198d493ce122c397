/** The web storage in a real Chromium: several tabs and a worker at once, and what others do to the database. */

import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Results } from '../../behaviour/run.ts';
import type { RunningServer } from '../../kit/transport-server.ts';
import { launchChromium } from '../../setup/chromium.ts';
import type { commands } from './web-entry.ts';
import { openWebSite } from './web-site.ts';

type Commands = typeof commands;
type Name = keyof Commands;

let browser: Browser;
let server: RunningServer;
let context: BrowserContext;

beforeAll(async () => {
  server = await openWebSite();
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  await server.close();
});
beforeEach(async () => {
  context = await browser.newContext();
});
afterEach(() => context.close());

async function open(path = '/', before?: () => void): Promise<Page> {
  const page = await context.newPage();
  if (before) await page.addInitScript(before);
  await page.goto(`${server.address}${path}`);
  return page;
}

/** Runs a command in a page. */
const ask = <N extends Name>(page: Page, name: N, ...parameters: Parameters<Commands[N]>): Promise<Awaited<ReturnType<Commands[N]>>> =>
  page.evaluate(
    ([name, parameters]) =>
      (globalThis as unknown as { commands: Record<string, (...all: unknown[]) => unknown> }).commands[name]?.(...parameters),
    [name, parameters] as [string, unknown[]],
  ) as Promise<Awaited<ReturnType<Commands[N]>>>;

/** Runs a command in a worker of a page. */
const askWorker = <N extends Name>(
  page: Page,
  name: N,
  ...parameters: Parameters<Commands[N]>
): Promise<Awaited<ReturnType<Commands[N]>>> =>
  page.evaluate(
    (message) =>
      new Promise((resolve, reject) => {
        const worker = new Worker('/entry.js');
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => reject(new Error(message));
        worker.postMessage(message);
      }),
    [name, ...parameters],
  ) as Promise<Awaited<ReturnType<Commands[N]>>>;

function expectPassed({ passed, failed }: Results, count: number): void {
  expect(failed).toEqual([]);
  expect(passed).toHaveLength(count);
}

test('the suite in a page', async () => {
  expectPassed(await ask(await open(), 'suite'), 13);
});

test('the suite in a worker, which has no spill', async () => {
  const page = await open();
  expectPassed(await askWorker(page, 'suite'), 12);
  expect([await ask(page, 'spill'), await askWorker(page, 'spill')]).toEqual([
    [true, true],
    [false, false],
  ]);
});

test('every write is strict, so that it is on the disk before it counts as done', async () => {
  const page = await open('/', () => {
    const { put } = IDBObjectStore.prototype;
    const seen: string[] = [];
    IDBObjectStore.prototype.put = function (...parameters) {
      seen.push(this.transaction.durability);
      return put.apply(this, parameters);
    };
    Object.assign(globalThis, { seen });
  });
  await ask(page, 'count', 2);
  expect(await page.evaluate(() => (globalThis as unknown as { readonly seen: readonly string[] }).seen)).toEqual(['strict', 'strict']);
});

test('tabs and a worker that count at once see every number once', async () => {
  const pages = await Promise.all([open(), open(), open()]);
  const numbers = await Promise.all([...pages.map((page) => ask(page, 'count', 60)), askWorker(pages[0] as Page, 'count', 60)]);
  expect(numbers.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 240 }, (_, i) => i + 1));
});

test('a database that another tab deletes under a live page is created again', async () => {
  const [page, other] = [await open(), await open()];
  expect(await ask(page, 'count', 2)).toEqual([1, 2]);
  expect(await ask(other, 'count', 1)).toEqual([3]);
  await ask(other, 'remove');
  expect(await ask(page, 'databases')).toEqual([]);
  expect(await Promise.all([ask(page, 'count', 1), ask(other, 'count', 1)])).toEqual(expect.arrayContaining([[1], [2]]));
});

test('a database without its store, of whatever version, is mended by whoever comes, and loses nothing', async () => {
  const [page, other] = [await open(), await open()];
  await ask(page, 'leave', 3);
  const numbers = await Promise.all([ask(page, 'count', 5), ask(other, 'count', 5), askWorker(page, 'count', 5)]);
  expect(numbers.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 15 }, (_, i) => i + 1));
  expect(await ask(page, 'databases')).toEqual(['counting 4']);
});

test('a newer version that has the store is used as it is', async () => {
  const page = await open();
  await ask(page, 'leave', 2, 41);
  expect(await ask(page, 'count', 1)).toEqual([42]);
  expect(await ask(page, 'databases')).toEqual(['counting 2']);
});

test('a page that is left ends what is under way, and opens again', async () => {
  const page = await open();
  expect(await ask(page, 'suspendWhileBlocked')).toEqual(['failed', 0, '1']);
  expect(await ask(page, 'suspendWhileOpening')).toEqual(['failed', [], 1]);
});

test('a database that stays blocked fails a step, and is used once it is free', async () => {
  const page = await open();
  expect(await ask(page, 'blocked')).toEqual(['failed', true, 1]);
});

test('a refusal rejects: thrown by `open`, or because there is no IndexedDB', async () => {
  expect(await ask(await open('/sandboxed'), 'attempt')).toMatch(/SecurityError/);
  const none = await open('/', () => void Object.defineProperty(globalThis, 'indexedDB', { value: undefined }));
  expect(await ask(none, 'attempt')).toMatch(/TypeError/);
});

/** Lets the first requests to open fail as where cookies are blocked or the browser's storage process is gone: so many as the address says. */
function loseOpens(): void {
  const { open } = IDBFactory.prototype;
  let left = Number(location.search.slice(1));
  IDBFactory.prototype.open = function (name, version) {
    const request = open.call(this, name, version);
    if (left-- > 0) {
      for (const event of ['onsuccess', 'onupgradeneeded']) Object.defineProperty(request, event, { set: () => {} });
      Object.defineProperty(request, 'error', { value: new DOMException('lost', 'UnknownError') });
      request.addEventListener('upgradeneeded', () => request.transaction?.abort());
      request.addEventListener('success', () => {
        request.result.close();
        request.dispatchEvent(new Event('error'));
      });
    }
    return request;
  };
}

test('a refusal that comes later is tried once more; after two nothing is, until the next document', async () => {
  expect(await ask(await open('/?1', loseOpens), 'count', 1)).toEqual([1]);
  const page = await open('/?2', loseOpens);
  await expect(ask(page, 'count', 1)).rejects.toThrow(/lost/);
  await expect(ask(page, 'count', 1)).rejects.toThrow(/lost/);
  await page.goto(`${server.address}/`);
  expect(await ask(page, 'count', 1)).toEqual([2]);
});

test('a getter of `localStorage` that throws leaves no spill, and the ledger works', async () => {
  const page = await open('/', () => {
    const get = (): never => {
      throw new DOMException('forbidden', 'SecurityError');
    };
    Object.defineProperty(globalThis, 'localStorage', { get });
  });
  expect([await ask(page, 'spill'), await ask(page, 'count', 1)]).toEqual([[false, false], [1]]);
});
