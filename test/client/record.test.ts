/** `record`: one slot a period, one transaction a tick, and nothing of a value anywhere but in coins. */

import {
  choice,
  createTelemetry,
  defineSchema,
  flag,
  joint,
  memoryStorage,
  type Outcome,
  permanent,
  preview,
  type Storage,
  text,
} from '@murmuration/client';
import { unary } from '@murmuration/client/mechanisms';
import { seededRng } from '@murmuration/client/testing';
import { MAX_BODY_BYTES, parseDay } from '@murmuration/shared';
import { afterEach, describe, expect, test } from 'vitest';
import { device, FIRST_DAY, results, settle, textIn, timeOf } from './device.ts';
import { modelBrowser } from './model-storage.ts';

const ask = { epsilon: 1, description: 'a question' };
const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 60, per: 'month' },
  reports: 'together',
  metrics: {
    dark: flag(ask),
    plan: choice(['free', 'pro', 'team'], { ...ask, every: 'week' }),
    both: joint({ plan: ['free', 'pro'], dark: [true, false] }, { ...ask, every: 'once' }),
    home: permanent(text({ ...ask, every: 'day' }), { epsilon: 4, renew: 'month' }),
    kept: permanent(flag({ ...ask, every: 'day' }), { epsilon: 3, renew: 'never' }),
  },
});

test('a day of long reports leaves in batches that a collector takes, every report once', async () => {
  const long = Array.from({ length: 100_000 }, (_, i) => `answer ${i}`);
  const names = Array.from({ length: 9 }, (_, i) => `m${i}`);
  const { telemetry, uploads, batches } = device(
    defineSchema({
      app: 'long',
      version: 1,
      budget: { epsilon: 9, per: 'month' },
      metrics: Object.fromEntries(names.map((name) => [name, choice(long, { ...ask, mechanism: unary() })])),
    }),
  );
  for (const name of names) telemetry.record(name, 'answer 7');
  await telemetry.flush();
  for (const { body } of uploads) expect(Buffer.byteLength(body)).toBeLessThan(MAX_BODY_BYTES);
  const sent = batches().flatMap(({ reports }) => reports.map(([metric]) => metric));
  expect(sent.sort()).toEqual(names);
  expect(new Set(batches().map(({ batch }) => batch)).size).toBe(uploads.length);
});

test('one slot a period: a second record is already-answered, whatever its value', async () => {
  const { telemetry, outcomes, setDay, batches } = device(schema);
  telemetry.record('plan', 'pro');
  telemetry.record('plan', 'free');
  await settle();
  setDay(6);
  telemetry.record('plan', 'team');
  await settle();
  setDay(7);
  telemetry.record('plan', 'team');
  telemetry.record('both', { plan: 'free', dark: true });
  await settle();
  setDay(5_000);
  telemetry.record('both', { plan: 'pro', dark: false });
  await telemetry.flush();
  expect(results(outcomes).filter((result) => result === 'already-answered')).toHaveLength(3);
  expect(batches().flatMap(({ reports }) => reports)).toHaveLength(0); // all are older than 14 days by now
  expect(results(outcomes).filter((result) => result === 'expired')).toHaveLength(3);
});

test('a clock that goes back is held at the greatest day seen', async () => {
  const { telemetry, batches, setDay } = device(schema);
  setDay(10);
  telemetry.record('plan', 'pro');
  await telemetry.flush();
  setDay(3);
  telemetry.record('dark', true);
  await telemetry.flush();
  expect(batches().map(({ day }) => parseDay(day))).toEqual([FIRST_DAY + 10, FIRST_DAY + 10]);
});

test('a clock that goes back closes no slot that is open on the greatest day seen', async () => {
  const { telemetry, outcomes, setDay } = device(schema);
  setDay(10);
  telemetry.record('plan', 'pro');
  await telemetry.flush();
  setDay(20);
  await telemetry.flush();
  setDay(3);
  telemetry.record('plan', 'free');
  await telemetry.flush();
  expect(results(outcomes)).toEqual(['recorded', 'delivered', 'recorded', 'delivered']);
});

test('wrong types and names record nothing and say so; nothing throws', () => {
  const { telemetry, outcomes } = device(schema);
  const loose = telemetry as unknown as { record(metric: string, value: unknown): void };
  const hostile = {
    get plan(): string {
      throw new Error('never read me');
    },
  };
  for (const [metric, value] of [
    ['dark', 'yes'],
    ['plan', 'gold'],
    ['plan', undefined],
    ['both', null],
    ['both', hostile],
    ['home', 7],
    ['nope', 1],
    ['constructor', 1],
  ] as const) {
    loose.record(metric, value);
  }
  expect(results(outcomes)).toEqual([...Array(6).fill('wrong-type'), 'unknown-metric', 'unknown-metric']);
});

test('a clock that throws is one that gives no time: nothing is claimed or sent, and nothing throws', async () => {
  let isBroken = true;
  const now = (): number => {
    if (isBroken) throw new Error('no time');
    return timeOf(0);
  };
  const { telemetry, outcomes, uploads } = device(schema, { clock: { now, after: () => () => {} } });
  for (isBroken of [true, false, true]) {
    telemetry.record('dark', true);
    await telemetry.flush();
  }
  expect([results(outcomes), uploads.length]).toEqual([['expired', 'recorded', 'delivered', 'expired'], 1]);
});

