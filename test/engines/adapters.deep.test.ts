/** The suite of storages over the web storage, in a page and a worker, and tabs that count at once, in all engines but Chromium. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import type { Results } from '../behaviour/run.ts';
import { openWebSite } from '../browser/adapters/web-site.ts';
import type { RunningServer } from '../kit/transport-server.ts';
import { inEachEngine } from './each.ts';
import type { Browser } from './engine.ts';
import { engines } from './engines.ts';

/** Has a worker run a command. */
const inWorker = (...message: readonly unknown[]): string => `new Promise((resolve, reject) => {
  const worker = new Worker('/entry.js');
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = ({ message }) => reject(new Error(message));
  worker.postMessage(${JSON.stringify(message)});
})`;

/** Chromium has a file of its own: test/browser/adapters/web.test.ts. */
const others = engines.filter(({ name }) => name !== 'chromium');

/** How far each of several tabs counts. */
const TIMES = 40;

function expectPassed({ passed, failed }: Results, count: number): void {
  expect(failed).toEqual([]);
  expect(passed).toHaveLength(count);
}

inEachEngine(({ launch }, test) => {
  let profile: string;
  let browser: Browser;
  let server: RunningServer;

  beforeAll(async () => {
    server = await openWebSite();
    profile = await mkdtemp(join(tmpdir(), 'murmuration-storage-'));
    browser = await launch(profile);
  });
  afterAll(async () => {
    await browser.close();
    await server.close();
    await rm(profile, { recursive: true });
  });

  test('the suite in a page', async () => {
    const page = await browser.open(`${server.address}/`);
    expectPassed(await page.evaluate('commands.suite()'), 13);
    await page.close();
  });

  test('the suite in a worker, which has no spill', async ({ expect }) => {
    const page = await browser.open(`${server.address}/`);
    expectPassed(await page.evaluate(inWorker('suite')), 12);
    expect(await page.evaluate(inWorker('spill'))).toEqual([false, false]);
    await page.close();
  });

  test('tabs and a worker that count at once see every number once', async ({ expect }) => {
    const pages = [await browser.open(`${server.address}/`), await browser.open(`${server.address}/`)];
    const counting = pages.map((page) => page.evaluate<readonly number[]>(`commands.count(${TIMES})`));
    const numbers = await Promise.all([...counting, (pages[0] as (typeof pages)[0]).evaluate<readonly number[]>(inWorker('count', TIMES))]);
    expect(numbers.flat().sort((a, b) => a - b)).toEqual(Array.from({ length: 3 * TIMES }, (_, i) => i + 1));
    for (const page of pages) await page.close();
  });

  test('a page that is left ends what is under way, and opens again', async ({ expect }) => {
    const page = await browser.open(`${server.address}/`);
    await page.evaluate('commands.remove()');
    expect(await page.evaluate('commands.suspendWhileBlocked()')).toEqual(['failed', 0, '1']);
    expect(await page.evaluate('commands.suspendWhileOpening()')).toEqual(['failed', [], 1]);
    await page.close();
  });

  test('a refusal of the browser rejects', async ({ expect }) => {
    const page = await browser.open(`${server.address}/sandboxed`);
    expect(await page.evaluate('commands.attempt()')).toMatch(/Error/);
    await page.close();
  });
}, others);
