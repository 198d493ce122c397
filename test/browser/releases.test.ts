/** The page of releases in a real Chromium: cost and error are shown before anything is spent, and an answer is paid once. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choice, createTelemetry, defineSchema, memoryStorage } from '@murmuration/client';
import { type Collector, createCollector } from '@murmuration/collector';
import { dayNumber, dayText } from '@murmuration/shared';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAmount } from '#collector/release/budget/amount.ts';
import { setBudget, setTable } from '#collector/release/budget/budgets.ts';
import { createToken } from '#collector/storage/admin/credentials.ts';
import { openAdminDatabase } from '#collector/storage/admin/database.ts';
import { openSqliteLedger } from '#collector/storage/sqlite/release-ledger.ts';
import { launchChromium } from '../setup/chromium.ts';
import { watchedContext } from './context.ts';

const DAY_MS = 86_400_000;
const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 30, per: 'month' },
  segments: { platform: ['web', 'ios', 'android'] },
  metrics: { plan: choice(['free', 'pro'], { epsilon: 1, every: 'day', description: 'Which plan?' }) },
});
const epsilon = (text: string) => ({ unit: 'epsilon', amount: parseAmount(text, 'epsilon') }) as const;

let browser: Browser;
let data: string;
let collector: Collector;
let address: string;
let token: string;
beforeAll(async () => {
  browser = await launchChromium();
  data = await mkdtemp(join(tmpdir(), 'murmuration-releases-'));
  const open = await createCollector({ open: true, schemas: [schema.document], data });
  const endpoint = await open.listen(0, '127.0.0.1');
  for (let i = 0; i < 90; i++) {
    const now = (): number => Date.now() - (1 + (i % 3)) * DAY_MS;
    const platform = (['web', 'ios', 'android'] as const)[i % 3] as 'web';
    const telemetry = createTelemetry({
      schema,
      endpoint,
      segment: { platform },
      consent: 'granted',
      storage: memoryStorage(),
      clock: { now, after: () => () => {} },
    });
    telemetry.record('plan', 'free');
    await telemetry.flush();
  }
  await open.close();
  const database = openAdminDatabase(data);
  token = createToken(database, 'test', 'ann', 'analyst', []).secret;
  database.close();
  const ledger = openSqliteLedger(data);
  await setTable(ledger, 'test', 'notes', { limit: epsilon('2'), colluders: 'all', batchesPerDay: 8 });
  await setBudget(ledger, 'test', 'notes', 'ann', epsilon('1'));
  await ledger.close();
  collector = await createCollector({ schemas: [schema.document], data });
  address = await collector.listen(0, '127.0.0.1');
}, 120_000);
afterAll(async () => {
  await browser.close();
  await collector.close();
  await rm(data, { recursive: true });
});

/** The page of releases, after signing in at the dashboard. */
async function signedIn(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.goto(address);
  await page.getByLabel('Access token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(/releases\.html$/);
  return page;
}

const isTooWide = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);

