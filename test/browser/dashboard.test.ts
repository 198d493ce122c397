/** The dashboard in a real Chromium: no figure that it shows claims more than the API's intervals, and nothing overflows, wide or narrow. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { choice, count, createTelemetry, defineSchema, distribution, flag, mean, memoryStorage } from '@murmuration/client';
import { seededRng } from '@murmuration/client/testing';
import { type Collector, createCollector, type MetricEstimates } from '@murmuration/collector';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launchChromium } from '../setup/chromium.ts';
import { watchedContext } from './context.ts';

const DEVICES = 150;
const DAY = 86_400_000;
const ask = { epsilon: 4, every: 'day' } as const;
const UNBROKEN = 'unbroken'.repeat(25);
const schema = defineSchema({
  app: 'shown'.padEnd(64, 'n'),
  version: 1,
  budget: { epsilon: 1000, per: 'month' },
  segments: { platform: ['web', UNBROKEN] },
  metrics: {
    dark: flag({ ...ask, epsilon: 8, description: 'Is dark mode on?' }),
    wait: mean([0, 5000], { ...ask, unit: 'ms', description: 'How long is the wait?' }),
    start: distribution([0, 100], { ...ask, description: 'How long does a start take?' }),
    opened: count(1_500, { ...ask, epsilon: 0.001, unit: 'minutes', description: 'How long was the app open?' }),
    long: choice([UNBROKEN, 'b', 'c'], { ...ask, epsilon: 8, owner: UNBROKEN, description: UNBROKEN }),
    seen: flag({ epsilon: 8, every: 'once', description: 'Was the tour seen?' }),
  },
});
type Name = keyof typeof schema.questions;

let browser: Browser;
let data: string;
let collector: Collector;
let address: string;
beforeAll(async () => {
  browser = await launchChromium();
  data = await mkdtemp(join(tmpdir(), 'murmuration-dashboard-'));
  collector = await createCollector({ open: true, schemas: [schema.document], data, minimum: 20 });
  address = await collector.listen(0, '127.0.0.1');
  for (let i = 0; i < 2 * DEVICES; i++) {
    const now = (): number => Date.now() - (i % 2) * DAY;
    const telemetry = createTelemetry({
      schema,
      endpoint: address,
      segment: { platform: 'web' },
      consent: 'granted',
      storage: memoryStorage(),
      rng: seededRng(i),
      clock: { now, after: () => () => {} },
    });
    telemetry.record('dark', i % 3 === 0);
    telemetry.record('wait', (i * 37) % 2000);
    telemetry.record('opened', i % 30);
    telemetry.record('start', (i * 7) % 60);
    telemetry.record('long', i % 2 === 0 ? UNBROKEN : 'b'); // 'c' lies about zero, on either side of it
    telemetry.record('seen', i % 2 === 0);
    await telemetry.flush();
  }
});
afterAll(async () => {
  await browser.close();
  await collector.close();
  await rm(data, { recursive: true });
});

const estimatesOf = async (name: Name): Promise<MetricEstimates> =>
  (await (await fetch(`${address}/v1/metrics/${name}/estimates`)).json()) as MetricEstimates;

/** The numbers of a text, in its order. */
const numbersIn = (text: string | null): readonly number[] =>
  [
    ...(text ?? '')
      .replaceAll('\u2212', '-')
      .replaceAll(',', '')
      .matchAll(/-?\d+(?:\.\d+)?/g),
  ].map(([number]) => Number(number));

type Interval = NonNullable<NonNullable<MetricEstimates['verdict']>['interval']>;

/** Both figures reach as far as the interval; and one of them no more than a fifth of its half further, for an interval need not be even. */
function expectHeld([low, high]: readonly [number, number], interval: Interval, scale: number): void {
  expect(low).toBeLessThanOrEqual(scale * interval.low + 1e-9);
  expect(high).toBeGreaterThanOrEqual(scale * interval.high - 1e-9);
  const further = Math.min(scale * interval.low - low, high - scale * interval.high);
  expect(further).toBeLessThan(0.1 * scale * (interval.high - interval.low));
}

const aroundOf = ([middle, margin]: readonly number[]): readonly [number, number] => [
  (middle as number) - (margin as number),
  (middle as number) + (margin as number),
];

