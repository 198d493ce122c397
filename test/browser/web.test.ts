/** The example pages in a real Chromium, with a real collector: what a person sees is what is stored and sent, and nothing else is. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Collector, createCollector } from '@murmuration/collector';
import type { WebServer } from '@murmuration/examples/static';
import { serveWeb } from '@murmuration/examples/web/serve';
import type { Batch, SchemaDocument } from '@murmuration/shared';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { storedBy } from '#collector/planning/audit/papers/device.ts';
import { counted } from '../kit/counted.ts';
import { buildClient } from '../setup/build-client.ts';
import { launchChromium } from '../setup/chromium.ts';
import { watchedContext } from './context.ts';

const examples = new URL('../../examples/web/', import.meta.url);
const METRICS = ['darkMode', 'favouriteWord', 'plan'];

let browser: Browser;
let schema: SchemaDocument;
let data: string;
let collector: Collector;
let address: string; // the collector's
let web: WebServer;
let context: BrowserContext;
let bodies: string[]; // of all uploads, as Chromium sent them
let complaints: readonly string[];

beforeAll(async () => {
  await buildClient();
  browser = await launchChromium();
  schema = ((await import(new URL('schema.js', examples).href)) as { readonly schema: { readonly document: SchemaDocument } }).schema
    .document;
});
afterAll(() => browser.close());

beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), 'murmuration-web-'));
  collector = await createCollector({ open: true, schemas: [schema], data, minimum: 1 });
  address = await collector.listen(0, '127.0.0.1');
  web = await serveWeb(address, 0);
  ({ context, complaints } = await watchedContext(browser));
  bodies = [];
  context.on('request', (request) => {
    if (request.url().includes('/v1/reports')) bodies.push(request.postData() ?? '');
  });
});

afterEach(async () => {
  await context.close();
  await web.close();
  await collector.close();
  await rm(data, { recursive: true });
  expect(complaints).toEqual([]);
});

async function open(path: string): Promise<Page> {
  const page = await context.newPage();
  const response = await page.goto(`${web.address}${path}`);
  expect(response?.headers()['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
  await page.locator('#consent[data-state]').waitFor();
  return page;
}

/** All that the page's origin stores: the state in IndexedDB, where there is a database, and what `localStorage` holds. */
const stored = (page: Page): Promise<string[]> =>
  page.evaluate(async () => {
    const items = Object.values({ ...localStorage }) as string[];
    if ((await indexedDB.databases()).length === 0) return items;
    const state = await new Promise<string>((resolve, reject) => {
      const opening = indexedDB.open('murmuration');
      opening.onerror = () => reject(opening.error);
      opening.onsuccess = () => {
        const reading = opening.result.transaction('items').objectStore('items').get('murmuration:notebook');
        reading.onerror = () => reject(reading.error);
        reading.onsuccess = () => {
          opening.result.close();
          resolve(reading.result);
        };
      };
    });
    return [state, ...items];
  });
/** The state, without its checksum. */
const stateOf = (text: string | undefined): unknown => JSON.parse(text?.slice(text.indexOf('{')) ?? '');
const outcomes = (page: Page, result: string): Promise<number> => page.locator(`#outcomes li[data-result=${result}]`).count();
const save = (page: Page): Promise<void> => page.getByRole('button', { name: 'Save settings' }).click();
const see = (page: Page, result: string, times: number): Promise<void> =>
  page
    .locator(`#outcomes li[data-result=${result}]`)
    .nth(times - 1)
    .waitFor();

const ONE_EACH = Object.fromEntries(METRICS.map((metric) => [metric, 1]));

test.each(['/', '/script.html'])('%s stores and sends nothing before consent, then just what it shows, and once', async (path) => {
  const page = await open(path);
  await save(page);
  await see(page, 'no-consent', 3);
  expect(await stored(page)).toEqual([]);
  expect(bodies).toEqual([]);

  await page.getByLabel('Favourite word').fill('zephyrous');
  await page.getByRole('button', { name: 'Yes, share' }).click();
  await save(page);
  await see(page, 'recorded', 3);
  const bytes = page.locator('#bytes');
  await expect.poll(() => bytes.textContent()).not.toBe('');
  const shown = await bytes.textContent();
  await page.locator('#send').dispatchEvent('click'); // a slow page has sent them without help, and has hidden the button
  await see(page, 'delivered', 3);
  expect(bodies).toEqual([shown]);
  expect((JSON.parse(shown as string) as Batch).reports.map(([metric]) => metric).sort()).toEqual(METRICS);
  expect(await counted(address)).toEqual(ONE_EACH);
  expect([...(await stored(page)), ...bodies].join()).not.toContain('zephyrous');
  await page.getByText('ε 6 of 6 spent in this month, 0 left.').waitFor();

  await page.reload();
  await page.locator('#consent[data-state=granted]').waitFor();
  await save(page);
  await see(page, 'already-answered', 3);
  expect(await outcomes(page, 'recorded')).toBe(0);
  expect(bodies).toHaveLength(1);
  expect(await counted(address)).toEqual(ONE_EACH);
});

