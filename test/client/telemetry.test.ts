/** What a device does: consent, slots, epochs, storage and delivery, through the public interface alone. */

import {
  choice,
  createTelemetry,
  type Delivery,
  defineSchema,
  flag,
  joint,
  memoryStorage,
  permanent,
  type Storage,
  text,
} from '@murmuration/client';
import { seededRng } from '@murmuration/client/testing';
import { MAX_BODY_BYTES, parseBatch, parseDay, publish, unpackReports, wireName } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { device, FIRST_DAY, settle } from './device.ts';

const ask = { epsilon: 1, description: 'a question' };
const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 60, per: 'month' },
  metrics: {
    dark: flag(ask),
    plan: choice(['free', 'pro', 'team'], { ...ask, every: 'week' }),
    both: joint({ plan: ['free', 'pro'], dark: [true, false] }, { ...ask, every: 'once' }),
    home: permanent(text({ ...ask, every: 'day' }), { epsilon: 4, renew: 'month' }),
    kept: permanent(flag({ ...ask, every: 'day' }), { epsilon: 3, renew: 'never' }),
  },
});
const results = (outcomes: readonly { readonly result: string }[]): string[] => outcomes.map(({ result }) => result);

describe('consent', () => {
  test('before consent nothing is stored, scheduled or sent', async () => {
    const writes: string[] = [];
    const memory = memoryStorage();
    const storage: Storage = { ...memory, setItem: (key, value) => void writes.push(`${key}=${value}`) };
    const { telemetry, outcomes, uploads, timers, hide } = device(schema, { consent: 'ask', storage });
    telemetry.record('dark', true);
    hide();
    await telemetry.flush();
    expect(telemetry.consent.state).toBe('ask');
    expect(results(outcomes)).toEqual(['no-consent']);
    expect([writes, uploads, timers()]).toEqual([[], [], 0]);
  });

  test('deny erases what waits, keeps the ledger, and outlives the page', async () => {
    const { telemetry, uploads, storage, outcomes } = device(schema);
    telemetry.record('dark', true);
    await settle();
    telemetry.consent.deny();
    await telemetry.flush();
    expect(uploads).toEqual([]);
    const again = device(schema, { storage });
    expect(again.telemetry.consent.state).toBe('denied');
    again.telemetry.consent.grant();
    again.telemetry.record('dark', true);
    expect(results(again.outcomes)).toEqual(['consent-changed', 'already-answered']);
    expect(results(outcomes)).toEqual(['recorded', 'consent-changed']);
  });

  test('Global Privacy Control turns a granted default into denied, until an explicit grant', () => {
    Object.defineProperty(globalThis.navigator, 'globalPrivacyControl', { value: true, configurable: true });
    try {
      const { telemetry } = device(schema);
      expect(telemetry.consent.state).toBe('denied');
      telemetry.consent.grant();
      expect(telemetry.consent.state).toBe('granted');
    } finally {
      Reflect.deleteProperty(globalThis.navigator, 'globalPrivacyControl');
    }
  });
});

