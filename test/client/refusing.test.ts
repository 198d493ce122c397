/** A refusal reaches contexts that read no `localStorage`, though its page is gone at once and the ledger is held by another transaction. */

import { createTelemetry, defineSchema, flag, memoryStorage, type Storage } from '@murmuration/client';
import { expect, test } from 'vitest';
import { parseState } from '#client/ledger/state.ts';
import { type DeviceOptions, device, results, settle, timeOf } from './device.ts';
import { type Browser, modelBrowser } from './model-storage.ts';

const ask = { epsilon: 1, description: 'a question' };
const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 60, per: 'month' },
  metrics: { dark: flag(ask), wide: flag({ ...ask, every: 'week' }), seen: flag({ ...ask, every: 'day', otherwise: false }) },
});
const KEY = 'murmuration:notes';
const time = { now: timeOf(0) };
let seeds = 0;

type Options = DeviceOptions<(typeof schema)['questions']>;
const open = (storage: Storage, options: Partial<Options> = {}) =>
  device(schema, { storage, consent: 'ask', seed: ++seeds, time, ...options });
/** A worker's storage: as a page's, but nothing tells what another context has written. */
const workerOf = (browser: Browser) => Object.assign(browser.open(), { spill: undefined, watch: undefined }) as ReturnType<Browser['open']>;
const outboxOf = (browser: Browser): number | undefined => parseState(browser.stored(KEY) ?? '')?.outbox.length;

/** A page whose person agreed, and a worker beside it that knows. */
async function pair() {
  const browser = modelBrowser();
  const [pages, works] = [browser.open(), workerOf(browser)];
  const page = open(pages);
  await settle();
  page.telemetry.consent.grant();
  await settle();
  const worker = open(works);
  await settle();
  expect(worker.telemetry.consent.state).toBe('granted');
  return { browser, pages, works, page, worker };
}
/** Holds the ledger until the result is called. */
async function hold(browser: Browser): Promise<() => Promise<void>> {
  const holder = browser.open();
  holder.fate = 'stops before the write';
  void holder.transact(KEY, () => ({ next: undefined, result: undefined }));
  await settle();
  return async () => {
    holder.go();
    for (let i = 0; i < 5; i++) await settle();
  };
}

test('a worker records nothing after a refusal, though its page is left and the ledger is held', async () => {
  const { browser, page, worker } = await pair();
  const release = await hold(browser);
  page.telemetry.consent.deny();
  page.leave();
  await settle();
  worker.telemetry.record('dark', true);
  await release();
  await worker.telemetry.flush();
  await worker.live(600_000);
  expect(worker.outcomes.filter(({ metric }) => metric === 'dark').map(({ result }) => result)).toEqual(['no-consent']);
  expect([worker.telemetry.consent.state, worker.uploads, outboxOf(browser)]).toEqual(['denied', [], 0]);
});

test('a worker sends nothing that waited before a refusal', async () => {
  const { browser, page, worker } = await pair();
  worker.telemetry.record('dark', true);
  await settle();
  const release = await hold(browser);
  page.telemetry.consent.deny();
  page.leave();
  await settle();
  const flushed = worker.telemetry.flush();
  await release();
  await flushed;
  await worker.live(600_000);
  expect([worker.uploads, outboxOf(browser)]).toEqual([[], 0]);
});

test.each(['stops before the write', 'stops after the write'] as const)(
  'what a worker claims while the person refuses is erased, and not sent: its transaction %s',
  async (fate) => {
    const { browser, page, works, worker } = await pair();
    works.fate = fate;
    worker.telemetry.record('dark', true);
    await settle();
    works.fate = 'completes';
    page.telemetry.consent.deny();
    page.leave();
    await settle();
    works.go();
    for (let i = 0; i < 5; i++) await settle();
    await worker.telemetry.flush();
    await worker.live(600_000);
    expect([worker.telemetry.consent.state, worker.uploads, outboxOf(browser)]).toEqual(['denied', [], 0]);
    expect(worker.outcomes.filter(({ metric }) => metric === 'dark').map(({ result }) => result)).toEqual(['recorded', 'no-consent']);
  },
);

test('a worker that starts after a refusal begins no slot, and erases what waits', async () => {
  const { browser, page } = await pair();
  page.telemetry.record('dark', true);
  await settle();
  expect(outboxOf(browser)).toBe(2);
  const accounts = () => parseState(browser.stored(KEY) ?? '')?.accounts;
  const before = accounts();
  const release = await hold(browser);
  page.telemetry.consent.deny();
  page.leave();
  await release();
  const worker = open(workerOf(browser), { time: { now: timeOf(3) } });
  await settle();
  await settle();
  expect([worker.telemetry.consent.state, worker.uploads, outboxOf(browser), accounts()]).toEqual(['denied', [], 0, before]);
});

