/** A context of Chromium whose pages are watched, and a file's collector with a page for each test. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Collector } from '@murmuration/collector';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { launchChromium } from '../setup/chromium.ts';

/** Milliseconds after which a page that does not become what is expected is wrong, and not slow. */
export const PATIENCE = 120_000;

/** A new context, and what its pages complain of: errors and warnings of the console, policy violations among them. */
export async function watchedContext(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<{ readonly context: BrowserContext; readonly complaints: readonly string[] }> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE);
  const complaints: string[] = [];
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  context.on('weberror', (error) => complaints.push(String(error.error())));
  return { context, complaints };
}

/** The address of the file's collector, and the page of the test that runs (servePages). */
export let address: string;
export let page: Page;
let complaints: readonly string[];

/** Runs a collector and Chromium while the tests of a file do, and gives each a page of its own, which may complain of nothing. */
export function servePages(
  start: (data: string) => Promise<{ readonly collector: Collector; readonly address: string }>,
  options: BrowserContextOptions,
): void {
  let browser: Browser;
  let data: string;
  let collector: Collector;
  beforeAll(async () => {
    browser = await launchChromium();
    data = await mkdtemp(join(tmpdir(), 'murmuration-pages-'));
    ({ collector, address } = await start(data));
  }, PATIENCE);
  afterAll(async () => {
    await browser.close();
    await collector.close();
    await rm(data, { recursive: true });
  });
  beforeEach(async () => {
    const watched = await watchedContext(browser, options);
    complaints = watched.complaints;
    page = await watched.context.newPage();
  });
  afterEach(async () => {
    await page.context().close();
    expect(complaints).toEqual([]);
  });
}

/** Takes what the page has complained of so far as expected. */
export function forgive(): void {
  complaints = [];
}
