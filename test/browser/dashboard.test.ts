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

describe.each([
  ['wide', 1280],
  ['narrow', 360],
])('on a %s page', (_, width) => {
  let page: Page;
  let complaints: readonly string[];
  beforeAll(async () => {
    const watched = await watchedContext(browser, { viewport: { width, height: 800 } });
    complaints = watched.complaints;
    page = await watched.context.newPage();
    await page.goto(address);
    // The cards fill in any order, as their estimates come.
    for (const name of Object.keys(schema.questions) as Name[]) {
      await card(name).locator('.details summary').click();
      await card(name).locator('.table-frame').waitFor();
    }
  });
  afterAll(async () => {
    await page.context().close();
    expect(complaints).toEqual([]);
  });
  const card = (name: Name) => page.locator('.card', { has: page.locator('.tag-name', { hasText: new RegExp(`^${name}$`) }) });

  test('what is shown with an estimate holds its interval', async () => {
    const { answers, verdict } = await estimatesOf('dark');
    const yes = answers.find(({ answer }) => answer === true) as (typeof answers)[number];
    expectHeld(aroundOf(numbersIn(await card('dark').locator('.row-value').first().textContent())), yes, 100);
    expectHeld(numbersIn(await card('dark').locator('.verdict').textContent()) as [number, number], verdict?.interval as Interval, 100);
    const cells = await card('dark').locator('tbody tr').first().locator('td').allTextContents();
    expectHeld(numbersIn(cells[2] as string) as [number, number], yes, 100);
    expect(numbersIn(cells[1] as string)[0]).toBeGreaterThanOrEqual(100 * yes.standardError);

    const waits = await estimatesOf('wait');
    const wait = waits.answers[0] as (typeof answers)[number];
    expectHeld(aroundOf(numbersIn(await card('wait').locator('.value-estimate, .value-margin').allTextContents().then(String))), wait, 1);
    expectHeld(numbersIn(await card('wait').locator('.verdict').textContent()) as [number, number], waits.verdict?.interval as Interval, 1);

    const { mean } = (await estimatesOf('start')).distribution as NonNullable<MetricEstimates['distribution']>;
    const [, , low, high] = numbersIn(await card('start').locator('.density dd').first().textContent());
    expectHeld([low as number, high as number], mean, 1);
  });

  test('shares are those of reports, and it says where one device may have several', async () => {
    expect(await page.locator('.lede').textContent()).toContain('estimated share of all users');
    expect(await card('dark').locator('.evidence').textContent()).toContain(
      'In these days a device may answer up to 2 times, and each report counts.',
    );
    expect(await card('seen').locator('.evidence').textContent()).not.toContain('a device may answer');
  });

  test('numbers have their unit, and shares that cannot be are explained', async () => {
    expect(await card('wait').locator('.verdict').textContent()).toMatch(/ ms\.$/);
    expect(await card('opened').locator('.verdict').textContent()).toBe('On average anything from 0 to 1,500 minutes.');
    expect(await card('wait').locator('.value-margin').textContent()).toMatch(/\d ms$/);
    expect(await card('wait').locator('.evidence').textContent()).toContain('in ms');
    expect(await card('start').locator('.verdict').textContent()).toMatch(/\d\.$/);
    for (const name of ['dark', 'long'] as const) {
      const isOutside = (await estimatesOf(name)).answers.some(({ estimate }) => estimate < 0 || estimate > 1);
      expect(await card(name).locator('.facts dt', { hasText: 'below 0' }).count()).toBe(isOutside ? 1 : 0);
    }
  });

  test('without a filter, a list that is newer than the estimates does not make them look like a part', async () => {
    const evidence = card('dark').locator('.evidence');
    expect(await evidence.textContent()).toMatch(/^300 reports/);
    const all = page.locator('.summary dd').first();
    const shown = (await all.textContent()) ?? '';
    await page.route(/\/v1\/metrics(\?|$)/, async (route) => {
      const answer = await route.fetch();
      const list = (await answer.json()) as { readonly metrics: readonly { readonly reports: number }[] };
      const metrics = list.metrics.map((each) => ({ ...each, reports: each.reports + 1 }));
      await route.fulfill({ response: answer, json: { ...list, metrics } });
    });
    await expect.poll(() => all.textContent(), { timeout: 30_000 }).not.toBe(shown);
    expect(await evidence.textContent()).toMatch(/^300 reports/);
    await page.unroute(/\/v1\/metrics(\?|$)/);
    await expect.poll(() => all.textContent(), { timeout: 30_000 }).toBe(shown);
  });

  test('nothing overflows', async () => {
    const tooWide = await page.evaluate(() => [
      ...(document.documentElement.scrollWidth > document.documentElement.clientWidth ? ['the page'] : []),
      ...[...document.querySelectorAll('.row-value, .value, .verdict, .evidence, .facts dd, .density')]
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
        .map(({ textContent }) => textContent),
    ]);
    expect(tooWide).toEqual([]);
  });
});
