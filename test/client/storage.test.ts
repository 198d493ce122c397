/** Storages that fail: what is sent is what is stored, and what is said of a report is true. */

import { defineSchema, flag, memoryStorage, type Storage } from '@murmuration/client';
import { describe, expect, test } from 'vitest';
import { device, settle } from './device.ts';

const ask = { epsilon: 1, description: 'a question' };
const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 40, per: 'month' },
  metrics: { dark: flag(ask), daily: flag({ ...ask, every: 'day' }) },
});
const results = (outcomes: readonly { readonly result: string }[]): string[] => outcomes.map(({ result }) => result);
const KEY = 'murmuration:notes';

test('a device whose storage was ruined answers again when the window has ended, though no visit lasts that long', async () => {
  const storage = memoryStorage();
  await storage.setItem(KEY, '{"v":1');
  const said: string[][] = [];
  for (const day of [0, 10, 20, 30]) {
    const visit = device(schema, { storage, consent: 'ask', seed: day + 1 });
    visit.setDay(day);
    visit.telemetry.consent.grant();
    await settle();
    const next = device(schema, { storage, seed: day + 2 });
    next.setDay(day);
    next.telemetry.record('dark', true);
    await settle();
    said.push([...results(visit.outcomes), ...results(next.outcomes)]);
  }
  expect(said).toEqual([
    ['storage-reset', 'consent-changed', 'already-answered'],
    ['consent-changed', 'already-answered'],
    ['consent-changed', 'already-answered'],
    ['consent-changed', 'recorded'],
  ]);
});

test('who agrees while the storage can not be read has the budget spent at the next start too, whatever was recorded', async () => {
  const events = defineSchema({
    app: 'notes',
    version: 1,
    budget: { epsilon: 10, per: 'month' },
    metrics: { dark: flag(ask), clicked: flag({ ...ask, every: 'week', otherwise: false }) },
  });
  for (const occurs of [true, false]) {
    const memory = memoryStorage();
    let isUnreadable = true;
    const storage: Storage = {
      ...memory,
      getItem: (key) => {
        if (isUnreadable) throw new Error('unreadable');
        return memory.getItem(key);
      },
    };
    const first = device(events, { storage, sample: 0.999 });
    first.telemetry.consent.grant();
    if (occurs) first.telemetry.record('clicked', true);
    await settle();
    isUnreadable = false;
    const second = device(events, { storage, sample: 0.999, seed: 2 });
    second.telemetry.record('dark', true);
    expect(results(second.outcomes)).toEqual(['already-answered']);
  }
});

test('a batch that a failed write left otherwise in the storage is not sent until it is written', async () => {
  const memory = memoryStorage();
  let isFull = false;
  const storage: Storage = {
    ...memory,
    setItem: (key, value) => {
      if (isFull) throw new Error('quota exceeded');
      return memory.setItem(key, value);
    },
  };
  const weekly = flag({ ...ask, every: 'week', otherwise: false });
  const events = defineSchema({
    app: 'notes',
    version: 1,
    budget: { epsilon: 10, per: 'month' },
    metrics: { clicked: weekly, left: weekly },
  });
  const first = device(events, { storage });
  await settle();
  isFull = true;
  first.telemetry.record('clicked', true);
  await settle();
  first.setDay(8);
  await first.telemetry.flush();
  expect(first.uploads).toEqual([]);
  isFull = false;
  const second = device(events, { storage, seed: 2 });
  second.setDay(8);
  await second.telemetry.flush();
  expect(second.batches().map(({ reports }) => reports.map(([metric]) => metric).sort())).toEqual([['clicked', 'left']]);
});

test('what has expired is said once, and erased', async () => {
  const { telemetry, storage } = device(schema);
  telemetry.record('dark', true);
  await settle();
  const said: string[] = [];
  for (const seed of [2, 3]) {
    const { outcomes, setDay, hide } = device(schema, { storage, seed });
    setDay(20);
    hide();
    await settle();
    said.push(...results(outcomes));
  }
  expect(said.filter((result) => result === 'expired')).toEqual(['expired']);
});

describe('a storage that answers later', () => {
  test('holds no report that is said to have failed', async () => {
    const memory = memoryStorage();
    const answers: (() => void)[] = [];
    let writes = 0;
    const storage: Storage = {
      getItem: memory.getItem,
      setItem: async (key, value) => {
        const isFirst = writes++ === 0;
        await new Promise<void>((resolve) => answers.push(resolve));
        if (isFirst) throw new Error('quota exceeded');
        return memory.setItem(key, value);
      },
    };
    const { telemetry, outcomes } = device(schema, { storage });
    telemetry.record('dark', true);
    await settle();
    telemetry.record('daily', true);
    await settle();
    for (let i = 0; i < 9; i++) {
      for (const answer of answers.splice(0)) answer();
      await settle();
    }
    const failed = outcomes.filter(({ result }) => result === 'storage-failed').map(({ metric }) => metric);
    const { outbox } = JSON.parse((await storage.getItem(KEY)) as string) as { outbox: readonly { reports: readonly [string][] }[] };
    const stored = outbox.flatMap(({ reports }) => reports.map(([metric]) => metric));
    expect(failed).toContain('dark');
    expect(stored).toEqual(['daily']);
  });
});
