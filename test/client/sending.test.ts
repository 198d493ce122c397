/** How a batch leaves: the bytes that preview shows, again as they are after a failure, and what each answer means. */

import { choice, type Delivery, defineSchema, flag, preview, text } from '@murmuration/client';
import { wireName } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { parseBatch, unpackReports } from '#collector/ingest/parse-batch.ts';
import { publish } from '#collector/schemas/catalog.ts';
import { device, FIRST_DAY, results, settle, timeOf } from './device.ts';
import { modelBrowser } from './model-storage.ts';

const ask = { epsilon: 1, description: 'a question' };
const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 9, per: 'month' },
  metrics: { dark: flag(ask), plan: choice(['free', 'pro', 'team'], { ...ask, every: 'week' }), text: text(ask) },
});
const HOUR = 3_600_000;

test('a retry sends the same bytes, and a report that comes later goes into another batch', async () => {
  let status = 503;
  const { telemetry, uploads, batches, live } = device(schema, { answer: () => ({ status }) });
  telemetry.record('dark', true);
  await telemetry.flush();
  telemetry.record('plan', 'pro');
  await telemetry.flush();
  status = 204;
  await live(HOUR);
  const [first, ...rest] = uploads.map(({ body }) => body);
  expect(rest.filter((body) => body === first).length).toBeGreaterThan(0);
  expect(new Set(batches().map(({ batch }) => batch)).size).toBe(2);
  expect(new Set(uploads.map(({ body }) => body)).size).toBe(2);
  expect(await preview(telemetry)).toEqual([]);
});

test.each([204, 503])(
  'what is recorded while an upload is on its way, answered %i, goes with a flush in a batch of its own',
  async (status) => {
    const answers: (() => void)[] = [];
    const answer = (): Promise<Delivery> => new Promise((resolve) => answers.push(() => resolve({ status })));
    const { telemetry, uploads, batches } = device(schema, { answer });
    telemetry.record('dark', true);
    const first = telemetry.flush();
    await settle();
    telemetry.record('plan', 'pro');
    const flushes = [telemetry.flush(), telemetry.flush()];
    await settle();
    expect(uploads).toHaveLength(1);
    answers.shift()?.();
    await settle();
    answers.shift()?.();
    await Promise.all([first, ...flushes]);
    expect([uploads.length, new Set(batches().map(({ batch }) => batch)).size]).toEqual([2, 2]);
  },
);

test('preview shows the very bytes that the next flush sends', async () => {
  const { telemetry, uploads } = device(schema);
  telemetry.record('dark', true);
  telemetry.record('plan', 'pro');
  const shown = await preview(telemetry);
  expect(shown.flatMap(({ reports }) => reports.map(({ meaning }) => meaning))).toContainEqual(
    expect.stringMatching(/it says: (true|false)$/),
  );
  await telemetry.flush();
  expect(uploads).toEqual(shown.map(({ url, body }) => ({ url, body })));
});

test.each([
  ['rejects', () => Promise.reject(new Error('offline'))],
  [
    'throws',
    (): never => {
      throw new Error('blocked');
    },
  ],
])('a transport that %s is a failed delivery', async (_, transport) => {
  const { telemetry } = device(schema, { transport });
  telemetry.record('dark', true);
  await telemetry.flush();
  expect(await preview(telemetry)).toHaveLength(1);
});

test('a transport that never answers does not hold a flush, or close, for more than ten seconds of the clock', async () => {
  const { telemetry, uploads, live, timers, batches } = device(schema, { answer: () => new Promise(() => {}) });
  telemetry.record('dark', true);
  let isFlushed = false;
  const flushed = telemetry.flush().then(() => {
    isFlushed = true;
  });
  await live(9_999);
  expect([isFlushed, uploads.length]).toEqual([false, 1]);
  await live(1);
  await flushed;
  expect(await preview(telemetry)).toHaveLength(1);
  await live(HOUR);
  expect(uploads.length).toBeGreaterThan(1); // it is tried again
  expect(new Set(batches().map(({ batch }) => batch)).size).toBe(1);
  telemetry.record('plan', 'pro');
  const closed = telemetry.close();
  await live(20_000); // the one that is on its way, and the last
  await closed;
  expect(timers()).toBe(0);
});

test('what is recorded is sent by a timer within five seconds, or in the same tick when the page is hidden', async () => {
  const timed = device(schema);
  timed.telemetry.record('dark', true);
  await settle();
  await timed.live(5_000);
  const hidden = device(schema);
  hidden.telemetry.record('dark', true);
  hidden.hide();
  expect(hidden.uploads).toHaveLength(1); // a program that is ended runs nothing later
  await settle();
  expect(timed.uploads).toHaveLength(1);
});

