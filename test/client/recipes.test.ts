/** Helpers for the questions of product teams: the furthest step, weeks, sessions that crash, and experiments with sticky arms. */

import { choice, defineSchema, flag, memoryStorage, type Storage } from '@murmuration/client';
import { beginSession, experiment, furthest, WEEKS, weeksSince } from '@murmuration/client/recipes';
import { seededRng } from '@murmuration/client/testing';
import { expect, test } from 'vitest';
import { binomial, upperTail } from '../proofs/statistics.ts';
import { device } from './device.ts';

const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 4, per: 'month' },
  metrics: {
    signup: choice(['none', 'form', 'address', 'paid'], { epsilon: 1, description: 'How far do people come?' }),
    shared: flag({ epsilon: 1, every: 'month', description: 'Is a note shared?' }),
  },
});
const ARMS = ['old', 'new'] as const;

/** What a storage holds under the key of the app, as text. */
const textOf = (storage: Storage): string | undefined =>
  storage.transact('murmuration:notes', (stored) => ({ next: undefined, result: stored })) as string | undefined;

/** A page: the experiment, and a device with its storage. */
function page(storage: Storage, seed: number) {
  const search = experiment(schema, 'search', ARMS, { storage, rng: seededRng(seed) });
  return { search, ...device(schema, { storage: search.storage, consent: 'ask', seed }) };
}

test('a funnel keeps the furthest step, in whatever order they come', () => {
  const signup = furthest(['form', 'address', 'paid']);
  expect(signup.step).toBe('none');
  signup.reach('address');
  signup.reach('form');
  expect(signup.step).toBe('address');
});

test('weeks are counted from the first use, and a clock that went back is week 0', () => {
  const week = 7 * 86_400_000;
  expect([-5, 0, 0.99, 1, 3.5, 4, 7.9, 8, 11, 12, 400].map((weeks) => weeksSince(1e12, 1e12 + weeks * week))).toEqual([
    '0',
    '0',
    '0',
    '1',
    '3',
    '4 to 7',
    '4 to 7',
    '8 to 11',
    '8 to 11',
    '12 or more',
    '12 or more',
  ]);
  expect(new Set(WEEKS).size).toBe(7);
});

test('a session that did not end crashed, and one that was hidden or ended did not', () => {
  const items = new Map<string, string>();
  const store = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  };
  const first = beginSession(store);
  expect(first.isAfterCrash).toBe(false);
  expect(beginSession(store).isAfterCrash).toBe(true);
  first.end();
  const second = beginSession(store);
  expect(second.isAfterCrash).toBe(false);
  second.end();
  second.resume();
  expect(beginSession(store).isAfterCrash).toBe(true);
  const failing = {
    getItem: () => {
      throw new Error('blocked');
    },
    setItem: () => {
      throw new Error('full');
    },
    removeItem: () => {
      throw new Error('blocked');
    },
  };
  const lost = beginSession(failing);
  expect(lost.isAfterCrash).toBe(false);
  lost.end();
});

test('arms are fair coins of the device', async () => {
  const drawn = await Promise.all(
    Array.from({ length: 4_000 }, (_, seed) =>
      experiment(schema, 'search', ARMS, { storage: memoryStorage(), rng: seededRng(seed + 1) }).arm(),
    ),
  );
  const news = drawn.filter((arm) => arm === 'new').length;
  expect(upperTail(binomial(news, 0.5, drawn.length))).toBeGreaterThan(1e-6);
});

test('an arm is sticky once the person agrees, and nothing is stored before', async () => {
  const storage = memoryStorage();
  const { search, telemetry } = page(storage, 1);
  const arm = await search.arm();
  await telemetry.flush();
  expect(textOf(storage)).toBeUndefined();
  telemetry.consent.grant();
  telemetry.record('shared', true);
  await telemetry.close();
  expect(textOf(storage)).toContain(`"arms":{"search":"${arm}"}`);
  for (let seed = 2; seed < 12; seed++) {
    const { search: later, telemetry: again } = page(storage, seed);
    expect(await later.arm()).toBe(arm);
    await again.close();
  }
});

