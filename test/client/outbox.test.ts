/** What waits and when it goes: later slots, batches a day, bounds, what is on its way at once, and silence. */

import { choice, defineSchema, flag, memoryStorage, preview, text } from '@murmuration/client';
import { unary } from '@murmuration/client/mechanisms';
import { MAX_BODY_BYTES, parseDay } from '@murmuration/shared';
import { describe, expect, test, vi } from 'vitest';
import { multinomial, upperTail } from '../proofs/statistics.ts';
import { type Device, type DeviceOptions, device, FIRST_DAY, results, settle, stateIn, textIn } from './device.ts';

const NEVER = 1e-6;
const ask = { epsilon: 1, description: 'a question' };
const names = Array.from({ length: 12 }, (_, i) => `m${i}`);
const metrics: { readonly [name: string]: ReturnType<typeof flag> } = {
  weekly: flag({ ...ask, every: 'week' }),
  ...Object.fromEntries(names.map((name) => [name, flag({ ...ask, every: 'day' })])),
};
const schema = defineSchema({ app: 'notes', version: 1, budget: { epsilon: 400, per: 'month' }, metrics });
/** Days after the first, of each batch that was sent. */
const daysOf = ({ batches }: Device<typeof metrics>): readonly number[] =>
  batches().map(({ day }) => (parseDay(day) as number) - FIRST_DAY);

test('the reports of a batch lie in each order as often as in any other, whatever the order in which they came', async () => {
  const DEVICES = 3_000;
  const came = ['m0', 'm1', 'm2'] as const;
  const counts = new Map<string, number>();
  for (let seed = 0; seed < DEVICES; seed++) {
    const { telemetry, batches } = device(schema, { seed });
    for (const name of came) telemetry.record(name, true);
    await telemetry.flush();
    const reports = batches()[0]?.reports ?? [];
    const order = reports.map(([name]) => name).join();
    counts.set(order, (counts.get(order) ?? 0) + 1);
  }
  expect(counts.size).toBe(6);
  expect(upperTail(multinomial([...counts.values()], new Array(6).fill(1 / 6), DEVICES))).toBeGreaterThan(NEVER);
});

describe("upload: 'later'", () => {
  test('a report waits for a random day of the next slot, each as likely as the other', async () => {
    const DEVICES = 2_800;
    const counts = new Array<number>(7).fill(0);
    for (let seed = 0; seed < DEVICES; seed++) {
      const { telemetry } = device(schema, { seed, upload: 'later' });
      telemetry.record('weekly', true);
      const [batch] = await preview(telemetry);
      const wait = (parseDay(batch?.day ?? '') as number) - FIRST_DAY;
      expect(wait).toBeGreaterThanOrEqual(7);
      (counts[wait - 7] as number)++;
    }
    expect(counts).toHaveLength(7);
    expect(upperTail(multinomial(counts, new Array(7).fill(1 / 7), DEVICES))).toBeGreaterThan(NEVER);
  });

  test('it is sent when that day is over, and no timer runs for it until then', async () => {
    const it = device(schema, { upload: 'later' });
    it.telemetry.record('m0', true); // daily: it waits for tomorrow
    for (const day of [0, 1]) {
      it.setDay(day);
      await it.telemetry.flush();
      expect([it.uploads, it.timers()]).toEqual([[], 0]);
    }
    it.setDay(2);
    it.hide();
    await settle();
    expect(daysOf(it)).toEqual([1]);
  });

  test('one batch a day leaves, however often the app was opened', async () => {
    const storage = memoryStorage();
    for (const [i, name] of names.entries()) {
      const visit = device(schema, { storage, seed: i, upload: 'later' });
      visit.telemetry.record(name, true);
      await visit.telemetry.close();
      expect(visit.uploads).toEqual([]);
    }
    const last = device(schema, { storage, upload: 'later' });
    last.setDay(2);
    await last.telemetry.flush();
    expect(daysOf(last)).toEqual([1]);
    expect(
      last
        .batches()[0]
        ?.reports.map(([name]) => name)
        .sort(),
    ).toEqual([...names].sort());
  });

  test.each([['now'], [7]])('%s is no time to upload', (upload) => {
    expect(() => device(schema, { upload: upload as 'later' })).toThrow(/upload: expected one of soon, later, got/);
  });
});

