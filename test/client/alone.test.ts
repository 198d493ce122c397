/** Reports that are sent alone: one in a batch, one in a quiet time, in whatever contexts and however often the app is opened. */

import { choice, type Delivery, defineSchema, flag, memoryStorage, permanent, preview, text } from '@murmuration/client';
import { dBitFlip, localHashing } from '@murmuration/client/mechanisms';
import { parseDay } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { multinomial, upperTail } from '../proofs/statistics.ts';
import { device, FIRST_DAY, settle, stateIn, type Time, timeOf } from './device.ts';

const NEVER = 1e-6;
const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];
const ask = { epsilon: 1, description: 'a question' };
const names = Array.from({ length: 12 }, (_, i) => `m${i}`);
const define = (version: number, reports: 'alone' | 'together') =>
  defineSchema({
    app: 'notes',
    version,
    budget: { epsilon: 400, per: 'month' },
    reports,
    metrics: Object.fromEntries(names.map((name) => [name, flag({ ...ask, every: 'week' })])),
  });
const schema = define(1, 'alone');

/** A machine whose contexts share a storage and a clock. What arrives is kept with its time. */
function machine(seed: number, status: (now: number) => number | Promise<number> = () => 204) {
  const [storage, time]: [ReturnType<typeof memoryStorage>, Time] = [memoryStorage(), { now: timeOf(0) }];
  const sent: { readonly at: number; readonly batch: string; readonly day: number; readonly metrics: readonly string[] }[] = [];
  let contexts = 1_000 * seed;
  const open = (of = schema) =>
    device(of, {
      storage,
      time,
      seed: ++contexts,
      answer: async ({ body }): Promise<Delivery> => {
        const { batch, day, reports } = JSON.parse(body) as { batch: string; day: string; reports: [string, string][] };
        const metrics = reports.map(([metric]) => metric);
        sent.push({ at: time.now, batch, day: (parseDay(day) as number) - FIRST_DAY, metrics });
        return { status: await status(time.now) };
      },
    });
  /** Opens the app for so long, records metrics, and is killed. */
  const visit = async (lasting: number, metrics: readonly string[] = [], of = schema): Promise<void> => {
    const it = open(of);
    for (const metric of metrics) it.telemetry.record(metric, true);
    await it.live(lasting);
  };
  return { storage, time, sent, open, visit };
}
const distinct = (sent: readonly { readonly batch: string }[]): number => new Set(sent.map(({ batch }) => batch)).size;

describe('a schema', () => {
  const kept = { epsilon: 4, renew: 'year' } as const;
  const day = { ...ask, every: 'day' } as const;
  const list = Array.from({ length: 40 }, (_, i) => `answer ${i}`);
  const sendingOf = (metric: object, more: object = {}) =>
    defineSchema({ app: 'notes', version: 1, budget: { epsilon: 9, per: 'month' }, metrics: { metric: metric as never }, ...more }).document
      .reports;
  test.each([
    ['a flag', flag(ask), {}, 'together'],
    ['a text, whose cohort is drawn anew for each report', text(ask), {}, 'together'],
    ['a permanent flag', permanent(flag(day), kept), {}, 'together'],
    ['a permanent text', permanent(text(day), kept), {}, 'alone'],
    ['a permanent text of so few devices that it has one cohort', permanent(text(day), kept), { devices: 10 }, 'together'],
    ['metrics assigned at random', flag(ask), { assign: 'random' }, 'alone'],
    ['metrics assigned at random, if the developer says so', flag(ask), { assign: 'random', reports: 'together' }, 'together'],
    ['a flag, if the developer says so', flag(ask), { reports: 'alone' }, 'alone'],
  ] as const)('of %s', (_, metric, more, sending) => {
    expect(sendingOf(metric, more)).toBe(sending);
  });
  test.each([
    [localHashing(), 'alone'],
    [localHashing({ buckets: 40 }), 'together'],
    [dBitFlip({ bits: 4 }), 'alone'],
    [dBitFlip({ bits: 40 }), 'together'],
  ])('of a permanent list with a mechanism: %#', (mechanism, sending) => {
    expect(sendingOf(permanent(choice(list, { ...day, mechanism }), kept))).toBe(sending);
  });
});

test('an opening sends one report, the others go one by one within a day each, and each has a batch and the day of its slot', async () => {
  const { sent, time, open } = machine(1);
  const it = open();
  for (const name of names) it.telemetry.record(name, true);
  await it.live(MINUTE);
  expect(sent).toHaveLength(1);
  const start = timeOf(0);
  await it.live(13 * DAY);
  expect(sent).toHaveLength(12);
  expect(sent.map(({ metrics }) => metrics.length)).toEqual(new Array(12).fill(1));
  expect(new Set(sent.flatMap(({ metrics }) => metrics)).size).toBe(12);
  expect(sent.map(({ day }) => day)).toEqual(new Array(12).fill(0)); // no limit moves a date
  const gaps = sent.map(({ at }, i) => at - (sent[i - 1]?.at ?? start));
  expect(Math.max(...gaps)).toBeLessThan(DAY + MINUTE);
  expect(time.now).toBeGreaterThan(start);
});

