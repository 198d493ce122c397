/** The history of what was sent: what randomized reports say, a few of them, and none after a refusal. */

import { choice, createTelemetry, defineSchema, flag, memoryStorage, type Options, type Storage } from '@murmuration/client';
import { historyOf, withHistory } from '@murmuration/client/history';
import { unary } from '@murmuration/client/mechanisms';
import { fakeClock, memoryTransport, seededRng } from '@murmuration/client/testing';
import type { Batch } from '@murmuration/shared';
import { expect, test } from 'vitest';
import { spillOver } from '../kit/spill.ts';
import { settle } from './device.ts';

const ask = { epsilon: 1, description: 'a question', every: 'day' } as const;
const letters = [...'abcdefghijklmnopqrst'];
const define = () =>
  defineSchema({
    app: 'notes',
    version: 1,
    budget: { epsilon: 100, per: 'month' },
    metrics: { dark: flag(ask), letter: choice(letters, { ...ask, mechanism: unary() }) },
  });

/** The store of a page: `localStorage`, with the storage of the ledger beside it. */
function page(): { readonly items: Map<string, string>; readonly storage: Storage } {
  const items = new Map<string, string>();
  return { items, storage: { ...memoryStorage(), spill: spillOver(items) } };
}

function start(storage: Storage) {
  const schema = define();
  const clock = fakeClock(new Date('2026-11-20'));
  const sent = memoryTransport(schema);
  const options: Options<typeof schema.questions, Record<string, readonly string[]>> = withHistory({
    schema,
    endpoint: '/',
    storage,
    clock,
    rng: seededRng(1),
    transport: sent.transport,
  });
  return { schema, clock, sent, options, telemetry: createTelemetry(options) };
}

test('holds what each delivered report says, the latest first, and at most 50 batches', async () => {
  const { storage, items } = page();
  const { schema, clock, telemetry, sent } = start(storage);
  telemetry.consent.grant();
  const days = 60;
  for (let day = 0; day < days; day++) {
    telemetry.record('dark', true);
    telemetry.record('letter', 'k');
    await telemetry.flush();
    clock.advance(86_400_000);
  }
  const history = historyOf(schema) ?? [];
  expect(history).toHaveLength(50);
  expect((history[0]?.day ?? '') > (history[49]?.day ?? '')).toBe(true);
  const bodies = sent.uploads.map(({ body }) => JSON.parse(body) as Batch);
  expect(history.map(({ batch }) => batch)).toEqual(
    bodies
      .map(({ batch }) => batch)
      .reverse()
      .slice(0, 50),
  );
  const reports = history.flatMap((batch) => batch.reports);
  for (const { metric, said, more } of reports) {
    if (metric === 'dark') expect(said).toEqual([expect.stringMatching(/^(true|false)$/)]);
    expect(said.length <= 5 && (said.length === 5 || more === 0)).toBe(true);
  }
  expect(reports.some(({ more }) => more > 0)).toBe(true);
  // Randomized: not every day says what was recorded every day.
  expect(new Set(reports.filter(({ metric }) => metric === 'dark').map(({ said }) => said[0])).size).toBe(2);
  expect((items.get('murmuration:notes:sent') ?? '').length).toBeLessThan(20_000);
});

test.each(['deny', 'forget', 'reset'] as const)('%s erases it', async (how) => {
  const { storage, items } = page();
  const { schema, telemetry } = start(storage);
  telemetry.consent.grant();
  telemetry.record('dark', true);
  await telemetry.flush();
  expect(historyOf(schema)).toHaveLength(1);
  await (how === 'deny' ? telemetry.consent.deny() : telemetry[how]?.());
  expect(historyOf(schema)).toEqual([]);
  expect(items.has('murmuration:notes:sent')).toBe(false);
});

test('a batch that two tabs send is in it once; one that a collector has not accepted is not in it', async () => {
  const { storage } = page();
  const { schema, options, telemetry } = start(storage);
  const upload = (batch: string) => ({
    url: '/',
    body: JSON.stringify({ batch, schema: schema.wire, day: '2026-11-20', reports: [['dark', 'AQ']] }),
  });
  telemetry.consent.grant();
  for (const batch of ['one', 'one', 'two']) await options.transport?.(upload(batch));
  expect(historyOf(schema)?.map(({ batch }) => batch)).toEqual(['two', 'one']);
  for (const status of [200, 404]) {
    const other = withHistory({ ...options, transport: async () => ({ status }) });
    await other.transport?.(upload('three'));
  }
  expect(historyOf(schema)).toHaveLength(2);
});

test('a refusal that a tab without a history wrote erases it too', async () => {
  const { storage, items } = page();
  const { schema, telemetry } = start(storage);
  telemetry.consent.grant();
  telemetry.record('dark', true);
  await telemetry.flush();
  const other = createTelemetry({ schema: define(), endpoint: '/', storage });
  await settle();
  other.consent.deny();
  expect(historyOf(schema)).toEqual([]);
  expect(items.has('murmuration:notes:sent')).toBe(false);
});

test('without localStorage none is kept, and the options are as they were', () => {
  const options = { schema: define(), endpoint: '/', storage: memoryStorage() };
  expect(withHistory(options)).toBe(options);
  expect(historyOf(options.schema)).toBeUndefined();
});