test('agreeing again counts everywhere, and the older refusal is history', async () => {
  const { browser, page, worker } = await pair();
  page.telemetry.consent.deny();
  page.telemetry.consent.grant();
  await settle();
  worker.telemetry.record('dark', true);
  await worker.telemetry.flush();
  expect([browser.noted(), worker.telemetry.consent.state, worker.uploads.length]).toEqual([[KEY], 'granted', 1]);
  const other = open(workerOf(browser));
  await settle();
  expect(other.telemetry.consent.state).toBe('granted');
});

test('the note that the person agrees is written when they do, or where that is the default, and erased when they refuse', async () => {
  const browser = modelBrowser();
  const page = open(browser.open());
  page.telemetry.record('dark', true);
  await page.telemetry.flush();
  expect([browser.stored(KEY), browser.noted()]).toEqual([undefined, []]);
  page.telemetry.consent.grant();
  await settle();
  expect(browser.noted()).toEqual([KEY]);
  page.telemetry.consent.deny();
  expect(browser.noted()).toEqual([]);
  const agreed = modelBrowser();
  open(agreed.open(), { consent: 'granted' });
  await settle();
  expect(agreed.noted()).toEqual([KEY]);
});

test('where agreement is the default, a note that was erased during a transaction is not written again', async () => {
  const browser = modelBrowser();
  const works = workerOf(browser);
  const [page, worker] = [open(browser.open(), { consent: 'granted' }), open(works, { consent: 'granted' })];
  await settle();
  await page.telemetry.flush();
  expect([browser.noted(), parseState(browser.stored(KEY) ?? '')?.noted]).toEqual([[KEY], true]);
  works.fate = 'stops after the write';
  worker.telemetry.record('dark', true);
  await settle();
  works.fate = 'completes';
  page.telemetry.consent.deny();
  page.leave();
  works.go();
  for (let i = 0; i < 5; i++) await settle();
  expect([worker.telemetry.consent.state, outboxOf(browser), browser.noted()]).toEqual(['denied', 0, []]);
});

test('a note that another context is writing is no refusal', async () => {
  const browser = modelBrowser();
  const pages = browser.open();
  const page = open(pages);
  await settle();
  const worker = open(workerOf(browser));
  page.telemetry.consent.grant(); // the worker looks before the note is there, and reads the ledger after it
  await settle();
  await worker.telemetry.flush();
  worker.telemetry.record('dark', true);
  await settle();
  expect([worker.telemetry.consent.state, page.telemetry.consent.state]).toEqual(['granted', 'granted']);
  expect(results(worker.outcomes).at(-1)).toBe('recorded');
});

test('where the note can not be looked for nothing is recorded or sent', async () => {
  const { browser } = await pair();
  const worker = open({ ...workerOf(browser), agreed: () => Promise.reject(new Error('gone')) });
  worker.telemetry.record('dark', true);
  await worker.telemetry.flush();
  await worker.live(600_000);
  expect([worker.uploads, outboxOf(browser)]).toEqual([[], 1]);
  expect(results(worker.outcomes)).toContain('storage-failed');
});

test('a page that is left while it looks for the note begins no transaction', async () => {
  const { pages, page } = await pair();
  const asked = pages.asked.length;
  page.telemetry.record('dark', true);
  await undefined; // it looks for the note
  page.leave();
  await settle();
  expect(pages.asked.slice(asked).filter((next) => next !== undefined)).toEqual([]);
  page.comeBack();
  await settle();
  expect(results(page.outcomes)).toContain('recorded');
});

test('what a transaction did is told, though the page is left while it looks for the note again', async () => {
  const { pages, page } = await pair();
  await page.telemetry.close();
  let looks = Number.NaN;
  const agreed: Storage['agreed'] = async (key, change) => {
    if (++looks === 2) left.leave();
    return pages.agreed?.(key, change) ?? true;
  };
  const left = open({ ...pages, agreed });
  await settle();
  looks = 0;
  left.telemetry.record('dark', true);
  await settle();
  expect(results(left.outcomes)).toContain('recorded');
  expect(left.telemetry.consent.state).toBe('granted');
});

test('a storage without notes stays synchronous', () => {
  const telemetry = createTelemetry({ schema, endpoint: '/', storage: memoryStorage(), consent: 'granted' });
  expect(telemetry.consent.state).toBe('granted');
});
