/** What a refusal, or being forgotten, means for what was recorded before and for what is decided after. */

import { defineSchema, flag, memoryStorage, type Storage } from '@murmuration/client';
import { expect, test } from 'vitest';
import { device, settle } from './device.ts';

const ask = { epsilon: 1, description: 'a question' };
const of = (version: number, epsilon: number, per: 'week' | 'month') =>
  defineSchema({ app: 'notes', version, budget: { epsilon, per }, metrics: { dark: flag(ask), wide: flag({ ...ask, every: 'week' }) } });
const schema = of(1, 9, 'month');
const results = (outcomes: readonly { readonly result: string }[]): string[] => outcomes.map(({ result }) => result);
const CONSENT = 'murmuration:notes:consent';

/** A storage whose lock is granted when the test says so. */
function waiting(memory = memoryStorage()) {
  let grant = (): void => {};
  const lock = (): Promise<() => void> =>
    new Promise((resolve) => {
      grant = () => resolve(() => {});
    });
  return { storage: { ...memory, lock } satisfies Storage, grant: () => grant() };
}

test('what a refusal should have erased is erased at the next start, though the person agrees at once', async () => {
  const memory = memoryStorage();
  const first = device(schema, { storage: memory });
  first.telemetry.record('dark', true);
  await settle();
  await memory.setItem(CONSENT, 'denied'); // and the page died
  const { storage, grant } = waiting(memory);
  const second = device(schema, { storage, consent: 'ask', seed: 2 });
  second.telemetry.consent.grant();
  grant();
  await settle();
  await second.telemetry.flush();
  expect(second.uploads).toEqual([]);
});

test('who agrees before it was done to forget is forgotten, and has agreed', async () => {
  const { storage, grant } = waiting();
  const { telemetry } = device(schema, { storage });
  void telemetry.forget();
  telemetry.consent.grant();
  grant();
  await settle();
  expect([telemetry.consent.state, await storage.getItem(CONSENT)]).toEqual(['granted', 'granted']);
  expect(await telemetry.ledger()).toMatchObject({ spent: 9 });
});

test('who is forgotten under a version of shorter windows stays silent for as long as an older version has promised', async () => {
  const storage = memoryStorage();
  const first = device(schema, { storage });
  first.telemetry.record('dark', true);
  await settle();
  const { telemetry, outcomes, setDay } = device(of(2, 9, 'week'), { storage, seed: 2 });
  setDay(1);
  await telemetry.forget();
  telemetry.consent.grant();
  for (const day of [8, 29, 31]) {
    setDay(day);
    telemetry.record('wide', true);
    await settle();
  }
  expect(results(outcomes).slice(2)).toEqual(['over-budget', 'over-budget', 'recorded']);
});

test('who could not be forgotten is forgotten at the next start', async () => {
  const memory = memoryStorage();
  let isFull = false;
  const storage: Storage = {
    ...memory,
    setItem: (key, value) => {
      if (isFull && key !== CONSENT) throw new Error('quota exceeded');
      return memory.setItem(key, value);
    },
  };
  const first = device(schema, { storage });
  first.telemetry.record('dark', true);
  await settle();
  isFull = true;
  await first.telemetry.forget();
  isFull = false;
  const second = device(schema, { storage, seed: 2 });
  expect(await second.telemetry.ledger()).toMatchObject({ spent: 9 });
  expect([second.telemetry.consent.state, await second.telemetry.preview()]).toEqual(['denied', []]);
});

test('a refusal erases what is stored, though it could not be read when the page began', async () => {
  const memory = memoryStorage();
  const first = device(schema, { storage: memory });
  first.telemetry.record('dark', true);
  await settle();
  let isReadable = false;
  const storage: Storage = {
    ...memory,
    getItem: (key) => {
      if (!isReadable) throw new Error('unreadable');
      return memory.getItem(key);
    },
  };
  const second = device(schema, { storage, seed: 2 });
  isReadable = true;
  second.telemetry.consent.deny();
  await settle();
  expect(JSON.parse(memory.getItem('murmuration:notes') as string)).toMatchObject({ outbox: [] });
});
