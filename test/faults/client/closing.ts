/** Tabs of a real Chromium that are closed at once, or reloaded offline: what they recorded reaches a real collector, once. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Telemetry } from '@murmuration/client';
import { openCollector } from '@murmuration/collector';
import { HTML, SCRIPT, servePages } from '@murmuration/examples/static';
import { build } from 'esbuild';
import type { BrowserContext, Page } from 'playwright-core';
import { launchChromium } from '../../setup/chromium.ts';
import { failuresOf, type Outcome, until } from '../outcome.ts';
import { schema } from './page-schema.ts';
import { openWay } from './way.ts';

/** Longer than a pause after the first failures. */
const PATIENCE = 60_000;

declare const telemetry: Telemetry<typeof schema.questions>;

interface Place {
  readonly address: string;
  readonly newContext: () => Promise<BrowserContext>;
  /** How many reports of a metric the collector has counted. */
  readonly counted: (metric: string) => Promise<number>;
  /** Whether the pages reach the collector. */
  readonly setOnline: (isOnline: boolean) => void;
}

/** Lends a browser, a page and a collector. */
async function inBrowser<T>(run: (place: Place) => Promise<T>): Promise<T> {
  const data = await mkdtemp(join(tmpdir(), 'murmuration-closing-'));
  const collector = await openCollector({ schemas: [schema.document], data, minimum: 1 });
  const endpoint = await collector.listen(0, '127.0.0.1');
  const way = await openWay(endpoint);
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'page.ts')],
    bundle: true,
    target: 'es2022',
    write: false,
  });
  const html = `<!doctype html><html lang="en" data-collector="${way.address}"><title>Notes</title><script src="/page.js"></script>`;
  const files = new Map([
    ['/', [HTML, html]],
    ['/page.js', [SCRIPT, outputFiles[0]?.text ?? '']],
  ] as const);
  const web = await servePages(async (path) => files.get(path as '/'), 0);
  const browser = await launchChromium();
  try {
    return await run({
      address: web.address,
      newContext: () => browser.newContext(),
      setOnline: way.set,
      counted: async (metric) => {
        const { metrics } = (await (await fetch(`${endpoint}/v1/metrics`)).json()) as {
          readonly metrics: readonly { readonly metric: string; readonly reports: number }[];
        };
        return metrics.find((one) => one.metric === metric)?.reports ?? 0;
      },
    });
  } finally {
    await browser.close();
    way.close();
    await web.close();
    await collector.close();
    await rm(data, { recursive: true });
  }
}

/** Resolves when the page holds the ledger. */
const ready = (page: Page): Promise<unknown> => page.evaluate(() => telemetry.ledger());

/** So many tabs, each of another person, closed in the tick of the record: every other one by itself. */
export const closings = (tabs: number): Promise<Outcome> =>
  inBrowser(async ({ address, newContext, counted }) => {
    const failures = failuresOf();
    for (let tab = 0; tab < tabs; tab++) {
      const context = await newContext();
      const opener = await context.newPage();
      await opener.goto('about:blank');
      const [page] = await Promise.all([context.waitForEvent('page'), opener.evaluate((url) => void open(url), address)]);
      await page.waitForLoadState();
      await ready(page);
      const record = page.evaluate(
        (closes) => {
          telemetry.record('dark', true);
          telemetry.record('plan', 'pro');
          if (closes) close();
        },
        tab % 2 === 0,
      );
      await (tab % 2 === 0 ? record.catch(() => {}) : record.then(() => page.close()));
    }
    for (const metric of ['dark', 'plan']) {
      await until(async () => (await counted(metric)) >= tabs, PATIENCE);
      const reports = await counted(metric);
      if (reports !== tabs) failures.add(`${reports} reports of ${metric}`, `expected ${tabs}`);
    }
    return {
      fault: 'tabs closed at once',
      tried: `${tabs} tabs of Chromium, localStorage`,
      seen: `${await counted('plan')} of ${tabs} at the collector`,
      failures: failures.list(),
    };
  });

/** So many people who record offline, reload, and go online. */
export const reloads = (people: number): Promise<Outcome> =>
  inBrowser(async ({ address, newContext, counted, setOnline }) => {
    const failures = failuresOf();
    setOnline(false);
    const pages = await Promise.all(
      Array.from({ length: people }, async () => {
        const page = await (await newContext()).newPage();
        await page.goto(address);
        await page.evaluate(() => telemetry.record('plan', 'pro'));
        await page.evaluate(() => telemetry.flush());
        await page.reload();
        if ((await page.evaluate(() => telemetry.preview())).length !== 1) failures.add('an outbox that did not outlive its page');
        return page;
      }),
    );
    if ((await counted('plan')) !== 0) failures.add('a report that came while all were offline');
    setOnline(true);
    await until(async () => (await counted('plan')) >= people, PATIENCE);
    for (const page of pages) {
      await page.reload();
      await page.evaluate(() => telemetry.record('plan', 'free'));
      await page.evaluate(() => telemetry.flush());
    }
    const reports = await counted('plan');
    if (reports !== people) failures.add(`${reports} reports`, `expected ${people}`);
    return {
      fault: 'reloads while offline',
      tried: `${people} people who record offline, reload, and go online`,
      seen: `${reports} of ${people} at the collector, once each`,
      failures: failures.list(),
    };
  });
