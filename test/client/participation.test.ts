/** Who takes part and in what, and slots whose report does not tell whether anything was recorded. */

import { choice, defineSchema, flag, memoryStorage, permanent, type Storage } from '@murmuration/client';
import { type Batch, parseDay } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { binomial, multinomial, pooled, upperTail } from '../proofs/statistics.ts';
import { type Device, device, FIRST_DAY, settle } from './device.ts';

/** The size of the statistical tests. */
const NEVER = 1e-6;
const ask = { epsilon: 1, description: 'a question' };
const results = (outcomes: readonly { readonly result: string }[]): string[] => outcomes.map(({ result }) => result);
const stored = (storage: Storage): string => storage.getItem('murmuration:notes') as string;

describe('sample', () => {
  const schema = defineSchema({ app: 'notes', version: 1, budget: { epsilon: 1, per: 'month' }, metrics: { dark: flag(ask) } });
  const DEVICES = 4_000;

  test('the stated share of devices takes part, drawn once, whatever they answer', async () => {
    let part = 0;
    for (let seed = 0; seed < DEVICES; seed++) {
      const lives = [];
      for (const value of [true, false]) {
        const { telemetry, outcomes, storage } = device(schema, { seed, sample: 0.3 });
        telemetry.record('dark', value);
        await Promise.resolve();
        const again = device(schema, { seed: seed + DEVICES, sample: 0.3, storage });
        again.telemetry.record('dark', value);
        lives.push([...results(outcomes), ...results(again.outcomes)].join());
      }
      expect(lives[0]).toBe(lives[1]);
      expect(lives[0]).toMatch(/^(recorded,already-answered|not-chosen,not-chosen)$/);
      if (lives[0]?.startsWith('recorded')) part++;
    }
    expect(upperTail(binomial(part, 0.3, DEVICES))).toBeGreaterThan(NEVER);
  });

  test('a share that grows keeps those who took part', async () => {
    for (let seed = 0; seed < 200; seed++) {
      const first = device(schema, { seed, sample: 0.4 });
      first.telemetry.record('dark', true);
      await Promise.resolve();
      const took = results(first.outcomes).includes('recorded');
      const second = device(schema, { seed: seed + 1_000, sample: 0.8, storage: first.storage });
      second.telemetry.record('dark', true);
      if (took) expect(results(second.outcomes)).toEqual(['already-answered']);
    }
  });

  test.each([0, -1, 1.5, Number.NaN])('a share of %s is refused', (sample) => {
    expect(() => device(schema, { sample })).toThrow(/sample: expected a number above 0, at most 1, got/);
  });
});

