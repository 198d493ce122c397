/**
 * The overview in a real Chromium: what is not seen is not asked for, 300 questions are searched and opened by keyboard, an idle tab asks
 * little, and a slow answer is no lost connection. Rows say the API's verdicts.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Collector, MetricEstimates } from '@murmuration/collector';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { decimalsFor, rangeInWords } from '#collector/dashboard/format.ts';
import { launchChromium } from '../setup/chromium.ts';
import { EFFORT } from '../setup/effort.ts';
import { watchedContext } from './context.ts';
import { manyQuestions, NEEDLE, SILENT } from './many-questions.ts';
import { type Between, startProxy } from './proxy.ts';

type Interval = NonNullable<NonNullable<MetricEstimates['verdict']>['interval']>;

const QUESTIONS = 300;

let browser: Browser;
let data: string;
let collector: Collector;
let behind: string;
let proxy: Between;
let address: string;
/** Whether answers about metrics, and the list of them, are kept waiting. */
let isSlow = false;
let isLate = false;
/** What was asked about metrics, in order, and how much of it at once at most. */
let asked: string[] = [];
let most = 0;
beforeAll(async () => {
  browser = await launchChromium();
  data = await mkdtemp(join(tmpdir(), 'murmuration-overview-'));
  ({ collector, address: behind } = await manyQuestions(QUESTIONS, data));
  let now = 0;
  proxy = await startProxy(behind, async (url, response) => {
    while (isLate && /\/v1\/metrics\?/.test(url) && !response.destroyed) await new Promise((resolve) => setTimeout(resolve, 50));
    if (!/\/v1\/metrics\/.+/.test(url)) return !response.destroyed;
    asked.push(url);
    most = Math.max(most, ++now);
    response.once('close', () => now--);
    while (isSlow && !response.destroyed) await new Promise((resolve) => setTimeout(resolve, 50));
    return !response.destroyed;
  });
  ({ address } = proxy);
});
afterAll(async () => {
  await browser.close();
  proxy.close();
  await collector.close();
  await rm(data, { recursive: true });
});

let page: Page;
let complaints: readonly string[];
async function open(path = '', viewport = { width: 1280, height: 800 }, colorScheme: 'light' | 'dark' = 'light'): Promise<void> {
  const watched = await watchedContext(browser, { viewport, colorScheme });
  complaints = watched.complaints;
  page = await watched.context.newPage();
  await page.goto(address + path);
  await rows().first().waitFor();
}
beforeEach(() => {
  isSlow = false;
  isLate = false;
  asked = [];
  most = 0;
});
afterEach(async () => {
  await page.context().close();
  expect(complaints).toEqual([]);
});

const rows = () => page.getByRole('list', { name: 'Questions' }).getByRole('listitem');
const row = (text: string) => rows().filter({ has: page.getByRole('link', { name: text, exact: true }) });
const search = () => page.getByRole('searchbox', { name: 'Find a question' });
const parameters = () => Object.fromEntries(new URL(page.url()).searchParams);
/** Rows that are made at first. */
const MADE = 12;
/** How many are found, as the page says. */
const found = (words: string) => page.getByRole('status').filter({ hasText: words }).first().waitFor();
const namesAsked = () => new Set(asked.map((url) => /metrics\/(\w+)/.exec(url)?.[1]));

test('only what is seen is asked for, a few at a time, and the rest when it is scrolled to', async () => {
  await open();
  await row('Is thing 0 used?').locator('.verdict').waitFor();
  await row('Is thing 0 used?').locator('svg').waitFor();
  expect(await rows().count()).toBe(MADE);
  expect(await rows().first().getAttribute('aria-setsize')).toBe(`${QUESTIONS}`);
  expect(namesAsked().size).toBeLessThan(20);
  expect(most).toBeLessThanOrEqual(4);
  // The list is on its way before the script runs, and is asked for again only when it may be another.
  const [first, second] = await page.evaluate(() => {
    const all = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
    return all.filter(({ name }) => name.includes('/v1/metrics?')).map(({ initiatorType: by, startTime }) => ({ by, startTime }));
  });
  expect([first?.by, (second?.startTime ?? Number.POSITIVE_INFINITY) - (first?.startTime ?? 0) > 1_500]).toEqual(['link', true]);
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await row('Is thing 299 used?').scrollIntoViewIfNeeded();
  await row('Is thing 299 used?').locator('.verdict').waitFor();
  expect(namesAsked().size).toBeLessThan(60);
  expect(namesAsked()).not.toContain('asked150');
});