test.each([
  [
    'throws',
    (): never => {
      throw new Error('no entropy');
    },
  ],
  ['does not fill its bytes at once', async () => {}],
  ['always has the same byte', (bytes: Uint8Array) => bytes.fill(4)],
  ['has a short period', (bytes: Uint8Array) => bytes.set(bytes.map((_, i) => (i * 7) % 16))],
  ['fills nine tenths', (bytes: Uint8Array) => seededRng(1)(bytes.subarray(0, 920) as never)],
])('where the rng %s nothing is recorded', async (_, rng) => {
  const { telemetry, outcomes, timers, uploads } = device(schema, { rng });
  telemetry.record('dark', true);
  await telemetry.flush();
  expect([results(outcomes), timers(), uploads]).toEqual([['no-entropy'], 0, []]);
});

test('where the rng repeats itself, nothing is recorded after the first fill', () => {
  const { telemetry, outcomes } = device(schema, { rng: (bytes) => seededRng(1)(bytes) });
  for (let i = 0; i < 300; i++) telemetry.record('dark', true);
  expect(new Set(results(outcomes).slice(-10))).toEqual(new Set(['no-entropy']));
});

test('where the rng fails in the middle of a record, that one is not recorded, and nothing throws', () => {
  // It fails after one buffer of words: within a symbol or within an id, by how much was drawn before.
  for (let before = 0; before < 8; before++) {
    const real = seededRng(before);
    let filled = 0;
    const rng: typeof real = (bytes) => {
      if (filled++ > 0) throw new Error('no entropy');
      return real(bytes);
    };
    const { telemetry, outcomes } = device(schema, { rng });
    for (let i = 0; i < before; i++) telemetry.record('plan', 'pro');
    for (let i = 0; i < 100; i++) telemetry.record('dark', true);
    expect(new Set(results(outcomes))).toEqual(new Set(['no-entropy', 'already-answered']));
  }
});

test('no random word outlives the task that it was drawn in, which a copy of the running program would use again', async () => {
  const real = seededRng(1);
  const fills: number[] = [];
  const { telemetry } = device(schema, { rng: (bytes) => real(bytes.fill(fills.push(0))) });
  await settle();
  const before = fills.length;
  telemetry.record('dark', true);
  telemetry.record('plan', 'pro');
  expect(fills).toHaveLength(before + 1);
  await settle();
  const after = fills.length;
  telemetry.record('both', { plan: 'pro', dark: true });
  expect(fills).toHaveLength(after + 1);
});

describe('what a bug of the page puts on Object.prototype', () => {
  const pollute = (values: object): void => void Object.assign(Object.prototype, values);
  afterEach(() => {
    for (const name of ['consent', 'sampleRate', 'truth', 'irr']) Reflect.deleteProperty(Object.prototype, name);
  });

  test('is no consent', async () => {
    pollute({ consent: 'granted' });
    const outcomes: Outcome[] = [];
    const onOutcome = (outcome: Outcome): unknown => outcomes.push(outcome);
    const telemetry = createTelemetry({ schema, endpoint: '/', storage: memoryStorage(), rng: seededRng(1), onOutcome });
    telemetry.record('dark', true);
    expect([telemetry.consent.state, results(outcomes)]).toEqual(['ask', ['no-consent']]);
    await telemetry.close();
  });

  test('does not take the coins of a stored symbol away', async () => {
    pollute({ truth: 2 ** 32 });
    const asked = { epsilon: 0.1, every: 'day', description: 'a question' } as const;
    const kept = permanent(choice(['a', 'b', 'c'], { ...asked, mechanism: unary() }), { epsilon: 8, renew: 'year' });
    const stored = defineSchema({ app: 'kept', version: 1, budget: { epsilon: 8, per: 'month' }, metrics: { kept } });
    const it = device(stored);
    const said = new Set<string>();
    for (let day = 0; day < 40; day++) {
      it.setDay(day);
      it.telemetry.record('kept', 'a');
      await it.telemetry.flush();
    }
    for (const { reports } of it.batches()) for (const [, bytes] of reports) said.add(bytes);
    expect(said.size).toBeGreaterThan(2);
  });
});

test("an app's own listener may throw", async () => {
  const { telemetry, uploads } = device(schema, {
    onOutcome: () => {
      throw new Error('a bug of the app');
    },
  });
  expect(() => telemetry.record('dark', true)).not.toThrow();
  await telemetry.flush();
  expect(uploads).toHaveLength(1);
});