describe("assign: 'random'", () => {
  const names = ['a', 'b', 'c', 'd'] as const;
  const metrics = { a: flag(ask), b: flag({ ...ask, epsilon: 2 }), c: flag(ask), d: flag(ask) };
  const spec = { app: 'notes', version: 1, budget: { epsilon: 2, per: 'month' }, metrics } as const;
  const schema = defineSchema({ ...spec, assign: 'random' });
  const answeredBy = ({ telemetry, outcomes }: Device<typeof metrics>): string => {
    for (const name of names) telemetry.record(name, true);
    const chosen = outcomes.filter(({ result }) => result === 'not-chosen').map(({ metric }) => metric);
    return names.filter((name) => !chosen.includes(name)).join('');
  };

  test('without it the schema is refused, with it each charge must fit', () => {
    expect(() => defineSchema(spec)).toThrow(/sum: 5\n {2}\(assign: 'random' gives each device as many metrics as fit\)/);
    expect(() => defineSchema({ ...spec, assign: 'random', budget: { epsilon: 1, per: 'month' } })).toThrow(/each charge of at most 1/);
  });

  test('each device answers what fits of its own random order', () => {
    // Of the 24 orders b comes first in 6, and fits alone; else the first two of the others fit, and b no more.
    const subsets = new Map([
      ['b', 6 / 24],
      ['ac', 6 / 24],
      ['ad', 6 / 24],
      ['cd', 6 / 24],
    ]);
    const DEVICES = 4_000;
    const counts = new Map<string, number>();
    for (let seed = 0; seed < DEVICES; seed++) {
      const subset = answeredBy(device(schema, { seed }));
      counts.set(subset, (counts.get(subset) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual([...subsets.keys()].sort());
    const found = [...subsets.keys()].map((subset) => counts.get(subset) ?? 0);
    expect(upperTail(multinomial(found, [...subsets.values()], DEVICES))).toBeGreaterThan(NEVER);
  });

  test('the order outlives the page, and takes in what a new version asks', async () => {
    const more = defineSchema({ ...spec, version: 2, assign: 'random', metrics: { ...metrics, e: flag(ask) } });
    for (let seed = 0; seed < 50; seed++) {
      const first = device(schema, { seed });
      const subset = answeredBy(first);
      await settle();
      const again = device(schema, { seed: seed + 1_000, storage: first.storage });
      expect(answeredBy(again)).toBe(subset);
      await settle();
      const next = device(more, { seed: seed + 2_000, storage: first.storage });
      next.telemetry.record('e', true);
      await settle();
      const { order } = JSON.parse(stored(first.storage)) as { readonly order: readonly string[] };
      expect([...order].sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
      expect(order.filter((name) => name !== 'e')).toEqual(
        (JSON.parse(stored(again.storage)) as { order: string[] }).order.filter((name) => name !== 'e'),
      );
    }
  });
});

describe('otherwise', () => {
  const metrics = {
    clicked: flag({ ...ask, every: 'week', otherwise: false }),
    kept: permanent(choice(['red', 'green', 'none'], { ...ask, every: 'week', otherwise: 'none' }), { epsilon: 3, renew: 'month' }),
    plain: flag({ ...ask, every: 'week' }),
  };
  const schema = defineSchema({ app: 'notes', version: 1, budget: { epsilon: 30, per: 'month' }, metrics });
  /** Opens the app on each of some days, and lives it. */
  const visits = async (
    days: readonly number[],
    live: (visit: Device<typeof metrics>, day: number) => void,
    options: Parameters<typeof device<typeof metrics>>[1] = {},
  ): Promise<{ readonly batches: readonly Batch[]; readonly outcomes: readonly string[]; readonly sizes: readonly string[] }> => {
    const storage = memoryStorage();
    const [batches, outcomes, sizes]: [Batch[], string[], string[]] = [[], [], []];
    for (const day of days) {
      const watched: Storage = {
        ...storage,
        setItem: (key, value) => {
          sizes.push(`${day} writes ${key.endsWith('consent') ? value : Object.keys(JSON.parse(value).accounts)}`);
          return storage.setItem(key, value);
        },
      };
      const visit = device(schema, { seed: day + 1, consent: 'ask', storage: watched, ...options });
      visit.setDay(day);
      visit.telemetry.consent.grant();
      live(visit, day);
      visit.hide();
      await settle();
      await visit.telemetry.close();
      for (const { body } of visit.uploads) sizes.push(`${day} sends ${body.length}`);
      batches.push(...visit.batches());
      outcomes.push(...results(visit.outcomes));
    }
    return { batches, outcomes, sizes };
  };
  const days = [0, 1, 6, 7, 9, 16, 20, 21, 28, 40, 47, 70, 71, 78];

  test('what a device sends, when and how long, does not depend on whether anything was recorded', async () => {
    const nothing = await visits(days, () => {});
    const often = await visits(days, ({ telemetry }) => {
      telemetry.record('clicked', true);
      telemetry.record('kept', 'red');
      telemetry.record('clicked', false);
    });
    const once = await visits(days, ({ telemetry }, day) => {
      if (day === 6) telemetry.record('kept', 'green');
    });
    const sent = ({ sizes }: typeof nothing): readonly string[] => sizes.filter((line) => line.includes('sends'));
    expect(sent(nothing).length).toBeGreaterThan(4);
    expect(sent(often)).toEqual(sent(nothing));
    expect(sent(once)).toEqual(sent(nothing));
    const dated = ({ batches }: typeof nothing): unknown => batches.map(({ day, reports }) => [day, reports.map(([name]) => name).sort()]);
    expect(dated(often)).toEqual(dated(nothing));
  });

  test('nor when the person refuses on the day of a slot’s end, and agrees again', async () => {
    const sent: (readonly string[])[] = [];
    for (const occurs of [true, false]) {
      const { telemetry, setDay, batches } = device(schema, { batchesPerDay: 2 });
      setDay(7);
      if (occurs) telemetry.record('clicked', true);
      telemetry.consent.deny();
      telemetry.consent.grant();
      telemetry.record('plain', true);
      await telemetry.flush();
      sent.push(batches().map(({ day, reports }) => `${day} ${reports.map(([name]) => name)}`));
    }
    expect(sent[0]).toEqual(sent[1]);
  });

  test('a slot is reported once, with the date of its end, when the app is next opened', async () => {
    const { batches } = await visits([0, 3, 7, 8, 16], () => {});
    const reports = batches.flatMap(({ day, reports }) => reports.map(([name]) => [name, (parseDay(day) as number) - FIRST_DAY]));
    expect(reports.filter(([name]) => name === 'clicked')).toEqual([
      ['clicked', 7],
      ['clicked', 14],
    ]);
  });

  test('the first answer takes the place of otherwise; a second is already-answered', async () => {
    const { outcomes } = await visits([0, 2], ({ telemetry }) => telemetry.record('clicked', true));
    expect(outcomes.filter((result) => ['recorded', 'already-answered'].includes(result))).toEqual(['recorded', 'already-answered']);
    expect(outcomes.filter((result) => result === 'begun')).toHaveLength(2); // clicked and kept
  });

  test('reports follow the law at the answer where one was recorded, and at otherwise where none was', async () => {
    const truth = (1 + Math.exp(-1)) ** -1;
    const parts = [];
    for (const answer of [undefined, true, false]) {
      const DEVICES = 2_000;
      let yes = 0;
      for (let seed = 0; seed < DEVICES; seed++) {
        const { telemetry, setDay, batches } = device(schema, { seed });
        if (answer !== undefined) telemetry.record('clicked', answer);
        setDay(7);
        await telemetry.flush();
        const report = batches().flatMap(({ reports }) => reports.filter(([name]) => name === 'clicked'))[0]?.[1];
        expect(['AA', 'AQ']).toContain(report);
        if (report === 'AQ') yes++;
      }
      parts.push(binomial(yes, answer ? truth : 1 - truth, DEVICES));
    }
    expect(upperTail(pooled(parts))).toBeGreaterThan(NEVER);
  });

  test('of a permanent metric, the answer in the slot in which an epoch began is the epoch’s', async () => {
    const DEVICES = 600;
    const agree = { red: 0, none: 0 };
    for (let seed = 0; seed < DEVICES; seed++) {
      const { telemetry, storage } = device(schema, { seed });
      telemetry.record('kept', 'red');
      await settle();
      const { accounts } = JSON.parse(stored(storage)) as { accounts: { kept: { epoch: { symbol: string } } } };
      if (accounts.kept.epoch.symbol === 'AA') agree.red++;
      if (accounts.kept.epoch.symbol === 'Ag') agree.none++;
    }
    const k = Math.exp(3) / (Math.exp(3) + 2);
    const parts = [binomial(agree.red, k, DEVICES), binomial(agree.none, (1 - k) / 2, DEVICES)];
    for (const part of parts) expect(upperTail(part)).toBeGreaterThan(NEVER / 2);
  });

  test('with later, an answer goes to the slot that it is recorded in, though the report of the one before still waits', async () => {
    for (let seed = 0; seed < 40; seed++) {
      const { telemetry, setDay, storage, outcomes } = device(schema, { seed, upload: 'later' });
      const waiting = (): readonly unknown[] =>
        (JSON.parse(stored(storage)) as { outbox: Batch[] }).outbox
          .flatMap(({ reports }) => reports)
          .filter(([name]) => name === 'clicked');
      await settle();
      const [first] = waiting();
      setDay(7);
      telemetry.record('clicked', true); // its slot has not begun: the page was neither hidden nor shown since
      await telemetry.flush();
      expect(waiting()).toHaveLength(2);
      telemetry.record('clicked', true);
      await settle();
      expect(waiting()).toContainEqual(first);
      expect(waiting()).toContainEqual(['clicked', expect.anything(), null]);
      expect(results(outcomes).slice(-4)).toEqual(['already-answered', 'begun', 'begun', 'recorded']);
    }
  });

  test('a new version answers no slot that an old one began', async () => {
    const next = defineSchema({ app: 'notes', version: 2, budget: { epsilon: 30, per: 'month' }, metrics });
    const first = device(schema);
    await settle();
    const second = device(next, { storage: first.storage, seed: 2 });
    second.telemetry.record('clicked', true);
    expect(results(second.outcomes)).toEqual(['already-answered']);
  });

  test('what is no answer, and slots without end, are refused', () => {
    const of = (metric: unknown) => () =>
      defineSchema({ app: 'notes', version: 1, budget: { epsilon: 9, per: 'month' }, metrics: { m: metric as ReturnType<typeof flag> } });
    expect(of(flag({ ...ask, otherwise: 'no' as unknown as boolean }))).toThrow(
      /m\.otherwise: expected an answer to the question, got "no"/,
    );
    expect(of(flag({ ...ask, every: 'once', otherwise: false }))).toThrow(/m\.every: expected slots that end/);
  });
});
