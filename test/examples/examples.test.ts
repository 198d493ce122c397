/** The examples as people start them, each with a real collector: what they say they do, they do. (The plain page: test/browser.) */

import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Collector, createCollector } from '@murmuration/collector';
import { schema as notes } from '@murmuration/examples/cli/schema';
import { schema as recipes } from '@murmuration/examples/react/schema';
import { serveReact } from '@murmuration/examples/react/serve';
import { serveRendered } from '@murmuration/examples/server-rendered/serve';
import { serveReader } from '@murmuration/examples/service-worker/serve';
import type { WebServer } from '@murmuration/examples/static';
import type { SchemaDocument } from '@murmuration/shared';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { watchedContext } from '../browser/context.ts';
import { counted } from '../kit/counted.ts';
import { launchChromium } from '../setup/chromium.ts';
import { first } from '../setup/effort.ts';

let folder: string;
let collector: Collector;
let address: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'murmuration-examples-'));
  const reader = ((await import(new URL('../../examples/service-worker/schema.js', import.meta.url).href)) as { schema: typeof recipes })
    .schema;
  const schemas: readonly SchemaDocument[] = [recipes.document, notes.document, reader.document];
  collector = await createCollector({ open: true, schemas, data: join(folder, 'data'), minimum: 1 });
  address = await collector.listen(0, '127.0.0.1');
});
afterEach(async () => {
  await collector.close();
  await rm(folder, { recursive: true });
});

describe('in a browser', () => {
  let browser: Browser;
  let context: BrowserContext;
  let complaints: readonly string[];
  let web: WebServer;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    ({ context, complaints } = await watchedContext(browser));
  });
  afterEach(async () => {
    await context.close();
    await web.close();
    expect(complaints).toEqual([]);
  });

  async function open(): Promise<Page> {
    const page = await context.newPage();
    await page.goto(web.address);
    return page;
  }

  /** Consents, saves, and is counted once, though the page is opened twice. */
  async function useRecipes(page: Page): Promise<void> {
    await page.locator('#consent[data-state=ask]').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    expect(await page.evaluate(async () => [localStorage.length, (await indexedDB.databases()).length])).toEqual([0, 0]);
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page.locator('#consent[data-state=granted]').waitFor();
    await page.getByLabel('Diet').selectOption('vegan');
    await page.getByRole('button', { name: 'Save' }).click();
    await expect.poll(() => counted(address)).toEqual({ metric: 1, diet: 1 });
    await page.reload();
    await page.locator('#consent[data-state=granted]').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Stop sharing' }).click();
    await page.locator('#consent[data-state=denied]').waitFor();
    expect(await counted(address)).toEqual({ metric: 1, diet: 1 });
  }

  const REACT_18 = { react: 'react-18', 'react-dom': 'react-dom-18' };
  const versions = [
    ['19', {}],
    ['18', { alias: REACT_18, absWorkingDir: fileURLToPath(new URL('..', import.meta.url)) }],
  ] as const;
  test.each(first(versions))('the React app works in StrictMode with React %s', async (version, options) => {
    web = await serveReact(address, 0, options);
    expect(await (await fetch(`${web.address}/main.js`)).text()).toContain(`"${version}.`);
    await useRecipes(await open());
  });

  test('the server-rendered app works, and asks nobody before it knows whether they have decided', async () => {
    web = await serveRendered(address, 0);
    const rendered = await (await fetch(web.address)).text();
    expect(rendered).toContain('<p id="consent" data-state="unknown"></p>');
    const page = await open();
    await useRecipes(page);

    // This person has refused: the question is not on the page at any moment.
    await page.addInitScript(() => {
      const seen: string[] = [];
      Object.assign(window, { seen });
      const look = (): void => {
        const state = document.getElementById('consent')?.dataset['state'];
        if (state && state !== seen.at(-1)) seen.push(state);
      };
      new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
    });
    await page.reload();
    await page.locator('#consent[data-state=denied]').waitFor();
    expect(await page.evaluate(() => (window as unknown as { readonly seen: readonly string[] }).seen)).toEqual(['unknown', 'denied']);
  });

  test('the service worker keeps one ledger for all pages', async () => {
    web = await serveReader(address, 0);
    const [page, other] = [await open(), await open()];
    await page.locator('#consent[data-state=ask]').waitFor();
    await page.getByLabel('Size of text').selectOption('small');
    await page.getByRole('button', { name: 'Share' }).click();
    await page.locator('#consent[data-state=granted]').waitFor();
    await page.getByLabel('Size of text').selectOption('large');
    await other.getByLabel('Size of text').selectOption('large');
    await expect.poll(() => counted(address), { timeout: 300_000 }).toEqual({ text: 1 });
    await other.reload();
    await other.locator('#consent[data-state=granted]').waitFor();
  });
});

describe('on the command line', () => {
  const run = async (...args: readonly string[]): Promise<string> => {
    const script = fileURLToPath(new URL('../../examples/cli/notes.ts', import.meta.url));
    const env = { ...process.env, NOTES: join(folder, 'notes'), COLLECTOR: address };
    const { stdout } = await promisify(execFile)(process.execPath, [script, ...args], { env, timeout: 300_000 });
    return stdout;
  };

  test('a program stores nothing before consent, and sends at its end what its person agreed to', async () => {
    await run('add', 'buy milk');
    expect(await readdir(join(folder, 'notes'))).toEqual(['notes.txt']);
    expect(await counted(address)).toEqual({});
    expect(await run('share', 'yes')).toBe('granted; ε 2 spent, 0 left\n');
    expect(await counted(address)).toEqual({ command: 1, notes: 1 });
    await run('add', 'call mother');
    expect(await run('list')).toBe('buy milk\ncall mother\n');
    expect(await run('share')).toBe('granted; ε 2 spent, 0 left\n');
    expect(await counted(address)).toEqual({ command: 1, notes: 1 });
    const [file] = (await readdir(join(folder, 'notes', 'telemetry'))).filter((name) => name.endsWith('.json'));
    expect(await readFile(join(folder, 'notes', 'telemetry', file as string), 'utf8')).not.toContain('milk');
  });

  test('a collector that is not there neither keeps nor fails a program; a run after the pause sends', async () => {
    await run('share', 'yes');
    await rm(join(folder, 'notes'), { recursive: true });
    const there = address;
    address = 'http://127.0.0.1:9';
    await run('share', 'yes');
    address = there;
    const countedAfterRun = async (): Promise<unknown> => {
      await run('list');
      return counted(address);
    };
    await expect.poll(countedAfterRun, { timeout: 300_000, interval: 1_000 }).toEqual({ command: 2, notes: 2 });
  });
});
