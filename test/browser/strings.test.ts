/**
 * Cards of strings in a real Chromium: what is found and what is not told apart from chance, how much neither explains, how far a decode is,
 * and honest words where nothing can be said. The decodes are the test's own; everything else comes from a collector.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Collector, createCollector } from '@murmuration/collector';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { MetricStrings } from '#collector/answers/decoded-strings.ts';
import { NOW, sendTo } from '../kit/app.ts';
import { bodiesOf, list, schema } from '../kit/string-app.ts';
import { launchChromium } from '../setup/chromium.ts';
import { first } from '../setup/effort.ts';
import { watchedContext } from './context.ts';
import { type Between, startProxy } from './proxy.ts';

let browser: Browser;
let data: string;
let collector: Collector;
let proxy: Between;
let address: string;
/** The decodes that are asked for, and not answered. */
let asked: ServerResponse[];
let page: Page;
let complaints: readonly string[];

beforeAll(async () => {
  browser = await launchChromium();
  data = await mkdtemp(join(tmpdir(), 'murmuration-strings-'));
  collector = await createCollector({
    open: true,
    schemas: [schema.document],
    data,
    now: () => NOW,
    minimum: 1,
    candidates: { word: list },
  });
  const behind = await collector.listen(0, '127.0.0.1');
  await sendTo(behind, await bodiesOf(4)); // without reports, the page has no filters
  proxy = await startProxy(behind, (url, response) => {
    if (!url.includes('/decode')) return true;
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    asked.push(response);
    return false;
  });
  ({ address } = proxy);
});
afterAll(async () => {
  await browser.close();
  proxy.close();
  await collector.close();
  await rm(data, { recursive: true });
});

const about = {
  app: 'keys',
  metric: 'word',
  version: 1,
  type: 'text',
  mechanism: 'rappor',
  epsilon: 2,
  reports: 900,
  from: '2026-11-20',
  to: '2026-11-20',
  minimum: 20,
  fdr: 0.05,
  candidates: 3,
  indistinguishable: 0,
  watch: { pValue: 0.5 },
} satisfies Partial<MetricStrings>;

/** Instead of a text. */
const sought = { type: 'discover', mechanism: 'prefix-hashing' } as const;

const stringOf = (label: string, isFound: boolean, [low, typical, high]: readonly [number, number, number]) => ({
  ...{ answer: label, label, isFound, typical, low, high },
  ...{ estimate: typical, standardError: 0.03, pValue: 0.001, qValue: isFound ? 0.002 : 0.4 },
});

const decoded = {
  ...about,
  found: 2,
  outcome: 'decoded',
  meaning: '2 of the 3 strings on the list are told apart from chance.',
  unexplained: { estimate: 0.21, standardError: 0.02, low: 0.171, high: 0.249 },
  detectable: 0.05,
  verdict: { kind: 'lead', looks: 'always', answers: ['anchor'], interval: { low: 0.422, high: 0.578 } },
  distribution: { shares: [{ answer: 'anchor', label: 'anchor', share: 0.5 }], rest: 0.2, other: 0.3 },
  page: { total: 3, offset: 0, limit: 10_000 },
  strings: [
    stringOf('anchor', true, [0.45, 0.5, 0.55]),
    stringOf('basket', true, [0, 0.02, 0.061]),
    stringOf('nobody says this', false, [0, 0.01, 0.043]),
  ],
};

beforeEach(async () => {
  asked = [];
  const watched = await watchedContext(browser, { viewport: { width: 1280, height: 800 } });
  complaints = watched.complaints;
  page = await watched.context.newPage();
  await page.goto(`${address}questions/word`);
  await expect.poll(() => asked.length).toBe(1);
});
afterEach(async () => {
  await page.context().close();
  expect(complaints).toEqual([]);
});

const say = (event: string, what: object): void =>
  void (asked.at(-1) as ServerResponse).write(`event: ${event}\ndata: ${JSON.stringify(what)}\n\n`);
const answer = (what: object): void => {
  say('answer', what);
  (asked.at(-1) as ServerResponse).end();
};
const card = () => page.locator('.question');
const textOf = async (selector: string): Promise<string> =>
  ((await card().locator(selector).textContent()) ?? '').replaceAll('\u00a0', ' ');

