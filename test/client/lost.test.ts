/** A ledger that is lost while `localStorage` stays: it counts as spent, the person is asked again, and nothing renews it. */

import { defineSchema, flag, type Schema } from '@murmuration/client';
import { describe, expect, test } from 'vitest';
import { parseState } from '#client/ledger/state.ts';
import { type Device, type DeviceOptions, device, FIRST_DAY, reportsOf, results, settle, timeOf } from './device.ts';
import { type Browser, modelBrowser } from './model-storage.ts';

const ask = { epsilon: 1, description: 'a question' };
const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 60, per: 'month' },
  metrics: {
    dark: flag(ask),
    wide: flag({ ...ask, every: 'week' }),
    once: flag({ ...ask, every: 'once' }),
    seen: flag({ ...ask, every: 'week', otherwise: false }),
  },
});
type Metrics = typeof schema extends Schema<infer M> ? M : never;
const KEY = 'murmuration:notes';
const MARK = `${KEY}:spent`;
let seeds = 0;

/** A visit of a page that begins on a day. */
const visit = (browser: Browser, day = 0, options: DeviceOptions<Metrics> = {}) =>
  device(schema, { storage: browser.open(), consent: 'ask', seed: ++seeds, time: { now: timeOf(day) }, ...options });
const stored = (browser: Browser) => parseState(browser.stored(KEY) ?? '');
const sent = (pages: readonly Device<Metrics>[], metric: string): number =>
  reportsOf(
    pages.flatMap((page) => page.batches()),
    metric,
  );

/** A browser whose person agreed, and answered on a day. */
const used = async (day = 0): Promise<readonly [Browser, Device<Metrics>]> => {
  const browser = modelBrowser();
  const page = visit(browser, day);
  page.telemetry.consent.grant();
  page.telemetry.record('dark', true);
  await page.telemetry.close();
  return [browser, page];
};

describe('a ledger that is deleted between two visits', () => {
  test('is not restored with its grant: nothing is recorded or sent until the person agrees again', async () => {
    const [browser] = await used();
    browser.evict();
    const page = visit(browser);
    expect(page.telemetry.consent.state).toBe('unknown');
    page.telemetry.record('dark', true);
    await settle();
    expect(page.telemetry.consent.state).toBe('ask');
    page.telemetry.record('dark', true);
    await page.telemetry.flush();
    await page.live(600_000);
    expect([results(page.outcomes), page.uploads, stored(browser)?.outbox]).toEqual([
      ['storage-reset', 'no-consent', 'no-consent'],
      [],
      [],
    ]);
  });

  test('has one report of a slot, however often it is deleted and the app grants at each load', async () => {
    const [browser, first] = await used();
    const pages = [first];
    for (let day = 0; day < 30; day++) {
      browser.evict();
      const page = visit(browser, day);
      page.telemetry.consent.grant();
      for (const metric of ['dark', 'wide', 'once', 'seen'] as const) page.telemetry.record(metric, true);
      await page.telemetry.flush();
      await page.live(600_000);
      await page.telemetry.close();
      pages.push(page);
    }
    expect(['dark', 'wide', 'once', 'seen'].map((metric) => sent(pages, metric))).toEqual([1, 0, 0, 0]);
  });

  test('counts as spent until its own window ends: another deletion extends nothing', async () => {
    const [browser] = await used();
    for (const day of [0, 10, 20, 29]) {
      browser.evict();
      const page = visit(browser, day);
      page.telemetry.consent.grant();
      page.telemetry.record('dark', true);
      await page.telemetry.close();
      expect(results(page.outcomes).filter((result) => result !== 'begun')).toEqual(['storage-reset', 'already-answered']);
      expect(stored(browser)?.accounts).toMatchObject({ dark: { day: FIRST_DAY, spent: [{ epsilon: 60 }] } });
    }
    browser.evict();
    const page = visit(browser, 30);
    page.telemetry.consent.grant();
    await settle();
    page.telemetry.record('dark', true);
    page.telemetry.record('once', true);
    await page.telemetry.close();
    expect(results(page.outcomes)).toEqual(['storage-reset', 'begun', 'already-answered', 'recorded', 'delivered']);
  });

  test('is told of once, and its tombstone stays', async () => {
    const [browser] = await used();
    browser.evict();
    const one = visit(browser);
    await one.telemetry.close();
    const other = visit(browser);
    await other.telemetry.close();
    expect([one, other].map(({ outcomes }) => results(outcomes))).toEqual([['storage-reset'], []]);
    expect(stored(browser)).toMatchObject({ decision: 8, accounts: { once: { day: FIRST_DAY } } });
  });

  test('leaves a refusal that `localStorage` remembers, and what nobody asked for refused', async () => {
    const [browser] = await used();
    const page = visit(browser);
    await settle();
    page.telemetry.consent.deny();
    await page.telemetry.close();
    browser.evict();
    const denied = visit(browser);
    await settle();
    expect(denied.telemetry.consent.state).toBe('denied');

    const [another] = await used();
    another.evict();
    const unasked = visit(another, 0, { consent: 'granted' });
    await settle();
    expect(unasked.telemetry.consent.state).toBe('denied');
  });

  test('in which nothing was claimed is a new one', async () => {
    const browser = modelBrowser();
    const empty = defineSchema({ app: 'notes', version: 1, budget: { epsilon: 60, per: 'month' }, metrics: { dark: flag(ask) } });
    const first = device(empty, { storage: browser.open(), consent: 'ask' });
    first.telemetry.consent.grant();
    await first.telemetry.close();
    browser.evict();
    const next = device(empty, { storage: browser.open(), consent: 'ask', seed: 2 });
    await settle();
    expect([next.telemetry.consent.state, results(next.outcomes)]).toEqual(['ask', []]);
    next.telemetry.consent.grant();
    next.telemetry.record('dark', true);
    await settle();
    expect(results(next.outcomes)).toEqual(['recorded']);
  });
});