test('nothing is sent before the transaction that claimed its slot is done', async () => {
  const page = modelBrowser().open();
  const { telemetry, uploads, live, leave, hide } = device(schema, { storage: page });
  await settle();
  page.fate = 'stops before the write';
  telemetry.record('dark', true);
  await settle();
  hide();
  await live(60_000);
  leave();
  await settle();
  expect(uploads).toEqual([]);
});

test('every upload is a batch that the contract accepts, with its segment', async () => {
  const segmented = defineSchema({
    app: 'seg',
    version: 2,
    budget: { epsilon: 5, per: 'month' },
    segments: { platform: ['web', 'ios'] },
    metrics: { dark: flag(ask), plan: choice(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], ask), word: text(ask) },
  });
  const { telemetry, uploads } = device(segmented, { segment: { platform: 'ios' } });
  telemetry.record('dark', true);
  telemetry.record('plan', 'b');
  telemetry.record('word', 'naïve 🙂');
  await telemetry.flush();
  const published = publish(segmented.document);
  const schemas = new Map([[wireName(segmented.document), published]]);
  const batches = uploads.map(({ body }) => parseBatch(body, schemas, FIRST_DAY));
  expect(
    batches.map(({ segment, reports }) => [
      segment,
      unpackReports(published, reports)
        .map(({ metric }) => metric)
        .sort(),
    ]),
  ).toEqual([['{"platform":"ios"}', ['dark', 'plan', 'word']]]);
  expect(() => device(segmented)).toThrow('segment.platform: expected one of web, ios');
  expect(() => device(segmented, { segment: { platform: 'tv' } })).toThrow('segment.platform: expected one of web, ios, got "tv"');
});

test('a reload goes on where the page was: slots are taken, and the same bytes are sent', async () => {
  const first = device(schema, { answer: () => ({ status: 0 }) });
  first.telemetry.record('dark', true);
  await first.telemetry.flush();
  const second = device(schema, { storage: first.storage, seed: 2 });
  second.telemetry.record('dark', false);
  await second.live(HOUR);
  expect(results(second.outcomes)).toEqual(['already-answered', 'delivered']);
  expect(second.uploads).toEqual(first.uploads);
});

describe('Retry-After', () => {
  test('is honoured: no timer, no hidden page, no flush and no reload sends before', async () => {
    const { telemetry, uploads, hide, live, storage, leave } = device(schema, { answer: () => ({ status: 503, retryAfter: 100 }) });
    telemetry.record('dark', true);
    await telemetry.flush();
    telemetry.record('plan', 'pro');
    await live(99_000);
    hide();
    leave();
    await telemetry.flush();
    expect(uploads).toHaveLength(1);
    const again = device(schema, { storage, seed: 2, time: { now: timeOf(0) + 99_900 } });
    again.hide();
    await again.telemetry.flush();
    expect(again.uploads).toEqual([]);
    await again.live(HOUR);
    expect(new Set(again.batches().map(({ batch }) => batch)).size).toBe(2); // nothing was lost
  });

  test('has jitter: devices that were told the same come back at times of their own', async () => {
    const times = new Set<number>();
    for (let seed = 0; seed < 40; seed++) {
      const time = { now: timeOf(0) };
      const { telemetry, uploads, live } = device(schema, { seed, time, answer: () => ({ status: 503, retryAfter: 100 }) });
      telemetry.record('dark', true);
      await telemetry.flush();
      while (uploads.length < 2) await live(1_000);
      const seconds = Math.round((time.now - timeOf(0)) / 1_000);
      expect(seconds).toBeGreaterThanOrEqual(100);
      expect(seconds).toBeLessThanOrEqual(100 + 100 + 16);
      times.add(seconds);
    }
    expect(times.size).toBeGreaterThan(20);
  });

  test('beyond a day is a day, and up to another of jitter', async () => {
    const { telemetry, uploads, live } = device(schema, { answer: () => ({ status: 429, retryAfter: 1e9 }) });
    telemetry.record('dark', true);
    await telemetry.flush();
    await live(24 * HOUR - 1);
    expect(uploads).toHaveLength(1);
    await live(25 * HOUR);
    expect(uploads).toHaveLength(2);
  });

  test('holds no report back for ever when the clock is set back', async () => {
    let status = 429;
    const { telemetry, uploads, setDay, hide, live } = device(schema, { answer: () => ({ status, retryAfter: status === 429 ? 600 : 0 }) });
    setDay(1);
    telemetry.record('dark', true);
    await telemetry.flush();
    setDay(-40);
    status = 204;
    hide();
    await live(2 * 24 * HOUR);
    hide();
    await live(2 * 24 * HOUR);
    expect(uploads).toHaveLength(2);
  });
});