test('a raw value is nowhere: not in storage, not in the spill, not on the wire, not in an outcome, not in a preview', async () => {
  const secret = 'correct-horse-battery-staple';
  const browser = modelBrowser();
  const page = browser.open();
  const { telemetry, outcomes, uploads } = device(schema, { storage: page });
  await settle();
  page.fate = 'stops before the write';
  telemetry.record('home', secret);
  await settle();
  const spilled = [...browser.spilled()];
  expect(spilled.map(([key]) => key).join()).toContain('answer');
  page.fate = 'completes';
  page.go();
  const shown = await preview(telemetry);
  await telemetry.flush();
  expect(outcomes.map(({ result }) => result)).toEqual(['recorded', 'delivered']);
  expect(JSON.stringify([outcomes, spilled, uploads, shown, page.asked])).not.toContain('horse');
});

test('two devices with any two histories of values have the same outcomes, uploads and sizes on the wire and in storage', async () => {
  const run = async (values: { dark: boolean; plan: 'free' | 'pro'; home: string }, flip: boolean): Promise<unknown> => {
    const { telemetry, outcomes, batches, setDay, timers, storage } = device(schema, { answer: () => ({ status: 204 }) });
    const pattern: unknown[] = [];
    for (let day = 0; day < 70; day++) {
      setDay(day);
      telemetry.record('dark', values.dark !== (flip && day % 2 === 0));
      telemetry.record('plan', values.plan);
      telemetry.record('home', flip ? values.home + day : values.home);
      telemetry.record('kept', values.dark);
      await settle();
      pattern.push(timers(), textIn(storage)?.length);
      if (day % 3) await telemetry.flush();
    }
    const shape = batches().map(({ day, schema: name, reports }) => [
      day,
      name,
      [...reports].map(([metric, report]) => [metric, report.length]).sort(),
    ]);
    return [outcomes.map(({ metric, result }) => `${metric} ${result}`).sort(), shape, pattern];
  };
  const one = await run({ dark: true, plan: 'pro', home: 'a' }, false);
  const other = await run({ dark: false, plan: 'free', home: 'x'.repeat(10_000) }, true);
  expect(other).toEqual(one);
});

test('asynchronous storage fits: the value is randomized at once, and its slot is claimed when the storage answers', async () => {
  const browser = modelBrowser();
  const { telemetry, outcomes, batches } = device(schema, { storage: browser.open() });
  telemetry.record('dark', true);
  telemetry.record('dark', true);
  telemetry.record('kept', true);
  expect(results(outcomes)).toEqual(['already-answered']); // the first waits
  await telemetry.flush();
  expect(results(outcomes)).toEqual(['already-answered', 'recorded', 'recorded', 'delivered', 'delivered']);
  expect(batches()).toHaveLength(1);
});

test('a thousand records in one tick are one transaction', async () => {
  const page = modelBrowser().open();
  const { telemetry, outcomes } = device(schema, { storage: page });
  await settle();
  const before = page.asked.length;
  const names = ['dark', 'kept'] as const;
  for (let i = 0; i < 1_000; i++) telemetry.record(names[i % 2] as 'dark', true);
  await settle();
  expect([page.asked.length - before, outcomes.length]).toEqual([1, 1_000]);
});

test('what waited for the storage for more than 14 days is dropped', async () => {
  const page = modelBrowser().open();
  page.fate = 'stops before the write';
  const { telemetry, outcomes, uploads, setDay } = device(schema, { storage: page });
  telemetry.record('dark', true);
  await settle();
  setDay(15);
  page.fate = 'completes';
  page.go();
  await telemetry.flush();
  expect([results(outcomes), uploads]).toEqual([['expired'], []]);
});

test('close writes what is claimed first, then sends it; after it record says closed', async () => {
  const page = modelBrowser().open();
  const { telemetry, uploads, outcomes, hide, timers } = device(schema, { storage: page });
  telemetry.record('dark', true);
  const closed = telemetry.close();
  await closed;
  telemetry.record('plan', 'pro');
  hide();
  await settle();
  expect([uploads.length, timers(), results(outcomes)]).toEqual([1, 0, ['recorded', 'delivered', 'closed']]);
});

test('a closed telemetry writes nothing that was recorded after it', async () => {
  const first = device(schema);
  await first.telemetry.close();
  const second = device(schema, { storage: first.storage, seed: 2 });
  second.telemetry.record('dark', true);
  await second.telemetry.close();
  first.telemetry.consent.grant();
  first.telemetry.record('dark', true);
  await settle();
  const third = device(schema, { storage: first.storage, seed: 3 });
  third.telemetry.record('dark', true);
  expect([results(first.outcomes), results(third.outcomes)]).toEqual([['closed'], ['already-answered']]);
});

test('importing touches nothing; creating asks the storage once, and starts neither timer nor request', () => {
  const touched: string[] = [];
  const memory = memoryStorage();
  const storage: Storage = {
    transact: (key, update) =>
      memory.transact(key, (stored) => {
        const updated = update(stored);
        touched.push(`stores ${updated.next}`);
        return updated;
      }),
  };
  createTelemetry({
    schema,
    endpoint: '/t',
    storage,
    rng: seededRng(1),
    transport: async () => {
      touched.push('request');
      return { status: 204 };
    },
    clock: {
      now: () => 0,
      after: () => {
        touched.push('timer');
        return () => {};
      },
    },
  });
  expect(touched).toEqual(['stores undefined']);
});
