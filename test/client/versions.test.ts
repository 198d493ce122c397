/** What is spent stays spent: in the ledger that people see, over versions of a schema, and after a person was forgotten. */

import { type DeviceQuestions, defineSchema, flag, ledger, permanent, preview, type Schema, text } from '@murmuration/client';
import { describe, expect, test } from 'vitest';
import { answerOf, GRANTED } from '#client/ledger/decision.ts';
import { type Device, device, results, settle, stateIn, textIn } from './device.ts';
import { modelBrowser } from './model-storage.ts';

const ask = { epsilon: 1, description: 'a question' };
const of = (version: number, epsilon: number, per: 'week' | 'month' | 'year') =>
  defineSchema({ app: 'notes', version, budget: { epsilon, per }, metrics: { dark: flag(ask), wide: flag({ ...ask, every: 'week' }) } });
const schema = of(1, 9, 'month');
type Metrics = typeof schema extends Schema<infer M> ? M : never;

/** The days on which a record is taken, of those on which the app is opened and records. */
async function daysOf(
  { telemetry, outcomes, setDay }: Device<Metrics>,
  metric: 'dark' | 'wide',
  days: readonly number[],
): Promise<number[]> {
  const taken: number[] = [];
  for (const day of days) {
    setDay(day);
    const before = outcomes.length;
    telemetry.record(metric, true);
    await telemetry.flush();
    if (results(outcomes.slice(before)).includes('recorded')) taken.push(day);
  }
  return taken;
}
const range = (from: number, to: number, step = 1): readonly number[] =>
  Array.from({ length: (to - from) / step }, (_, i) => from + i * step);

test('the ledger shows what is spent and left, and when a metric is free again', async () => {
  const { telemetry, setDay } = device(
    defineSchema({
      app: 'notes',
      version: 1,
      budget: { epsilon: 60, per: 'month' },
      metrics: { dark: flag(ask), home: permanent(text({ ...ask, every: 'day' }), { epsilon: 4, renew: 'month' }) },
    }),
  );
  telemetry.record('dark', true);
  telemetry.record('home', 'x');
  const shown = await ledger(telemetry);
  expect(shown).toMatchObject({ budget: { epsilon: 60, per: 'month' }, spent: 5, left: 55, today: '2026-11-20' });
  expect(shown.metrics.find(({ metric }) => metric === 'dark')).toEqual({ metric: 'dark', year: 13, spent: 1, nextDay: '2026-12-20' });
  setDay(31);
  expect((await ledger(telemetry)).spent).toBe(0);
});

describe('a new version of the schema', () => {
  test('cannot spend what an old one has spent in a window that has begun', async () => {
    const one = (version: number, epsilon: number, metric: string) =>
      defineSchema({ app: 'up', version, budget: { epsilon, per: 'month' }, metrics: { [metric]: flag({ ...ask, epsilon: 3 }) } });
    const first = device(one(1, 3, 'a'));
    first.telemetry.record('a', true);
    await first.telemetry.flush();
    const second = device(one(2, 5, 'b'), { storage: first.storage });
    second.telemetry.record('b', true);
    await settle();
    second.setDay(30);
    second.telemetry.record('b', true);
    await second.telemetry.flush();
    expect(results(second.outcomes)).toEqual(['over-budget', 'recorded', 'delivered']);
  });
});

