/** What broke the promise once: a spill that came back, a refusal while an upload was prepared, odd answers of a collector. */

import { choice, type Delivery, defineSchema, flag, memoryStorage, type Storage } from '@murmuration/client';
import { unary } from '@murmuration/client/mechanisms';
import { describe, expect, test } from 'vitest';
import { parseState } from '#client/ledger/state.ts';
import { device, refusalAs, results, settle, stateIn, timeOf } from './device.ts';
import { modelBrowser } from './model-storage.ts';

const ask = { epsilon: 1, description: 'a question' };
const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 10, per: 'month' },
  metrics: {
    dark: flag(ask),
    seen: choice(
      Array.from({ length: 1_000 }, (_, i) => `answer ${i}`),
      { ...ask, every: 'week', otherwise: 'answer 0', mechanism: unary() },
    ),
  },
});
const KEY = 'murmuration:notes';

test('an answer that comes back from the spill on the day of the next slot takes no second one', async () => {
  const browser = modelBrowser();
  const time = { now: timeOf(0) };
  const { telemetry } = device(schema, { storage: browser.open(), time });
  await settle();
  time.now = timeOf(7); // the page has stayed open since: the answer goes into the slot that it began
  telemetry.record('seen', 'answer 7');
  await undefined; // noted at the end of its tick
  browser.saveSpill();
  expect([...browser.spilled().keys()].filter((key) => key.includes(':answer:'))).toHaveLength(1);
  await settle();
  for (const seed of [2, 3]) {
    browser.kill();
    device(schema, { storage: browser.open(), seed, time });
    await settle();
  }
  const reports = parseState(browser.stored(KEY) ?? '')?.outbox.flatMap((batch) => batch.reports.filter(([metric]) => metric === 'seen'));
  expect(new Set(reports?.map(([, bytes]) => bytes)).size).toBe(2);
});

test('a refusal while an upload is being prepared stops it', async () => {
  const page = modelBrowser().open();
  const { telemetry, uploads } = device(schema, { storage: page });
  await settle();
  telemetry.record('dark', true);
  await settle();
  page.fate = 'stops after the write';
  void telemetry.flush();
  await settle();
  page.fate = 'completes';
  telemetry.consent.deny();
  page.go();
  await settle();
  expect(uploads).toEqual([]);
});

test('a page that is left before its storage told it of a refusal elsewhere sends nothing', async () => {
  const browser = modelBrowser();
  const page = browser.open();
  const { telemetry, uploads, leave } = device(schema, { storage: page });
  await settle();
  telemetry.record('dark', true);
  await settle();
  const other = device(schema, { storage: browser.open(), seed: 2 });
  await settle();
  page.fate = 'stops before the write';
  await other.telemetry.forget();
  leave();
  expect(uploads).toEqual([]);
});

test.each([{}, 5, 'dark', [{}], ['seen', null]])('a stop that says %j ends its batch', async (stop) => {
  const it = device(schema, { answer: () => refusalAs('retired', { stop }) });
  it.telemetry.record('dark', true);
  await it.live(86_400_000);
  expect([it.uploads.length, results(it.outcomes).includes('refused')]).toEqual([1, true]);
  expect(Object.keys(stateIn(it.storage).retired)).toEqual(Array.isArray(stop) && stop.includes('seen') ? ['seen'] : []);
});

test('no answer at all is asked for again', async () => {
  let tries = 0;
  const { telemetry, live, outcomes } = device(schema, { answer: () => (tries++ ? { status: 204 } : null) as never as Delivery });
  telemetry.record('dark', true);
  await live(86_400_000);
  expect(results(outcomes)).toContain('delivered');
});

describe('a spill', () => {
  test('that throws at everything, as in Firefox where its file is damaged, throws nowhere else', async () => {
    const no = (): never => {
      throw new Error('NS_ERROR_FILE_CORRUPTED');
    };
    const spill = {
      get length() {
        return no();
      },
      key: no,
      getItem: no,
      setItem: no,
      removeItem: no,
    };
    const { telemetry, live, outcomes } = device(schema, { storage: { ...memoryStorage(), spill } as Storage });
    telemetry.record('dark', true);
    await live(60_000);
    telemetry.consent.deny();
    expect(results(outcomes)).toContain('delivered');
  });

  test.each(['[null]', '5', '{}', '{"id":"x","metric":"gone"}'])('that holds %s stops nothing', async (text) => {
    const page = modelBrowser().open();
    page.spill?.setItem(`${KEY}:answer:x`, text.replace('}', `,"wire":"${schema.wire}"}`).replace('{,', '{'));
    const { telemetry, live, outcomes } = device(schema, { storage: page });
    telemetry.record('dark', true);
    await live(60_000);
    expect(results(outcomes)).toContain('delivered');
    expect(results(outcomes)).not.toContain('storage-failed');
  });
});

test('a refusal that could not be written down says so', async () => {
  const page = modelBrowser({ hasSpill: false }).open();
  const { telemetry, outcomes } = device(schema, { storage: page });
  await settle();
  page.fate = 'rejects';
  await telemetry.forget();
  expect(results(outcomes)).toContain('storage-failed');
});

test('a metric that can not even be read is unknown', () => {
  const { telemetry, outcomes } = device(schema);
  const metric = {
    toString: () => {
      throw new Error('no name');
    },
  };
  telemetry.record(metric as never, true as never);
  expect(results(outcomes)).toContain('unknown-metric');
});