describe('record', () => {
  test('a day of long lists leaves in batches that a collector takes, every report once', async () => {
    const long = Array.from({ length: 100_000 }, (_, i) => `answer ${i}`);
    const names = Array.from({ length: 9 }, (_, i) => `m${i}`);
    const { telemetry, uploads, batches } = device(
      defineSchema({
        app: 'long',
        version: 1,
        budget: { epsilon: 9, per: 'month' },
        metrics: Object.fromEntries(names.map((name) => [name, choice(long, ask)])),
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
    setDay(6);
    telemetry.record('plan', 'team');
    setDay(7);
    telemetry.record('plan', 'team');
    telemetry.record('both', { plan: 'free', dark: true });
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

  test('without entropy nothing is recorded', () => {
    const { telemetry, outcomes, timers } = device(schema, {
      rng: () => {
        throw new Error('no entropy');
      },
    });
    telemetry.record('dark', true);
    expect([results(outcomes), timers()]).toEqual([['no-entropy'], 0]);
  });

  test("an app's own listener may throw", () => {
    const { telemetry } = device(schema, {
      onOutcome: () => {
        throw new Error('a bug of the app');
      },
    });
    expect(() => telemetry.record('dark', true)).not.toThrow();
  });

  test('a raw value is nowhere: not in storage, not on the wire, not in an outcome, not in a preview', async () => {
    const secret = 'correct-horse-battery-staple';
    const { telemetry, outcomes, uploads, storage } = device(schema);
    telemetry.record('home', secret);
    await settle();
    const preview = await telemetry.preview();
    await telemetry.flush();
    expect(JSON.stringify([outcomes, uploads, preview, storage.getItem('murmuration:notes')])).not.toContain('horse');
  });

  test('two devices with any two histories of values have the same outcomes, uploads and sizes', async () => {
    const run = async (values: { dark: boolean; plan: 'free' | 'pro'; home: string }, flip: boolean): Promise<unknown> => {
      const { telemetry, outcomes, batches, setDay, timers } = device(schema, { answer: () => ({ status: 204 }) });
      const pattern: unknown[] = [];
      for (let day = 0; day < 70; day++) {
        setDay(day);
        telemetry.record('dark', values.dark !== (flip && day % 2 === 0));
        telemetry.record('plan', values.plan);
        telemetry.record('home', flip ? values.home + day : values.home);
        telemetry.record('kept', values.dark);
        pattern.push(timers());
        await telemetry.flush();
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
});

describe('permanent metrics', () => {
  test('only the first value of an epoch is ever randomized: later values leave the same stored symbol', async () => {
    const { telemetry, storage, setDay } = device(schema);
    const symbol = (): unknown => JSON.parse(String(storage.getItem('murmuration:notes'))).accounts.home.epoch;
    telemetry.record('home', 'first');
    await telemetry.flush();
    const first = symbol();
    for (let day = 1; day < 30; day++) {
      setDay(day);
      telemetry.record('home', `another ${day}`);
      await telemetry.flush();
      expect(symbol()).toEqual(first);
    }
  });

  test('between two epochs lies one silent window, and the new epoch has a new symbol', async () => {
    const { telemetry, batches, storage, setDay } = device(schema);
    const days: number[] = [];
    const symbols = new Set<string>();
    for (let day = 0; day < 130; day++) {
      setDay(day);
      const before = batches().length;
      telemetry.record('home', 'same');
      await telemetry.flush();
      if (batches().length > before) {
        days.push(day);
        symbols.add(JSON.parse(String(storage.getItem('murmuration:notes'))).accounts.home.epoch.symbol);
      }
    }
    const epochs = [0, 59, 118].flatMap((start) => Array.from({ length: 30 }, (_, i) => start + i)).filter((day) => day < 130);
    expect(days).toEqual(epochs);
    expect(symbols.size).toBe(3);
  });
});

describe('the outbox', () => {
  test('a retry sends the same bytes, and a report that comes later goes into another batch', async () => {
    let status = 503;
    const { telemetry, uploads, batches } = device(schema, { answer: () => ({ status }) });
    telemetry.record('dark', true);
    await telemetry.flush();
    telemetry.record('plan', 'pro');
    await telemetry.flush();
    status = 204;
    await telemetry.flush();
    await telemetry.flush();
    const [first, ...rest] = uploads.map(({ body }) => body);
    expect(rest.filter((body) => body === first)).toHaveLength(2);
    expect(new Set(batches().map(({ batch }) => batch)).size).toBe(2);
    expect(new Set(uploads.map(({ body }) => body)).size).toBe(2);
  });

  test.each([
    [204, 2],
    [503, 1],
  ])('a flush while an upload is on its way, answered %i, makes %i uploads', async (status, count) => {
    const answers: (() => void)[] = [];
    const answer = (): Promise<Delivery> => new Promise((resolve) => answers.push(() => resolve({ status })));
    const { telemetry, uploads, timers } = device(schema, { answer });
    telemetry.record('dark', true);
    const first = telemetry.flush();
    await settle();
    telemetry.record('plan', 'pro');
    const flushes = [telemetry.flush(), telemetry.flush()];
    await settle();
    expect(uploads).toHaveLength(1);
    answers.shift()?.();
    await first;
    await settle();
    answers.shift()?.();
    await Promise.all(flushes);
    expect([uploads.length, timers()]).toEqual([count, 2 - count]);
  });

  test('preview shows the very bytes that the next flush sends', async () => {
    const { telemetry, uploads } = device(schema);
    telemetry.record('dark', true);
    telemetry.record('plan', 'pro');
    const preview = await telemetry.preview();
    expect(preview.flatMap(({ reports }) => reports.map(({ meaning }) => meaning))).toContainEqual(
      expect.stringMatching(/it says: (true|false)$/),
    );
    await telemetry.flush();
    expect(uploads).toEqual(preview.map(({ url, body }) => ({ url, body })));
  });

  test.each([
    [204, 0, 'delivered'],
    [400, 0, 'refused'],
    [404, 0, 'refused'],
    [409, 0, 'refused'],
    [410, 0, 'refused'],
    [413, 0, 'refused'],
    [408, 1, 'recorded'],
    [425, 1, 'recorded'],
    [429, 1, 'recorded'],
    [500, 1, 'recorded'],
    [503, 1, 'recorded'],
    [0, 1, 'recorded'],
  ])('status %i leaves %i batches, and the last outcome is %s', async (status, left, outcome) => {
    const { telemetry, outcomes } = device(schema, { answer: () => ({ status }) });
    telemetry.record('dark', true);
    await telemetry.flush();
    expect(await telemetry.preview()).toHaveLength(left);
    expect(outcomes.at(-1)?.result).toBe(outcome);
  });

  test('a transport that throws is a failed delivery', async () => {
    const { telemetry } = device(schema, { transport: () => Promise.reject(new Error('offline')) });
    telemetry.record('dark', true);
    await telemetry.flush();
    expect(await telemetry.preview()).toHaveLength(1);
  });

  test('what is recorded is sent by a timer within five seconds, or when the page is hidden', async () => {
    const timed = device(schema);
    timed.telemetry.record('dark', true);
    timed.advance(5_000);
    timed.runTimers();
    const hidden = device(schema);
    hidden.telemetry.record('dark', true);
    hidden.hide();
    expect(hidden.uploads).toHaveLength(1); // in the same tick: a page that is left runs nothing later
    await settle();
    expect(timed.uploads).toHaveLength(1);
  });

  test('Retry-After is honoured: no timer and no hidden page sends before', async () => {
    const { telemetry, uploads, hide, advance, runTimers } = device(schema, { answer: () => ({ status: 503, retryAfter: 100 }) });
    telemetry.record('dark', true);
    await telemetry.flush();
    advance(99_000);
    hide();
    runTimers();
    expect(uploads).toHaveLength(1);
    advance(1_000);
    runTimers();
    await settle();
    expect(uploads).toHaveLength(2);
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
});

describe('storage', () => {
  test('a reload goes on where the page was: slots are taken, the outbox is sent', async () => {
    const first = device(schema, { answer: () => ({ status: 0 }) });
    first.telemetry.record('dark', true);
    await first.telemetry.flush();
    const second = device(schema, { storage: first.storage, seed: 2 });
    second.telemetry.record('dark', false);
    await second.telemetry.flush();
    expect(results(second.outcomes)).toEqual(['already-answered', 'delivered']);
    expect(second.uploads).toEqual(first.uploads);
  });

  test('asynchronous storage fits: the value is randomized at once, and committed when the ledger is there', async () => {
    const memory = memoryStorage();
    const later = async <T>(value: T): Promise<T> => {
      await settle();
      return value;
    };
    const storage: Storage = {
      getItem: (key) => later(memory.getItem(key) as string | null),
      setItem: async (key, value) => {
        await settle();
        memory.setItem(key, value);
      },
    };
    const { telemetry, outcomes, batches } = device(schema, { storage });
    telemetry.record('dark', true);
    telemetry.record('dark', true);
    telemetry.record('kept', true);
    expect(outcomes).toEqual([]);
    await telemetry.flush();
    expect(results(outcomes)).toEqual(['already-answered', 'recorded', 'recorded', 'delivered', 'delivered']);
    expect(batches()).toHaveLength(1);
    await telemetry.close();
    const again = device(schema, { storage, consent: 'ask' });
    again.telemetry.record('dark', true);
    await again.telemetry.flush();
    expect(results(again.outcomes)).toEqual(['no-consent']);
  });

  test('an answer from before the first consent does not count, however late the storage is', async () => {
    const storage: Storage = { ...memoryStorage(), getItem: async () => null };
    const { telemetry, outcomes, uploads } = device(schema, { storage, consent: 'ask' });
    telemetry.record('dark', true);
    telemetry.consent.grant();
    await telemetry.flush();
    expect([results(outcomes), uploads]).toEqual([['consent-changed', 'no-consent'], []]);
  });

  test('a failed ledger write records nothing, and the slot stays taken', async () => {
    const memory = memoryStorage();
    let full = true;
    const storage: Storage = {
      ...memory,
      setItem: (key, value) => {
        if (full) throw new Error('QuotaExceededError');
        return memory.setItem(key, value);
      },
    };
    const { telemetry, outcomes, uploads, timers } = device(schema, { storage });
    telemetry.record('dark', true);
    await settle();
    expect(timers()).toBe(0);
    full = false;
    telemetry.record('dark', true);
    await telemetry.flush();
    expect([results(outcomes), uploads]).toEqual([['storage-failed', 'already-answered'], []]);
  });

  test.each(['not json', '{"v":2}', '[]', '"text"', '7'])('a ledger that reads %s counts as spent', async (stored) => {
    const storage = memoryStorage();
    storage.setItem('murmuration:notes', stored);
    const { telemetry, outcomes, setDay, uploads } = device(schema, { storage });
    expect(telemetry.consent.state).toBe('granted'); // what was decided stands apart, and nothing was
    telemetry.record('dark', true);
    telemetry.record('kept', true);
    expect(await telemetry.ledger()).toMatchObject({ spent: 60, left: 0 });
    setDay(29);
    telemetry.record('plan', 'pro'); // weekly, but the window holds the whole budget
    setDay(30);
    telemetry.record('dark', true);
    await telemetry.flush();
    expect(results(outcomes)).toEqual(['storage-reset', 'already-answered', 'already-answered', 'over-budget', 'recorded', 'delivered']);
    expect(uploads).toHaveLength(1);
  });

  test('a thousand records in one tick write the storage at most three times', async () => {
    let writes = 0;
    const memory = memoryStorage();
    const storage: Storage = {
      ...memory,
      setItem: (key, value) => {
        writes++;
        return memory.setItem(key, value);
      },
    };
    const { telemetry } = device(schema, { storage });
    for (let i = 0; i < 1_000; i++) telemetry.record((['dark', 'plan', 'home'] as const)[i % 3] as 'dark', true);
    await settle();
    expect(writes).toBeLessThanOrEqual(3);
  });

  test('two contexts with a lock: the second commits only when the first lets go', async () => {
    const memory = memoryStorage();
    let tail = Promise.resolve();
    const storage: Storage = {
      ...memory,
      lock: () => {
        const before = tail;
        let release = (): void => {};
        tail = new Promise((resolve) => {
          release = resolve;
        });
        return before.then(() => release);
      },
    };
    const first = device(schema, { storage });
    const second = device(schema, { storage, seed: 2 });
    second.telemetry.record('dark', true);
    first.telemetry.record('dark', true);
    await first.telemetry.flush();
    expect([results(first.outcomes), results(second.outcomes)]).toEqual([['recorded', 'delivered'], []]);
    await first.telemetry.close();
    await second.telemetry.flush();
    expect(results(second.outcomes)).toEqual(['already-answered']);
    expect(second.uploads).toEqual([]);
  });
});

describe('what a reviewer found', () => {
  test('an rng that does not fill its bytes at once gives no coins: nothing is recorded', () => {
    const { telemetry, outcomes } = device(schema, { rng: async () => {} });
    telemetry.record('dark', true);
    expect(results(outcomes)).toEqual(['no-entropy']);
  });

  test('what waited for the storage past its day is dropped: a window holds the answers of its own days', async () => {
    let answer = (): void => {};
    const slow = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const storage: Storage = { ...memoryStorage(), getItem: () => slow.then(() => null) };
    const { telemetry, outcomes, uploads, setDay } = device(schema, { storage });
    telemetry.record('dark', true);
    setDay(1);
    answer();
    await telemetry.flush();
    expect([results(outcomes), uploads]).toEqual([['expired'], []]);
  });

  test('a closed telemetry writes no ledger any more', async () => {
    const first = device(schema);
    await first.telemetry.close();
    const second = device(schema, { storage: first.storage, seed: 2 });
    second.telemetry.record('dark', true);
    await second.telemetry.close();
    first.telemetry.consent.grant();
    await settle();
    const third = device(schema, { storage: first.storage, seed: 3 });
    third.telemetry.record('dark', true);
    expect(results(third.outcomes)).toEqual(['already-answered']);
  });

  test('a Retry-After beyond a day is a day, and no earlier timer comes before it', async () => {
    let answered = (_delivery: { status: number; retryAfter: number }): void => {};
    const { telemetry, uploads, advance, runTimers } = device(schema, {
      answer: () =>
        new Promise((resolve) => {
          answered = resolve;
        }),
    });
    telemetry.record('dark', true);
    const flushed = telemetry.flush();
    telemetry.record('plan', 'pro');
    await settle();
    answered({ status: 429, retryAfter: 1e9 });
    await flushed;
    advance(86_399_999);
    runTimers();
    expect(uploads).toHaveLength(1);
    advance(1);
    runTimers();
    await settle();
    expect(uploads.length).toBeGreaterThan(1);
  });

  test('a clock that goes back makes no pause longer than a day', async () => {
    let status = 429;
    const { telemetry, uploads, setDay, runTimers } = device(schema, { answer: () => ({ status, retryAfter: status === 429 ? 600 : 0 }) });
    telemetry.record('dark', true);
    await telemetry.flush();
    setDay(-40);
    status = 503;
    await telemetry.flush();
    expect(uploads).toHaveLength(2);
    setDay(-39);
    runTimers();
    await settle();
    expect(uploads).toHaveLength(3);
  });

  test.each([
    '{"v":1,"accounts":{"dark":{"day":1}}}',
    '{"v":1,"accounts":null}',
    '{"v":1,"outbox":null}',
    '{"v":1,"accounts":{"dark":{"day":1,"spent":[{}]}}}',
  ])('nothing throws where %s is stored', async (stored) => {
    const storage = memoryStorage();
    storage.setItem('murmuration:notes', stored);
    const { telemetry, outcomes } = device(schema, { storage });
    expect(() => telemetry.record('dark', true)).not.toThrow();
    expect(results(outcomes)[0]).toBe('storage-reset');
    await telemetry.ledger();
  });
});

describe('the ledger', () => {
  test('shows what is spent and left, and when a metric is free again', async () => {
    const { telemetry, setDay } = device(schema);
    telemetry.record('dark', true);
    telemetry.record('home', 'x');
    const ledger = await telemetry.ledger();
    expect(ledger).toMatchObject({ budget: { epsilon: 60, per: 'month' }, spent: 5, left: 55 });
    expect(ledger.metrics.find(({ metric }) => metric === 'dark')).toEqual({ metric: 'dark', year: 13, spent: 1, nextDay: FIRST_DAY + 30 });
    setDay(31);
    expect((await telemetry.ledger()).spent).toBe(0);
  });

  test('a new version of the schema cannot spend what an old one has spent in a window that has begun', async () => {
    const version = (number: number, epsilon: number, metric: string): ReturnType<typeof defineSchema> =>
      defineSchema({
        app: 'up',
        version: number,
        budget: { epsilon, per: 'month' },
        metrics: { [metric]: flag({ epsilon: 3, description: 'q' }) },
      }) as never;
    const first = device(version(1, 3, 'a') as typeof schema);
    first.telemetry.record('a' as 'dark', true);
    await first.telemetry.flush();
    const second = device(version(2, 5, 'b') as typeof schema, { storage: first.storage });
    second.telemetry.record('b' as 'dark', true);
    second.setDay(30);
    second.telemetry.record('b' as 'dark', true);
    await second.telemetry.flush();
    expect(results(second.outcomes)).toEqual(['over-budget', 'recorded', 'delivered']);
  });
});

test('close flushes, stops listening, and records nothing more', async () => {
  const { telemetry, uploads, outcomes, hide, timers } = device(schema);
  telemetry.record('dark', true);
  await telemetry.close();
  telemetry.record('plan', 'pro');
  hide();
  expect([uploads.length, timers(), results(outcomes).at(-1)]).toEqual([1, 0, 'no-consent']);
});

test('importing and creating touches nothing: no timer, no write, no request', () => {
  const touched: string[] = [];
  const storage: Storage = {
    getItem: () => null,
    setItem: () => void touched.push('write'),
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
  expect(touched).toEqual([]);
});