test('an experiment that comes later is stored in the ledger that is there, and one that ended leaves it readable', async () => {
  const storage = memoryStorage();
  const plain = device(schema, { storage, seed: 1 });
  plain.telemetry.record('shared', true);
  await plain.telemetry.close();
  const undecided = page(storage, 4);
  await undecided.telemetry.close();
  expect(textOf(storage)).not.toContain('"arms"'); // the app asks now, and nobody has answered
  const { search, telemetry } = page(storage, 5);
  telemetry.consent.grant();
  await telemetry.flush();
  const arm = await search.arm();
  await telemetry.close();
  expect(textOf(storage)).toContain(`"search":"${arm}"`);
  const after = device(schema, { storage, seed: 6 });
  after.telemetry.record('shared', true);
  await after.telemetry.close();
  expect(after.outcomes.map(({ result }) => result)).toEqual(['already-answered']);
  expect(textOf(storage)).toContain(`"search":"${arm}"`);
});

test('a refusal on a page without the experiment erases its arm too', async () => {
  for (const leave of ['forget', 'deny', 'reset'] as const) {
    const storage = memoryStorage();
    const { telemetry } = page(storage, 1);
    telemetry.consent.grant();
    await telemetry.close();
    expect(textOf(storage)).toContain('"arms"');
    const plain = device(schema, { storage, consent: 'ask', seed: 2 });
    await plain.telemetry.flush();
    if (leave === 'deny') plain.telemetry.consent.deny();
    else await plain.telemetry[leave]?.();
    await plain.telemetry.close();
    expect(textOf(storage)).not.toContain('"arms"');
  }
});

test('forget() and deny() erase it with the ledger, and a later page draws again', async () => {
  for (const leave of ['forget', 'deny'] as const) {
    const storage = memoryStorage();
    const { telemetry } = page(storage, 1);
    telemetry.consent.grant();
    await telemetry.flush();
    expect(textOf(storage)).toContain('"arms"');
    if (leave === 'forget') await telemetry.forget();
    else telemetry.consent.deny();
    await telemetry.close();
    expect(textOf(storage)).not.toContain('"arms"');
    expect(textOf(storage)).toContain('"decision":10,'); // the second one, a refusal
    const drawn = await Promise.all(Array.from({ length: 40 }, (_, seed) => page(storage, 100 + seed).search.arm()));
    expect(new Set(drawn)).toEqual(new Set(ARMS)); // all alike with probability 2^-39
  }
});

test('two experiments in one storage are drawn independently and both kept', async () => {
  const storage = memoryStorage();
  const one = experiment(schema, 'search', ARMS, { storage, rng: seededRng(1) });
  const two = experiment(schema, 'theme', ['light', 'dark', 'auto'], { storage: one.storage, rng: seededRng(2) });
  const { telemetry } = device(schema, { storage: two.storage, seed: 3 });
  telemetry.record('shared', true);
  await telemetry.close();
  expect(textOf(storage)).toContain(`"search":"${await one.arm()}"`);
  expect(textOf(storage)).toContain(`"theme":"${await two.arm()}"`);
});

test('an arm that the experiment no longer has is drawn again', async () => {
  const storage = memoryStorage();
  const { telemetry } = page(storage, 1);
  telemetry.consent.grant();
  await telemetry.close();
  const other = experiment(schema, 'search', ['third', 'fourth'], { storage, rng: seededRng(1) });
  expect(['third', 'fourth']).toContain(await other.arm());
});

test('where the storage fails, the page has an arm all the same', async () => {
  const failing: Storage = {
    transact: () => {
      throw new Error('disabled');
    },
  };
  const later: Storage = { transact: () => Promise.reject(new Error('disabled')) };
  for (const storage of [failing, later]) expect(ARMS).toContain(await experiment(schema, 'search', ARMS, { storage }).arm());
});