test('neither a first refusal nor a first grant that was never stored is a lost ledger', async () => {
  const browser = modelBrowser();
  visit(browser).telemetry.consent.deny();
  await settle();
  const page = visit(browser);
  await settle();
  expect([page.telemetry.consent.state, results(page.outcomes)]).toEqual(['denied', []]);

  const other = modelBrowser();
  const storage = other.open();
  storage.fate = 'rejects';
  const failing = visit(other, 0, { storage });
  failing.telemetry.consent.grant();
  await settle();
  const next = visit(other);
  await settle();
  expect([next.telemetry.consent.state, results(next.outcomes), other.spilled().size]).toEqual(['ask', [], 0]);
});

test('after a reset nothing is remembered that could be lost', async () => {
  const [browser] = await used();
  const page = visit(browser);
  await settle();
  await page.telemetry.reset?.();
  await page.telemetry.close();
  browser.evict();
  const next = visit(browser);
  await settle();
  expect([browser.spilled().get(MARK), results(next.outcomes)]).toEqual([undefined, []]);
});

test('`localStorage` holds no agreement, and one that stands there counts for nothing', async () => {
  const [browser] = await used();
  expect([browser.spilled().get(`${KEY}:consent`), browser.spilled().get(MARK)]).toEqual(['4', String(FIRST_DAY)]);
  const other = modelBrowser();
  other.open().spill?.setItem(`${KEY}:consent`, '{"count":9,"value":"granted"}');
  const page = visit(other);
  await settle();
  expect(page.telemetry.consent.state).toBe('ask');
});

test('a ledger that another tab deleted is asked for again in every open tab, and no slot begins again', async () => {
  const browser = modelBrowser();
  const time = { now: timeOf(0) };
  const [one, other] = [visit(browser, 0, { time }), visit(browser, 0, { time })];
  await settle();
  one.telemetry.consent.grant();
  await settle();
  one.telemetry.record('dark', true);
  await one.telemetry.flush();
  browser.evict();
  await other.telemetry.look();
  await settle();
  expect([one.telemetry.consent.state, other.telemetry.consent.state]).toEqual(['ask', 'ask']);
  for (const page of [one, other]) {
    page.telemetry.consent.grant();
    page.telemetry.record('dark', true);
    await page.telemetry.flush();
    await page.live(600_000);
  }
  expect(sent([one, other], 'dark')).toBe(1);
});

test('a worker, which has no `localStorage`, restores no grant either', async () => {
  const browser = modelBrowser({ hasSpill: false });
  const first = visit(browser);
  await settle();
  first.telemetry.consent.grant();
  first.telemetry.record('dark', true);
  await first.telemetry.flush();
  browser.evict();
  const next = visit(browser);
  await settle();
  expect([first.telemetry.consent.state, next.telemetry.consent.state]).toEqual(['granted', 'ask']);
  await first.telemetry.look();
  expect(first.telemetry.consent.state).toBe('ask');
});

test('a record that nobody may notice does not restore a deleted ledger, nor fail', async () => {
  const browser = modelBrowser();
  const page = visit(browser);
  await settle();
  page.telemetry.consent.grant();
  await settle();
  browser.evict();
  page.telemetry.record('seen', true);
  await settle();
  expect([browser.stored(KEY), page.telemetry.consent.state]).toEqual([undefined, 'granted']);
  expect(results(page.outcomes.slice(-1))).toEqual(['begun']);
});