test('a row says the verdict in its interval, and one without reports says so before all others', async () => {
  await open();
  const clause = row('Is thing 0 used?').locator('.verdict');
  await clause.waitFor();
  const { verdict } = (await (await fetch(`${behind}/v1/metrics/asked0/estimates`)).json()) as MetricEstimates;
  const interval = verdict?.interval as Interval;
  const isAnything = interval.low <= 0 && interval.high >= 1;
  const said = isAnything ? 'Not enough reports yet to tell.' : `Yes: ${rangeInWords(interval, decimalsFor([interval]))}.`;
  expect(await clause.textContent()).toBe(said);
  expect(await row('Is thing 7 used?').textContent()).toContain('No reports yet.');
  expect(asked.some((url) => url.includes(`/${SILENT}/`))).toBe(false);
  const top = await row('Is thing 0 used?').boundingBox();
  expect(top?.y).toBeLessThan(340);
});

test('one of 300 is found and opened by keyboard, and Back returns to what was looked for', async () => {
  await open();
  await page.keyboard.press('/');
  await page.keyboard.type('NEEDLE');
  await expect.poll(() => rows().count()).toBe(1);
  expect(await page.getByRole('status').filter({ hasText: '1 of 300' }).count()).toBe(1);
  await expect.poll(parameters).toEqual({ q: 'NEEDLE' });
  await page.keyboard.press('Enter');
  await expect.poll(() => page.title()).toBe(`${NEEDLE} · Murmuration`);
  expect(new URL(page.url()).pathname).toBe('/questions/asked287');
  await page.goBack();
  await expect.poll(() => rows().count()).toBe(1);
  expect(await search().inputValue()).toBe('NEEDLE');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('nothing has this');
  await page.getByText('No question has all of this.').waitFor();
  await page.getByRole('button', { name: 'Show all 300' }).click();
  await expect.poll(() => rows().count()).toBe(MADE);
  await expect.poll(() => search().inputValue()).toBe('');
});

test('keys and clicks are heard as soon as there are questions, before any frame', async () => {
  const watched = await watchedContext(browser);
  complaints = watched.complaints;
  page = await watched.context.newPage();
  await page.clock.install();
  isLate = true;
  await page.goto(address);
  await page.getByText('Asking the collector').first().waitFor();
  await page.clock.pauseAt(Date.now() + 1_000);
  isLate = false;
  await rows().first().waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('NEEDLE');
  await expect.poll(() => rows().count()).toBe(1);
  await page.evaluate(() => Object.assign(globalThis, { isSame: true }));
  await page.getByRole('link', { name: NEEDLE }).dispatchEvent('click');
  await expect.poll(() => new URL(page.url()).pathname).toBe('/questions/asked287');
  expect(await page.evaluate(() => 'isSame' in globalThis)).toBe(true); // it is shown in the page that there is
});

test('words that were just typed do not come back when a click has undone them, though the page is busy', async () => {
  await open('?q=needle');
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 1_000);
  await page.evaluate(() => requestAnimationFrame(() => Object.assign(globalThis, { isFrame: true })));
  while (!(await page.evaluate(() => 'isFrame' in globalThis))) await page.clock.runFor(1); // frames are 16 ms apart from now on
  await search().fill('nothing has this');
  await page.getByText('No question has all of this.').waitFor();
  await page.clock.runFor(260); // effects ran with the frame at 16 ms, and the words are due 250 ms later
  await page.getByRole('button', { name: 'Show all 300' }).dispatchEvent('click');
  await page.clock.runFor(10); // before the frame at 272 ms, with which the click’s effects run
  await page.clock.runFor(1_000);
  await expect.poll(() => rows().count()).toBe(MADE);
  expect([await search().inputValue(), parameters()]).toEqual(['', {}]);
});

test('Back from a question returns to where the list was', async () => {
  await open();
  await page.evaluate(() => scrollTo(0, 84 * 118));
  await row('Is thing 120 used?').locator('.verdict').waitFor();
  const before = await page.evaluate(() => scrollY);
  await page.getByRole('link', { name: 'Is thing 120 used?', exact: true }).click();
  await expect.poll(() => page.title()).toBe('Is thing 120 used? · Murmuration');
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
  await page.goBack();
  await expect.poll(async () => Math.abs((await page.evaluate(() => scrollY)) - before)).toBeLessThan(200);
});