describe('on the page of a question', () => {
  let page: Page;
  let complaints: readonly string[];
  beforeAll(async () => {
    const watched = await watchedContext(browser);
    complaints = watched.complaints;
    page = await watched.context.newPage();
  });
  afterAll(async () => {
    await page.context().close();
    expect(complaints).toEqual([]);
  });

  /** Opens a question with its shares, its table and its details. */
  async function open(name: Name): Promise<void> {
    await page.goto(`${address}/questions/${name}?picture=shares`);
    for (const part of ['.table-frame', '.details .facts']) {
      await page.locator('.details:not([open]) summary').first().click();
      await page.locator(part).waitFor();
    }
    await page.locator('.loading, .outdated').waitFor({ state: 'detached' });
  }
  const textOf = (part: string): Promise<string | null> => page.locator(part).first().textContent();

  test('what is shown with an estimate holds its interval', async () => {
    const { answers, verdict } = await estimatesOf('dark');
    const yes = answers.find(({ answer }) => answer === true) as (typeof answers)[number];
    await open('dark');
    expectHeld(aroundOf(numbersIn(await textOf('.row-value'))), yes, 100);
    expectHeld(numbersIn(await textOf('.verdict')) as [number, number], verdict?.interval as Interval, 100);
    const cells = await page.locator('tbody tr').first().locator('td').allTextContents();
    expectHeld(numbersIn(cells[2] as string) as [number, number], yes, 100);
    expect(numbersIn(cells[1] as string)[0]).toBeGreaterThanOrEqual(100 * yes.standardError);

    const waits = await estimatesOf('wait');
    const wait = waits.answers[0] as (typeof answers)[number];
    await open('wait');
    expectHeld(aroundOf(numbersIn(await page.locator('.value-estimate, .value-margin').allTextContents().then(String))), wait, 1);
    expectHeld(numbersIn(await textOf('.verdict')) as [number, number], waits.verdict?.interval as Interval, 1);

    const { mean } = (await estimatesOf('start')).distribution as NonNullable<MetricEstimates['distribution']>;
    await open('start');
    const [, , low, high] = numbersIn(await textOf('.density dd'));
    expectHeld([low as number, high as number], mean, 1);
  });

  test('shares are those of reports, and it says where one device may have several', async () => {
    const several = 'In these days a device may answer up to 2 times, and each report counts.';
    await open('dark');
    expect(await textOf('.question-head .evidence')).toContain(`estimates of all users · safe to look at every day${several}`);
    await open('seen');
    expect(await textOf('.question-head .evidence')).not.toContain('a device may answer');
  });

  test('numbers have their unit, and shares that cannot be are explained', async () => {
    await open('wait');
    expect(await textOf('.verdict')).toMatch(/ ms\.$/);
    expect(await textOf('.value-margin')).toMatch(/\d ms$/);
    expect(await textOf('.evidence')).toContain('in ms');
    await open('opened');
    expect(await textOf('.verdict')).toBe('Not enough reports yet to tell.');
    await open('start');
    expect(await textOf('.verdict')).toMatch(/\d\.$/);
    for (const name of ['dark', 'long'] as const) {
      const isOutside = (await estimatesOf(name)).answers.some(({ estimate }) => estimate < 0 || estimate > 1);
      await open(name);
      expect(await page.locator('.facts dt', { hasText: 'below 0' }).count()).toBe(isOutside ? 1 : 0);
    }
  });

  test('without a filter, a list that is newer than the estimates does not make them look like a part', async () => {
    await open('dark');
    expect(await textOf('.evidence')).toMatch(/^300 reports/);
    let lists = 0;
    await page.route(/\/v1\/metrics(\?|$)/, async (route) => {
      const { 'if-none-match': _tag, ...asked } = route.request().headers();
      const answer = await route.fetch({ headers: asked });
      const list = (await answer.json()) as { readonly metrics: readonly { readonly reports: number }[] };
      lists++;
      const metrics = list.metrics.map((each) => ({ ...each, reports: each.reports + 1 }));
      await route.fulfill({ response: answer, json: { ...list, metrics } });
    });
    await expect.poll(() => lists).toBeGreaterThan(1);
    expect(await textOf('.evidence')).toMatch(/^300 reports/);
    await page.unroute(/\/v1\/metrics(\?|$)/);
  });

  test.each([1280, 360])('nothing overflows at a width of %i pixels', async (width) => {
    await page.setViewportSize({ width, height: 800 });
    for (const name of Object.keys(schema.questions) as Name[]) {
      await open(name);
      const tooWide = await page.evaluate(() => [
        ...(document.documentElement.scrollWidth > document.documentElement.clientWidth ? ['the page'] : []),
        ...[...document.querySelectorAll('.row-label, .row-value, .value, .verdict, .evidence, .facts dd, .density')]
          .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
          .map(({ textContent }) => textContent),
      ]);
      expect([name, tooWide]).toEqual([name, []]);
    }
  });
});