test('an analyst who signs in at the dashboard is led to the releases, asks, pays once, and sees what is left', async () => {
  const { context, complaints } = await watchedContext(browser, { viewport: { width: 1100, height: 1400 } });
  const page = await signedIn(context);
  const expected = page.locator('.release-expected');
  await expect
    .poll(() => expected.textContent())
    .toMatch(
      /It costs ε 0\.1 for each device-day, of at most 1 report; ε 0\.7 for a device that reports on all 7 days\. You have ε 1 left\./,
    );
  await page.getByLabel('for each').selectOption('platform');
  await page.getByLabel('ε', { exact: true }).fill('0.5');
  await expect.poll(() => expected.textContent()).toMatch(/off by at most 6, .*none of them by more than \d+\. ?It costs ε 0\.5 /);
  await page.getByRole('button', { name: 'Ask for ε 0.5' }).click();
  await expect.poll(() => page.getByRole('alert').textContent()).toMatch(/^Answered, as entry 4 below\.$/);
  const rows = page.locator('article tbody tr');
  await expect.poll(() => rows.count()).toBe(3);
  // Noise of rate 1/2 is beyond 60 with a probability of 2 e^-30 a number.
  for (const text of await rows.locator('.release-number').allTextContents())
    expect(Math.abs(Number(text.replace('−', '-')) - 30)).toBeLessThan(60);
  await expect.poll(() => expected.textContent()).toContain('You have ε 0.5 left.');
  await page.getByRole('button', { name: 'Ask for ε 0.5' }).click();
  await expect.poll(() => page.getByRole('alert').textContent()).toBe('This was answered before, as entry 4 below, and cost nothing.');
  await page.getByRole('combobox', { name: 'what' }).selectOption('days');
  await page.getByLabel('ε', { exact: true }).fill('0.1');
  await expect
    .poll(() => expected.textContent())
    .toMatch(/Sums over ranges of days have a standard error of \d+, at worst \d+\. ?It costs ε 0\.1 /);
  await page.getByRole('button', { name: 'Ask for ε 0.1' }).click();
  await expect.poll(() => page.getByRole('img', { name: /^Reports by day, / }).count()).toBe(1);
  await expect.poll(() => page.locator('.release-days polyline').getAttribute('points')).toMatch(/^0\.0,[\d.]+( [\d.]+,[\d.]+){6}$/);
  await page.getByRole('combobox', { name: 'what' }).selectOption('share');
  await page.getByRole('combobox', { name: 'for each' }).selectOption('');
  await page.getByLabel('expected reports').fill('90');
  await expect
    .poll(() => expected.textContent())
    .toMatch(/In a group of 90 reports the share is off by at most [\d.]+\u00a0%, .*It costs ε 0\.1 /);
  await page.getByRole('button', { name: 'Ask for ε 0.1' }).click();
  await expect.poll(() => page.locator('.release-result').first().textContent()).toMatch(/^Share of platform \w+: [\d.]+.% \([\d.]+.% to /);
  await page.getByRole('combobox', { name: 'what' }).selectOption('association');
  await expect.poll(() => page.locator('.problem').textContent()).toMatch(/^Expected association: at least \d+ reports, .*, got 90\.$/);
  await page.getByLabel('expected reports').fill('1000000');
  await expect.poll(() => expected.textContent()).toMatch(/^The mean over [\d,]+ blocks of reports is off by at most 0\.\d\d, /);
  await page.getByRole('combobox', { name: 'what' }).selectOption('synthetic');
  await expect.poll(() => page.locator('.problem').textContent()).toMatch(/^Expected synthetic: a table whose stated error is below /);
  await page.getByLabel('version', { exact: true }).last().uncheck();
  await page.getByLabel('from', { exact: true }).fill(dayText(dayNumber(Date.now()) - 89));
  await page.getByLabel('ε', { exact: true }).fill('0.01');
  await page.getByLabel('expected reports').fill('20');
  await expect.poll(() => expected.textContent()).toMatch(/^For 20 reports, no number of a value or of two values is off by more than /);
  await page.getByLabel('from', { exact: true }).fill(dayText(dayNumber(Date.now()) - 7));
  await page.getByRole('combobox', { name: 'what' }).selectOption('count');
  await page.getByLabel('ε', { exact: true }).fill('0.6');
  await page.getByRole('button', { name: 'Ask for ε 0.6' }).click();
  await expect.poll(() => page.getByRole('alert').textContent()).toContain('ε 0.3 a day, got one of ε 0.6; nothing was spent');
  await page.getByLabel('from', { exact: true }).fill(dayText(dayNumber(Date.now()) + 1));
  await expect.poll(() => page.locator('.problem').textContent()).toMatch(/^Expected from: a day up to .*, got /);
  await expect.poll(() => page.locator('section').last().textContent()).toContain('ε 0.7 of ε 1');
  expect(await isTooWide(page)).toBe(false);
  await page.setViewportSize({ width: 380, height: 900 });
  expect(await isTooWide(page)).toBe(false);
  expect(complaints.filter((text) => !/40[013]/.test(text))).toEqual([]); // of requests that were refused
  await context.close();
}, 120_000);

test('the streams of an analyst are listed with their answers', async () => {
  const send = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${address}/v1/release/streams${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    return (await response.json()) as Record<string, unknown>;
  };
  const [from, to] = [dayText(dayNumber(Date.now()) - 9), dayText(dayNumber(Date.now()) - 8)]; // of which nothing was spent
  const stream = {
    app: 'notes',
    from,
    to,
    columns: ['platform', 'day'],
    epsilon: '1',
    queries: 20,
    about: 10_000,
    hard: 2,
    mechanism: 'weights',
  };
  const { stream: number } = await send('', { stream });
  expect(number).toEqual(expect.any(Number));
  const { value } = await send(`/${number}/ask`, { where: { platform: ['web', 'ios'] } });
  const { context, complaints } = await watchedContext(browser, { viewport: { width: 1100, height: 1400 } });
  const page = await signedIn(context);
  const article = page.locator('section[aria-labelledby=streams] article');
  await expect.poll(() => article.textContent()).toContain(`Stream ${number}: notes, `);
  await expect
    .poll(() => article.textContent())
    .toMatch(/ann may ask and paid ε 1 for each device-day\. 19 questions are left, and [12] of them may be hard\./);
  expect(await article.locator('tbody td').allTextContents()).toEqual(['platform ios or web', 'ann', `${value}`.replace('-', '−')]);
  expect(await isTooWide(page)).toBe(false);
  await page.setViewportSize({ width: 380, height: 900 });
  expect(await isTooWide(page)).toBe(false);
  expect(complaints.filter((text) => !/40[013]/.test(text))).toEqual([]);
  await context.close();
}, 120_000);