test('menus and filters are in the address, Back undoes them, and a link keeps those of the reports', async () => {
  await open();
  await page.getByLabel('owner').selectOption('team 1');
  await found('100 of 300');
  await page.getByLabel('state').selectOption('no reports yet');
  await expect.poll(() => rows().count()).toBe(1);
  await page.getByText('Reports: all').click();
  await page.getByRole('radio', { name: 'ios' }).check({ force: true });
  expect(parameters()).toEqual({ owner: 'team 1', state: 'none', 'segment.platform': 'ios' });
  await page.getByText('Reports: platform ios').waitFor();
  expect(await page.getByRole('link', { name: 'Is thing 7 used?' }).last().getAttribute('href')).toBe(
    'questions/asked7?app=large&segment.platform=ios',
  );
  await page.goBack();
  await page.goBack();
  await found('100 of 300');
  expect(parameters()).toEqual({ owner: 'team 1' });
});

test('values in an old link that nothing here has are named', async () => {
  await open('?segment.platform=windows&owner=sales');
  await page.getByRole('status').filter({ hasText: 'platform: windows, owner: sales' }).waitFor();
  expect(await page.locator('.holds [role="status"]').textContent()).toBe(`${QUESTIONS}`);
});

test('slow answers do not keep the list of metrics waiting, so that no connection seems lost', async () => {
  isSlow = true;
  await open();
  await expect.poll(() => most).toBe(4);
  for (let i = 0; i < 3; i++) await page.waitForResponse((response) => new URL(response.url()).pathname === '/v1/metrics');
  expect(await page.locator('.live').textContent()).toBe('live');
  isSlow = false;
  await row('Is thing 0 used?').locator('.verdict').waitFor();
});

test('a list that is late is no lost connection, and without a network it is one', async () => {
  await open();
  isLate = true;
  await page.locator('.live', { hasText: 'no answer in time, trying again; numbers from' }).waitFor();
  isLate = false;
  await page.locator('.live', { hasText: /^live$/ }).waitFor();
  await page.context().setOffline(true);
  await page.locator('.live', { hasText: 'connection lost, trying again; numbers from' }).waitFor();
  complaints = []; // the browser names each request that fails
});

test('an hour of a tab in which nothing happens costs less than a megabyte', async () => {
  const watched = await watchedContext(browser, { viewport: { width: 1280, height: 800 } });
  complaints = watched.complaints;
  page = await watched.context.newPage();
  await page.clock.install();
  const session = await watched.context.newCDPSession(page);
  await session.send('Network.enable');
  await page.goto(behind);
  await row('Is thing 0 used?').locator('svg').waitFor();
  const pass = async (seconds: number): Promise<void> => {
    for (let i = 0; i < seconds / 5; i++) {
      await page.clock.runFor(5_000);
      await page.evaluate(() => fetch('livez')); // whatever was asked is answered by now
    }
  };
  await pass(30); // the first answers, and the page of a question, come once, and not each hour
  await page.locator('link[href*="later"]').waitFor({ state: 'attached' });
  let bytes = 0;
  let lists = 0;
  const probes = new Set<string>();
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (request.url.endsWith('/livez')) probes.add(requestId);
    else bytes += request.url.length + JSON.stringify(request.headers).length;
    if (request.url.includes('/v1/metrics?')) lists++;
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (!probes.has(requestId)) bytes += encodedDataLength; // with its headers
  });
  const SECONDS = 75 * EFFORT;
  await pass(SECONDS);
  expect(lists).toBeGreaterThan(SECONDS / 15);
  expect((bytes * 3_600) / SECONDS).toBeLessThan(1_000_000);
});

const LOOKS = [
  ['light', 320],
  ['dark', 390],
  ['light', 1280],
  ['dark', 2560],
] as const;
test.each(LOOKS.slice(0, EFFORT))('nothing overflows and nothing is out of reach (%s, %i pixels wide)', async (colorScheme, width) => {
  await open('?q=thing+1', { width, height: 800 }, colorScheme);
  await row('Is thing 1 used?').locator('svg').waitFor();
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth)).toBe(true);
  expect(
    await page.evaluate(() =>
      [...document.querySelectorAll('.ask p, .ask a, .look p')]
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1 && clientWidth > 0)
        .map(({ textContent }) => textContent),
    ),
  ).toEqual([]);
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run());
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
});