test('a flush, a hidden page, a second tab, a reload and a record soon after send nothing more', async () => {
  for (let seed = 0; seed < 20; seed++) {
    const { sent, open, storage } = machine(seed);
    const first = open();
    first.telemetry.record('m0', true);
    first.telemetry.record('m1', true);
    await first.live(10_000);
    expect(sent).toHaveLength(1);
    if (stateIn(storage).quiet < timeOf(0) + HOUR) continue; // a short quiet time was drawn
    first.telemetry.record('m2', true);
    await first.telemetry.flush();
    const second = open();
    second.telemetry.record('m3', true);
    await second.live(MINUTE);
    for (const it of [first, second]) {
      it.hide();
      it.leave();
      it.comeBack();
      await it.telemetry.flush();
      await it.telemetry.close();
    }
    await open().live(MINUTE);
    expect(sent).toHaveLength(1);
  }
});

test('two tabs that wake at the same time send one report together', async () => {
  const { sent, open, storage } = machine(3);
  const tabs = [open(), open()];
  for (const name of names) tabs[0]?.telemetry.record(name, true);
  await settle();
  for (const it of tabs) it.hide();
  await settle();
  expect(sent).toHaveLength(1);
  expect(stateIn(storage).quiet).toBeGreaterThan(timeOf(0));
});

test('the report that an opening sends is each of those that wait with the same chance', async () => {
  const DEVICES = 1_200;
  const counts = new Map(names.map((name) => [name, 0]));
  for (let seed = 0; seed < DEVICES; seed++) {
    const it = device(schema, { seed });
    for (const name of names) it.telemetry.record(name, true);
    await it.telemetry.flush();
    const first = it.batches()[0]?.reports[0]?.[0] ?? '';
    counts.set(first, (counts.get(first) as number) + 1);
  }
  expect(upperTail(multinomial([...counts.values()], new Array(12).fill(1 / 12), DEVICES))).toBeGreaterThan(NEVER);
});

test('quiet times end at each hour of the next day with the same chance', async () => {
  const DEVICES = 1_200;
  const counts = new Array<number>(24).fill(0);
  for (let seed = 0; seed < DEVICES; seed++) {
    const it = device(schema, { seed });
    it.telemetry.record('m0', true);
    await it.telemetry.flush();
    const hour = Math.floor((stateIn(it.storage).quiet - timeOf(0)) / HOUR);
    counts[hour] = (counts[hour] as number) + 1;
  }
  expect(counts).toHaveLength(24);
  expect(upperTail(multinomial(counts, new Array(24).fill(1 / 24), DEVICES))).toBeGreaterThan(NEVER);
});

describe('after failures', () => {
  test.each([503, 429, 404, 0])(
    '%i for four days: an opening shows no report that is new, unless the quiet time is over',
    async (status) => {
      const UP = timeOf(4);
      for (let seed = 0; seed < 10; seed++) {
        const { sent, time, visit, storage } = machine(seed, (now) => (now < UP ? status : 204));
        for (let day = 0; day < 10; day++) {
          for (const hour of [8, 9, 20]) {
            time.now = timeOf(day) + hour * HOUR;
            const isQuiet = sent.length > 0 && stateIn(storage).quiet > time.now + 2 * MINUTE;
            const from = sent.length;
            await visit(2 * MINUTE, day === 0 ? names : []);
            const shown = new Set(sent.slice(from).map(({ batch }) => batch));
            if (isQuiet) shown.delete(sent[from - 1]?.batch ?? '');
            expect(shown.size).toBeLessThanOrEqual(isQuiet ? 0 : 1);
          }
        }
        expect(distinct(sent.filter(({ at }) => at >= UP))).toBeGreaterThan(3);
      }
    },
  );

  test('a report that no collector takes holds the others back for a day at most', async () => {
    let refused = '';
    const sent = new Set<string>();
    const it = device(schema, {
      answer: ({ body }) => {
        const { batch } = JSON.parse(body) as { batch: string };
        refused ||= batch;
        sent.add(batch);
        return { status: batch === refused ? 404 : 204 };
      },
    });
    for (const name of names) it.telemetry.record(name, true);
    await it.live(13 * DAY);
    expect(sent.size).toBeGreaterThan(6);
  });
});

test('a page that is left sends nothing without a transaction', async () => {
  const page = { ...memoryStorage(), suspend: () => {} };
  const it = device(schema, { storage: page });
  it.telemetry.record('m0', true);
  await settle();
  it.leave();
  expect(it.uploads).toEqual([]);
});

test('a later version that sends together sends what waits alone one by one', async () => {
  const { sent, time, visit } = machine(7);
  await visit(MINUTE, names);
  for (let day = 1; day < 6; day++) {
    time.now = timeOf(day) + HOUR;
    const from = sent.length;
    await visit(10 * MINUTE, [], define(2, 'together'));
    expect(sent.length - from).toBeLessThanOrEqual(1);
  }
  expect(sent.length).toBeGreaterThan(3);
});

test.each([204, 0])('a clock that is set back ends the quiet time, and begins another, where status %i comes', async (status) => {
  const { sent, time, visit } = machine(8, (now) => (now < timeOf(60) ? status : 204));
  time.now = timeOf(60);
  await visit(MINUTE, names);
  time.now = timeOf(10);
  for (let visits = 0; visits < 5; visits++) await visit(MINUTE);
  expect(distinct(sent)).toBe(2);
});

test('preview shows all that wait', async () => {
  const it = device(schema);
  for (const name of names) it.telemetry.record(name, true);
  expect(await preview(it.telemetry)).toHaveLength(12);
});