describe('forget', () => {
  test('erases all but a tombstone, which counts as the whole budget until the window ends', async () => {
    const it = device(schema);
    const { telemetry, uploads, storage, setDay } = it;
    telemetry.record('dark', true);
    await settle();
    setDay(3);
    await telemetry.forget();
    expect(telemetry.consent.state).toBe('denied');
    expect(await ledger(telemetry)).toMatchObject({ spent: 9, left: 0 });
    expect([stateIn(storage).decision, await preview(telemetry), uploads]).toEqual([6, [], []]);
    telemetry.consent.grant();
    expect(await daysOf(it, 'wide', [3, 9, 10, 32, 33])).toEqual([33]);
  });

  test('leaves no draw, order, id or symbol of an epoch', async () => {
    const assigned = defineSchema({
      app: 'notes',
      version: 1,
      budget: { epsilon: 9, per: 'month' },
      assign: 'random',
      metrics: { kept: permanent(flag({ ...ask, every: 'day' }), { epsilon: 3, renew: 'year' }) },
    });
    const { telemetry, storage } = device(assigned, { sampleRate: 0.99, seed: 4 });
    telemetry.record('kept', true);
    await settle();
    const { draw, order, accounts } = stateIn(storage);
    expect([draw !== undefined, order, accounts.kept?.epoch !== undefined]).toEqual([true, ['kept'], true]);
    await telemetry.forget();
    const text = textIn(storage) ?? '';
    const left = stateIn(storage);
    expect(Object.keys(left).sort()).toEqual(['accounts', 'batches', 'day', 'decision', 'outbox', 'pause', 'quiet', 'retired', 'v']);
    expect([Object.keys(left.accounts.kept ?? {}).sort(), left.accounts.kept?.by]).toEqual([['by', 'day', 'spent'], '']);
    expect(text).not.toMatch(/[0-9a-f]{32}/);
  });

  test('v1 of 2 a year, v2 of 2 a month, forget, grant: nothing until the year is over', async () => {
    const first = device(yearly());
    first.telemetry.record('dark', true);
    await first.telemetry.close();
    const second = device(monthly(), { storage: first.storage, seed: 2 });
    second.setDay(1);
    await second.telemetry.forget();
    second.telemetry.consent.grant();
    expect(await daysOf(second as unknown as Device<Metrics>, 'dark', range(1, 400))).toEqual([366, 396]);
  });

  test('under a version of shorter windows: silent for as long as an older version has promised', async () => {
    const first = device(schema);
    first.telemetry.record('dark', true);
    await first.telemetry.close();
    const second = device(of(2, 9, 'week'), { storage: first.storage, seed: 2 });
    second.setDay(1);
    await second.telemetry.forget();
    second.telemetry.consent.grant();
    expect(await daysOf(second as unknown as Device<Metrics>, 'wide', [1, 8, 29, 30, 31, 32])).toEqual([31]);
  });

  test('again and again, with a grant between, gives back nothing', async () => {
    const it = device(schema);
    const days: number[] = [];
    for (const day of range(0, 70, 5)) {
      it.setDay(day);
      it.telemetry.consent.grant();
      days.push(...(await daysOf(it, 'wide', [day])));
      if (day % 10 === 0 && day < 30) await it.telemetry.forget();
    }
    expect(days).toEqual([0, 50, 60]);
  });

  test('is not undone by a page of an older version that only answers in the place of `otherwise`', async () => {
    const browser = modelBrowser({ hasSpill: false });
    const seen = flag({ ...ask, otherwise: false });
    const versioned = <M extends DeviceQuestions>(version: number, metrics: M) =>
      device(defineSchema({ app: 'notes', version, budget: { epsilon: 9, per: 'month' }, metrics }), { storage: browser.open() });
    const old = versioned(1, { dark: flag(ask), seen });
    old.telemetry.record('dark', true);
    await old.telemetry.flush();
    const next = versioned(2, { wide: flag(ask) });
    await next.telemetry.forget();
    old.telemetry.record('seen', true);
    await settle();
    await old.telemetry.flush();
    await ledger(old.telemetry);
    expect(Object.keys(JSON.parse((browser.stored('murmuration:notes') ?? '').slice(16)).accounts)).toEqual(['wide']);
  });

  test('who agrees before it was done is forgotten, and has agreed', async () => {
    const { telemetry, storage, uploads } = device(schema);
    telemetry.record('dark', true);
    const forgotten = telemetry.forget();
    telemetry.consent.grant();
    await forgotten;
    await telemetry.flush();
    expect([telemetry.consent.state, answerOf(stateIn(storage).decision), uploads]).toEqual(['granted', GRANTED, []]);
    expect(await ledger(telemetry)).toMatchObject({ spent: 9 });
  });
});

const yearly = () =>
  defineSchema({
    app: 'notes',
    version: 1,
    budget: { epsilon: 2, per: 'year' },
    metrics: { dark: flag({ ...ask, every: 'once', epsilon: 2 }) },
  });
const monthly = () =>
  defineSchema({
    app: 'notes',
    version: 2,
    budget: { epsilon: 2, per: 'month' },
    metrics: { dark: flag({ ...ask, every: 'month', epsilon: 2 }) },
  });

describe('what a production bundle can not count records nothing', () => {
  type Document = typeof schema.document;
  const by = (document: Document): typeof schema => ({ ...schema, document });
  const { document } = schema;

  test.each(['quarter', 'constructor', '', undefined])('a budget per %s', async (per) => {
    const odd = by({ ...document, budget: { epsilon: 9, per } } as unknown as Document);
    const it = device(odd);
    for (const day of range(0, 100, 7)) {
      it.setDay(day);
      it.telemetry.record('wide', true);
      it.telemetry.record('dark', true);
      await it.telemetry.flush();
    }
    await it.telemetry.forget();
    it.telemetry.consent.grant();
    it.telemetry.record('wide', true);
    await it.telemetry.flush();
    expect(it.uploads).toEqual([]);
    expect(results(it.outcomes)).not.toContain('recorded');
  });

  test.each([Number.NaN, undefined])('a budget of %s', async (epsilon) => {
    const it = device(by({ ...document, budget: { epsilon, per: 'month' } } as unknown as Document));
    expect(await daysOf(it, 'dark', range(0, 100, 7))).toEqual([]);
  });
});