test('while a decode runs, the card says how far it is', async () => {
  const status = card().locator('.decoding');
  say('progress', { stage: 'waiting' });
  await status.getByText('Waiting for the collector to be free…').waitFor();
  say('progress', { stage: 'hashing', done: 30_000, candidates: 120_000 });
  await status.getByText('Preparing 120,000 strings to look for…').waitFor();
  expect(await status.locator('progress').evaluate((bar: HTMLProgressElement) => bar.position)).toBe(0.25);
  say('progress', { stage: 'decoding', candidates: 120_000, steps: 0 });
  await status.getByText('Looking for 120,000 strings in the reports…').waitFor();
  expect(await status.locator('.note').count()).toBe(0);
  say('progress', { stage: 'decoding', candidates: 120_000, steps: 48 });
  await status.getByText('Step 48').waitFor();
  answer(decoded);
  await card().locator('.chart').waitFor();
  expect(await status.count()).toBe(0);
});

test.each([1280, 360])('strings that are found stand apart from the others, and what neither explains is said (%i px)', async (width) => {
  await page.setViewportSize({ width, height: 800 });
  answer(decoded);
  await card().locator('.chart').waitFor();
  expect(await textOf('.verdict >> nth=0')).toBe('anchor leads: between 42.2 % and 57.8 %.');
  expect(await textOf('.verdict >> nth=1')).toBe(decoded.meaning);
  const rows = (await card().locator('.bars li').allTextContents()).map((text) => text.replaceAll('\u00a0', ' '));
  expect(rows).toEqual(['anchor50.0 % ± 5.0', 'basketat most 6.1 %', 'Not told apart from chance', 'nobody says thisat most 4.3 %']);
  expect(await textOf('.rest')).toBe(
    'Everything else: 21.0 % ± 3.9Strings that are on no list, and listed ones that are too rare to find.',
  );
  const isTooWide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
  expect(isTooWide).toBe(false);
});

/** Opens all details, once they are there. */
async function openDetails(): Promise<void> {
  const summaries = card().locator('.details summary');
  await summaries.first().waitFor();
  for (const summary of await summaries.all()) await summary.click();
}

test.each(first(['light', 'dark'] as const))(
  'axe finds nothing wrong with a card, its details and its progress (%s)',
  async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    const check = async (): Promise<void> => {
      const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run('.question'));
      expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
    };
    await page.evaluate(axe.source);
    say('progress', { stage: 'decoding', candidates: 3, steps: 8 });
    await card().locator('.decoding').waitFor();
    await check();
    answer(decoded);
    await openDetails();
    await card().locator('.whole').waitFor();
    await check();
  },
);

test('the whole distribution is in the details, as another answer', async () => {
  answer(decoded);
  await openDetails();
  await expect.poll(() => textOf('.whole h4')).toBe('What does the whole look like?');
  await expect.poll(() => card().locator('.whole td').allTextContents()).toEqual(['50.0\u00a0%', '20.0\u00a0%', '30.0\u00a0%']);
  expect(await card().locator('.table-frame tbody tr').last().locator('td').allTextContents()).toContain('not found');
});

test.each([
  ['not-enough-data', 'Not enough reports.', 'It needs more reports, not a longer list.'],
  ['too-few-reports', '', '900 came, and estimates are shown from 1,000 on.'],
  ['no-candidates', '', 'no candidates to look for'],
] as const)('%s is said in words, without a chart', async (outcome, verdict, quiet) => {
  const minimum = outcome === 'too-few-reports' ? 1_000 : 20;
  const meaning = 'Not enough reports.';
  answer({ ...about, minimum, outcome, meaning, found: 0, strings: [], page: { total: 0, offset: 0, limit: 10_000 } });
  await card()
    .locator('.quiet')
    .getByText(quiet)
    .or(card().locator('.quiet', { hasText: quiet }))
    .first()
    .waitFor();
  if (verdict) expect(await textOf('.verdict')).toBe(verdict);
  else expect(await card().locator('.verdict').count()).toBe(0);
  expect(await card().locator('.chart').count()).toBe(0);
});

test('overload is said beside what was found', async () => {
  const meaning = 'More strings are common than these reports can tell apart.';
  answer({ ...decoded, outcome: 'overloaded', meaning });
  await card().locator('.verdict', { hasText: meaning }).waitFor();
  expect(await card().locator('.bars .row').count()).toBe(3);
});

test('a long list is folded, and says how many of all strings it shows', async () => {
  const others = Array.from({ length: 20 }, (_, i) => stringOf(`other ${i}`, false, [0, 0, 0.04]));
  answer({ ...decoded, candidates: 120_000, strings: [...decoded.strings, ...others] });
  const button = card().getByRole('button', { name: 'Show 23 of 120,000' });
  await button.waitFor();
  expect(await card().locator('.bars .row').count()).toBe(12);
  await button.click();
  await expect.poll(() => card().locator('.bars .row').count()).toBe(23);
});