describe('batches a day', () => {
  const visit = async (
    storage = memoryStorage(),
    options: DeviceOptions<typeof metrics> = {},
    run = (_: Device<typeof metrics>): void => {},
  ) => {
    const it = device(schema, { storage, ...options });
    run(it);
    await it.telemetry.close();
    return it;
  };
  const recording =
    (name: string, day = 0) =>
    ({ telemetry, setDay }: Device<typeof metrics>): void => {
      setDay(day);
      telemetry.record(name, true);
    };

  test('the last that a day may have goes when it is over, with all that came meanwhile', async () => {
    const storage = memoryStorage();
    const sent: (readonly number[])[] = [];
    for (const [i, name] of names.entries()) sent.push(daysOf(await visit(storage, { seed: i, batchesPerDay: 3 }, recording(name))));
    expect(sent).toEqual([[0], [0], ...new Array(10).fill([])]);
    const next = await visit(storage, { seed: 99, batchesPerDay: 3 }, recording('m0', 1));
    expect(daysOf(next)).toEqual([0, 1]);
    expect(next.batches()[0]?.reports).toHaveLength(10);
  });

  test('8 unless the app says otherwise, counted through failures and restarts', async () => {
    const storage = memoryStorage();
    let sent = 0;
    for (const [i, name] of names.entries()) {
      const it = await visit(storage, { seed: i, answer: () => ({ status: i % 2 ? 204 : 503 }) }, recording(name));
      sent += new Set(it.batches().map(({ batch }) => batch)).size > 0 ? 1 : 0;
    }
    const days = device(schema, { storage, consent: 'granted' });
    days.setDay(1);
    await days.telemetry.flush();
    expect(sent).toBeLessThan(names.length);
    expect(daysOf(days).filter((day) => day > 0)).toEqual([]);
  });

  test('another segment takes another batch, of another day where this has none left', async () => {
    const segmented = defineSchema({
      app: 'notes',
      version: 1,
      budget: { epsilon: 9, per: 'month' },
      segments: { platform: ['web', 'ios'] },
      metrics: { a: flag(ask), b: flag(ask) },
    });
    const storage = memoryStorage();
    for (const [metric, platform] of [
      ['a', 'web'],
      ['b', 'ios'],
    ] as const) {
      const it = device(segmented, { storage, batchesPerDay: 1, segment: { platform } });
      it.telemetry.record(metric, true);
      await it.telemetry.close();
    }
    const last = device(segmented, { storage, batchesPerDay: 1, segment: { platform: 'web' } });
    last.setDay(3);
    await last.telemetry.flush();
    const sent = last.batches().map(({ day, segment, reports }) => [(parseDay(day) as number) - FIRST_DAY, segment, reports[0]?.[0]]);
    expect(sent).toEqual([
      [0, { platform: 'web' }, 'a'],
      [1, { platform: 'ios' }, 'b'],
    ]);
  });

  test('no batch has two reports of a metric, which a collector would refuse, though one was moved to a later day', async () => {
    const daily = flag({ ...ask, every: 'day' });
    const segmented = defineSchema({
      app: 'notes',
      version: 1,
      budget: { epsilon: 400, per: 'month' },
      segments: { platform: ['web', 'ios'] },
      metrics: { a: daily, b: daily },
    });
    const storage = memoryStorage();
    let seed = 0;
    const sent: [day: number, metrics: readonly string[]][] = [];
    const visited = async (day: number, platform: 'web' | 'ios', metric?: 'a' | 'b'): Promise<void> => {
      const it = device(segmented, { storage, seed: ++seed, batchesPerDay: 1, segment: { platform } });
      it.setDay(day);
      if (metric) it.telemetry.record(metric, true);
      await it.telemetry.close();
      for (const batch of it.batches()) sent.push([(parseDay(batch.day) as number) - FIRST_DAY, batch.reports.map(([name]) => name)]);
    };
    await visited(0, 'web', 'a');
    await visited(0, 'ios', 'b'); // the day is full: it is moved to the next
    await visited(1, 'ios', 'b');
    for (const day of [3, 4, 5]) await visited(day, 'ios');
    expect(sent.sort(([a], [b]) => a - b)).toEqual([
      [0, ['a']],
      [1, ['b']],
      [2, ['b']],
    ]);
  });

  test.each([0, 1.5, -1])('%s batches a day are refused', (batchesPerDay) => {
    expect(() => device(schema, { batchesPerDay })).toThrow(/batchesPerDay: expected a whole number above 0, got/);
  });

  test.each([0, -1, Number.NaN])('%s batches a day are at least one where a production bundle does not check', async (batchesPerDay) => {
    vi.stubEnv('NODE_ENV', 'production');
    const { telemetry, batches } = device(schema, { batchesPerDay });
    vi.unstubAllEnvs();
    telemetry.record('m0', true);
    await telemetry.flush();
    expect(batches().length).toBeLessThanOrEqual(1);
  });
});