test.each(['/', '/script.html'])('%s erases what waits when the person says no, and keeps what was spent', async (path) => {
  const page = await open(path);
  await page.getByRole('button', { name: 'Yes, share' }).click();
  await save(page);
  await see(page, 'recorded', 3);
  await page.getByRole('button', { name: 'No', exact: true }).click();
  await page.locator('#consent[data-state=denied]').waitFor();
  // The second decision is a refusal (ledger/decision.ts). A look at the ledger while the note beside it is erased makes it the third, too.
  const isErased = expect.objectContaining({ outbox: [], decision: expect.toBeOneOf([10, 14]) });
  await expect.poll(async () => stateOf((await stored(page))[0])).toEqual(isErased);
  const beside = (await stored(page)).slice(1);
  expect(beside).toContainEqual(expect.stringMatching(/^1[04]$/)); // the others are days
  expect(beside.filter((text) => !/^(?:1[04]|\d{5}|\{"day":\d{5}\})$/.test(text))).toEqual([]);
  await page.waitForTimeout(5_500); // longer than any upload waits
  await page.close();
  expect(bodies).toEqual([]);
  expect(await counted(address)).toEqual({});

  const again = await open(path);
  await again.locator('#consent[data-state=denied]').waitFor();
  await again.getByRole('button', { name: 'Yes, share' }).click();
  await save(again);
  await see(again, 'already-answered', 3);
  expect(bodies).toEqual([]);
});

/** Notes in the page which keys of `localStorage` are read and written, and which databases are opened and deleted. */
function watchStorage(): void {
  const touched = { read: new Set<string>(), written: new Set<string>(), opened: new Set<string>() };
  Object.assign(window, { touched });
  const { getItem, setItem } = Storage.prototype;
  Storage.prototype.getItem = function (key) {
    touched.read.add(key);
    return getItem.call(this, key);
  };
  Storage.prototype.setItem = function (key, value) {
    touched.written.add(key);
    setItem.call(this, key, value);
  };
  const { open } = IDBFactory.prototype;
  IDBFactory.prototype.open = function (name, ...version) {
    touched.opened.add(name);
    return open.call(this, name, ...version);
  };
}

/** What the page has touched, and what it has stored. */
const touchedIn = (page: Page): Promise<{ readonly [what: string]: readonly string[] }> =>
  page.evaluate(async () => {
    const { touched } = window as unknown as { readonly touched: { readonly [what: string]: ReadonlySet<string> } };
    const databases = (await indexedDB.databases()).map(({ name = '' }) => name).sort();
    return {
      ...Object.fromEntries(Object.entries(touched).map(([what, names]) => [what, [...names].sort()])),
      databases,
      keys: Object.keys(localStorage).sort(),
    };
  });

test('what a page reads before a decision, and stores after an agreement, is what the assessment lists (audit --dpia)', async () => {
  const listed = (where: string, part: (name: string) => boolean = () => true): readonly string[] =>
    storedBy('notebook').flatMap((thing) => (thing.where === where && part(thing.name) ? [thing.name] : []));
  await context.addInitScript(watchStorage);
  const page = await open('/');
  await save(page);
  await see(page, 'no-consent', 3);
  expect(await touchedIn(page)).toEqual({
    read: listed('localStorage', (name) => !name.endsWith('…')).toSorted(), // there are no answers to read
    written: [],
    opened: [],
    databases: [],
    keys: [],
  });

  await page.getByRole('button', { name: 'Yes, share' }).click();
  await save(page);
  await see(page, 'recorded', 3);
  const after = await touchedIn(page);
  /** A key of a metric as the list has it. */
  const generic = (keys: readonly string[] = []): readonly string[] =>
    [...new Set(keys.map((key) => key.replace(/(?<=:answer:).*/, '…')))].toSorted();
  expect(generic(after['keys'])).toEqual(listed('localStorage').toSorted());
  expect(generic(after['written'])).toEqual(listed('localStorage').toSorted());
  expect(after['databases']).toEqual(listed('IndexedDB').toSorted());
  expect(after['opened']).toEqual(listed('IndexedDB').toSorted());
});

test('what is recorded before a page is left arrives', async () => {
  const page = await open('/');
  await page.getByRole('button', { name: 'Yes, share' }).click();
  await save(page);
  await see(page, 'recorded', 3);
  await page.goto('about:blank');
  await expect.poll(() => counted(address)).toEqual(ONE_EACH);
});

test('the two pages differ in their scripts only', async () => {
  const lines = async (file: string): Promise<string> => (await readFile(new URL(file, examples), 'utf8')).replace(/ *<script.*\n/g, '');
  expect(await lines('script.html')).toBe(await lines('index.html'));
});