test('while other reports are decoded, the card keeps what it had; a decode that is not wanted any more ends', async () => {
  answer(decoded);
  await card().locator('.chart').waitFor();
  const choose = (platform: string): Promise<void> => page.locator('.filters').getByText(platform, { exact: true }).click();
  await choose('web');
  await expect.poll(() => asked.length).toBe(2);
  const ended = new Promise((resolve) => asked[1]?.once('close', resolve));
  say('progress', { stage: 'decoding', candidates: 3, steps: 8 });
  await card().locator('.decoding').getByText('Looking for 3 strings').waitFor();
  expect(await card().locator('.outdated .chart').count()).toBe(1);
  await choose('ios');
  await expect.poll(() => asked.length).toBe(3);
  expect(asked.map(({ req }) => /segment.platform=(\w+)/.exec(req.url ?? '')?.[1])).toEqual([undefined, 'web', 'ios']);
  await ended;
  answer(decoded);
  await card().locator('.outdated').first().waitFor({ state: 'detached' });
});

test('a refusal is said, and asked again', async () => {
  say('refusal', { status: 503, error: 'busy', expected: 'at most 50 estimates that wait', got: 'more; try again later' });
  (asked.at(-1) as ServerResponse).end();
  await card().getByText('Trying again.').waitFor();
  await expect.poll(() => asked.length).toBe(2);
  answer(decoded);
  await card().locator('.chart').waitFor();
});

test('a list that is too long to be decoded is shown as estimates, with a word of warning', async () => {
  say('refusal', { status: 400, error: 'too-many-candidates', expected: 'at most 4096 strings', got: '5000' });
  (asked.at(-1) as ServerResponse).end();
  await card().getByText('The list is too long to be tested as a whole').waitFor();
  expect(await card().locator('.bars .row').count()).toBe(list.length > 13 ? 12 : list.length);
});

test('a page that is closed ends its decode', async () => {
  const [response] = asked as [ServerResponse];
  expect(response.closed).toBe(false);
  await page.close();
  await expect.poll(() => response.closed).toBe(true);
  expect([response.writableEnded, asked.length]).toEqual([false, 1]); // the page ended it, not the collector, and nobody asks again
});

test('strings that nobody listed: how far the search is, what it found, and how much is left', async () => {
  await page.route('**/v1/metrics?*', async (route) => {
    const response = await route.fetch({ headers: {} }); // the whole list, and no 304
    const { metrics, ...rest } = (await response.json()) as { readonly metrics: readonly object[] };
    await route.fulfill({ response, json: { ...rest, metrics: metrics.map((each) => ({ ...each, ...sought })) } });
  });
  await page.goto(`${address}questions/word`);
  await expect.poll(() => asked.length).toBe(2);
  const status = card().locator('.decoding');
  say('progress', { stage: 'searching', search: 1, found: 0, length: 4, longest: 16, kept: 8_192 });
  await status.getByText('Looking for strings…').waitFor();
  await status.getByText('4 of 16 bytes, 8,192 beginnings still possible').waitFor();
  expect(await status.locator('progress').evaluate((bar: HTMLProgressElement) => bar.position)).toBe(0.25);
  say('progress', { stage: 'searching', search: 2, found: 3, length: 1, longest: 16, kept: 500 });
  await status.getByText('3 strings found. Looking for more…').waitFor();
  const meaning = '2 strings are told apart from chance, without a list.';
  const [first, second] = decoded.strings;
  answer({ ...decoded, ...sought, candidates: 0, meaning, distribution: undefined, strings: [first, { ...second, isCut: true }] });
  await card().locator('.chart').waitFor();
  expect(await card().locator('.bars .row-label').allTextContents()).toEqual(['anchor', 'basket…']);
  expect(await textOf('.rest')).toBe('Everything else: 21.0 % ± 3.9Strings that are each too rare to be told apart from chance.');
});

test('where no string is frequent enough, the card says what it would take', async () => {
  answer({ ...decoded, found: 0, meaning: 'No string is frequent enough.', detectable: 0.123, strings: [] });
  await card().locator('.quiet').getByText('From 900 reports, a string is found half of the time if 12.3').waitFor();
  expect(await card().locator('.chart').count()).toBe(0);
});