describe('bounds', () => {
  test('when the outbox is full the oldest batch makes room, and that is said', async () => {
    const { telemetry, outcomes, setDay, storage } = device(schema, { batchesPerDay: 200, answer: () => ({ status: 503 }) });
    for (let i = 0; i < 13; i++) {
      setDay(i);
      for (const name of names) {
        telemetry.record(name, true);
        await telemetry.flush();
      }
    }
    const { outbox } = stateIn(storage);
    expect(outbox.length).toBeLessThanOrEqual(100);
    const said = results(outcomes);
    expect(said.filter((result) => result === 'dropped')).toHaveLength(
      said.filter((result) => result === 'recorded').length - outbox.length,
    );
  });

  test('what is stored stays bounded, though reports are long', async () => {
    const many = Array.from({ length: 16 }, (_, i) => `m${i}`);
    const long = Array.from({ length: 100_000 }, (_, i) => `answer ${i}`);
    const lists = defineSchema({
      app: 'notes',
      version: 1,
      budget: { epsilon: 40, per: 'month' },
      metrics: Object.fromEntries(many.map((name) => [name, choice(long, { ...ask, mechanism: unary() })])),
    });
    const { telemetry, outcomes, storage, uploads } = device(lists, { answer: () => ({ status: 503 }) });
    for (const name of many) telemetry.record(name, 'answer 7');
    await telemetry.flush();
    expect((textIn(storage) as string).length).toBeLessThan(700_000);
    expect(results(outcomes)).toContain('dropped');
    for (const { body } of uploads) expect(Buffer.byteLength(body)).toBeLessThan(MAX_BODY_BYTES);
  });

  test('as many of the oldest batches make room as it takes, whatever they say', async () => {
    const long = Array.from({ length: 40_000 }, (_, i) => `answer ${i}`);
    const bulky = names.map((name) => `long-${name}`);
    const mixed = defineSchema({
      app: 'notes',
      version: 1,
      budget: { epsilon: 800, per: 'month' },
      metrics: {
        ...metrics,
        ...Object.fromEntries(bulky.map((name) => [name, choice(long, { ...ask, every: 'day', mechanism: unary() })])),
      },
    });
    const lives = [];
    for (const value of [true, false]) {
      const { telemetry, outcomes, storage, setDay } = device(mixed, { batchesPerDay: 200, answer: () => ({ status: 503 }) });
      const one = async (name: string): Promise<void> => {
        telemetry.record(name as 'm0', (name.startsWith('long') ? 'answer 7' : value) as boolean);
        await telemetry.flush();
      };
      for (let day = 0; day < 4; day++) {
        setDay(day);
        for (const name of names) await one(name);
      }
      for (let day = 4; day < 7; day++) {
        setDay(day);
        for (const name of bulky) await one(name);
      }
      expect((textIn(storage) as string).length).toBeLessThan(530_000);
      lives.push(results(outcomes));
    }
    expect(lives[0]).toEqual(lives[1]);
  });

  test('no more is on its way at once than a browser lets outlive a page', async () => {
    const long = Array.from({ length: 40_000 }, (_, i) => `answer ${i}`);
    const lists = defineSchema({
      app: 'notes',
      version: 1,
      budget: { epsilon: 40, per: 'month' },
      metrics: Object.fromEntries(names.slice(0, 9).map((name) => [name, choice(long, { ...ask, mechanism: unary() })])),
    });
    let [flying, most, bodies] = [0, 0, 0];
    const { telemetry } = device(lists, {
      transport: async ({ body }) => {
        flying += body.length;
        bodies++;
        most = Math.max(most, flying);
        await settle();
        flying -= body.length;
        return { status: 204 };
      },
    });
    for (const name of names.slice(0, 9)) telemetry.record(name, 'answer 7');
    await telemetry.flush();
    expect(bodies).toBeGreaterThan(1);
    expect(most).toBeLessThan(65_536);
    expect(await preview(telemetry)).toEqual([]);
  });
});

describe('silence', () => {
  const words = defineSchema({ app: 'notes', version: 1, budget: { epsilon: 9, per: 'month' }, metrics: { a: flag(ask), b: text(ask) } });
  const HOURS = 9 * 3_600_000;

  test('after three tries that nobody answered, the next waits for something to happen', async () => {
    let tries = 0;
    const { telemetry, live, timers, hide } = device(words, {
      transport: () => {
        tries++;
        return Promise.reject(new TypeError('Failed to fetch'));
      },
    });
    telemetry.record('a', true);
    await live(HOURS);
    expect([tries, timers()]).toEqual([3, 0]);
    telemetry.record('b', 'word');
    await live(HOURS);
    expect([tries, timers()]).toEqual([3, 0]);
    hide(); // left, shown again, or online again
    await settle();
    expect(tries).toBe(5); // both: one was never sent
    await live(HOURS);
    expect(timers()).toBe(0);
    expect(tries).toBeLessThanOrEqual(5 + 2);
    expect((await preview(telemetry)).length).toBe(2); // and nothing was lost
  });

  test('a collector that answers is tried for as long as it takes', async () => {
    let tries = 0;
    const { telemetry, live } = device(words, {
      answer: () => {
        tries++;
        return { status: 503 };
      },
    });
    telemetry.record('a', true);
    await live(20 * 3_600_000);
    expect(tries).toBeGreaterThan(20);
  });
});
