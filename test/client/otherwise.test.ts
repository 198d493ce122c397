/** `otherwise`: slots whose report does not tell whether anything was recorded, nor what. */

import { choice, defineSchema, flag, memoryStorage, permanent, type Schema } from '@murmuration/client';
import { createCoins, seededRng, words } from '@murmuration/client/testing';
import { type Batch, parseDay } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { binomial, pooled, upperTail } from '../proofs/statistics.ts';
import { type Device, type DeviceOptions, device, FIRST_DAY, results, settle, stateIn, type Time, textIn, timeOf } from './device.ts';
import { modelBrowser } from './model-storage.ts';

/** The size of the statistical tests. */
const NEVER = 1e-6;
const ask = { epsilon: 1, description: 'a question' };
const metrics = {
  clicked: flag({ ...ask, every: 'week', otherwise: false }),
  kept: permanent(choice(['red', 'green', 'none'], { ...ask, every: 'week', otherwise: 'none' }), { epsilon: 3, renew: 'month' }),
  plain: flag({ ...ask, every: 'week' }),
};
const schema = defineSchema({ app: 'notes', version: 1, budget: { epsilon: 30, per: 'month' }, metrics });
type It = Device<typeof schema extends Schema<infer M> ? M : never>;
const reports = (storage: It['storage'], metric: string) =>
  stateIn(storage).outbox.flatMap((batch) => batch.reports.filter(([name]) => name === metric));

/** Opens the app on each of some days, and lives it. */
async function visits(days: readonly number[], live: (visit: It, day: number) => void, options: DeviceOptions<typeof metrics> = {}) {
  const storage = memoryStorage();
  const [batches, outcomes, sizes]: [Batch[], string[], string[]] = [[], [], []];
  for (const day of days) {
    const visit = device(schema, { seed: day + 1, consent: 'ask', storage, ...options });
    visit.setDay(day);
    visit.telemetry.consent.grant();
    await settle();
    live(visit, day);
    visit.hide();
    await settle();
    sizes.push(`${day} holds ${textIn(storage)?.length}`);
    await visit.telemetry.close();
    for (const { body } of visit.uploads) sizes.push(`${day} sends ${body.length}`);
    batches.push(...visit.batches());
    outcomes.push(...results(visit.outcomes));
  }
  return { batches, outcomes, sizes };
}
const days = [0, 1, 6, 7, 9, 16, 20, 21, 28, 40, 47, 70, 71, 78];

test('an answer is already-answered where another page, of which this one has not heard, was first', async () => {
  const storage = memoryStorage();
  const [one, other] = [device(schema, { storage }), device(schema, { storage, seed: 2 })];
  await settle();
  one.telemetry.record('kept', 'red');
  await one.telemetry.look();
  const answered = stateIn(storage);
  other.telemetry.record('kept', 'green');
  await other.telemetry.look();
  expect([results(one.outcomes).at(-1), results(other.outcomes)]).toEqual(['recorded', ['already-answered']]);
  expect(stateIn(storage)).toEqual(answered);
});

test('an answer is already-answered where a refusal has erased the report that it would replace', async () => {
  const { telemetry, outcomes, storage } = device(schema);
  await settle();
  telemetry.consent.deny();
  telemetry.consent.grant();
  await settle();
  const { accounts } = stateIn(storage);
  outcomes.length = 0;
  telemetry.record('kept', 'red');
  await telemetry.look();
  expect(results(outcomes)).toEqual(['already-answered']);
  expect(stateIn(storage)).toMatchObject({ accounts, outbox: [] });
});

test('an answer after the last slot of a question that has expired changes nothing of the report that was sent', async () => {
  const last = flag({ ...ask, every: 'week', otherwise: false, expires: '2026-11-22' });
  const time = { now: timeOf(0) };
  const { telemetry, uploads, outcomes } = device(
    defineSchema({ app: 'notes', version: 1, budget: { epsilon: 30, per: 'month' }, metrics: { last } }),
    {
      time,
      answer: () => ({ status: 503 }),
    },
  );
  await settle();
  time.now = timeOf(8);
  await telemetry.flush();
  telemetry.record('last', true);
  await settle();
  time.now = timeOf(9);
  await telemetry.flush();
  expect([results(outcomes), uploads.length]).toEqual([['begun', 'retired'], 2]);
  expect(new Set(uploads.map(({ body }) => body)).size).toBe(1);
});

test('what a device stores and sends, when and how long, does not depend on whether anything was recorded', async () => {
  const nothing = await visits(days, () => {});
  const often = await visits(days, ({ telemetry }) => {
    telemetry.record('clicked', true);
    telemetry.record('kept', 'red');
    telemetry.record('clicked', false);
  });
  const once = await visits(days, ({ telemetry }, day) => {
    if (day === 6) telemetry.record('kept', 'green');
  });
  expect(nothing.sizes.filter((line) => line.includes('sends')).length).toBeGreaterThan(4);
  expect(often.sizes).toEqual(nothing.sizes);
  expect(once.sizes).toEqual(nothing.sizes);
  const dated = ({ batches }: typeof nothing): unknown => batches.map(({ day, reports }) => [day, reports.map(([name]) => name).sort()]);
  expect(dated(often)).toEqual(dated(nothing));
});

test('nor does it when clocks are set back and forth, pages are reloaded, left and flushed, over random histories', async () => {
  let sent = 0;
  for (let history = 0; history < 60; history++) {
    const lives: unknown[] = [];
    for (const occurs of [0, 1, 2]) {
      const { uniform } = createCoins(words(seededRng(history))); // the same history, whatever is recorded
      const storage = memoryStorage();
      const time: Time = { now: timeOf(0) };
      const pattern: unknown[] = [];
      let seed = 0;
      const open = (): It =>
        device(schema, { storage, time, seed: ++seed + 1_000 * history, answer: ({ body }) => ({ status: body.length % 3 ? 204 : 503 }) });
      let it = open();
      for (let step = 0; step < 25; step++) {
        const what = uniform(6);
        const days = uniform(12);
        if (what === 0) time.now += days * 86_400_000;
        if (what === 1) time.now -= days * 86_400_000;
        if (what === 2) it = open();
        if (what === 3) await it.telemetry.flush();
        if (what === 4) it.hide();
        const isNow = uniform(3) > 0;
        if (occurs > 0 && isNow) it.telemetry.record('clicked', occurs > 1);
        if (occurs > 1 && isNow) it.telemetry.record('kept', 'red');
        await settle();
        pattern.push([it.timers(), textIn(storage)?.length]);
        for (const { day, reports } of it.batches())
          pattern.push([step, day, reports.map(([name, bytes]) => `${name} ${bytes.length}`).sort()]);
        it.uploads.length = 0;
      }
      lives.push(pattern);
    }
    sent += lives.flat().filter((line) => (line as unknown[]).length === 3).length;
    expect(lives[1]).toEqual(lives[0]);
    expect(lives[2]).toEqual(lives[0]);
  }
  expect(sent).toBeGreaterThan(60);
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

test.each(['rejects', 'throws'] as const)('an answer whose transaction %s leaves the report of otherwise in its place', async (fate) => {
  const browser = modelBrowser({ hasSpill: false });
  const page = browser.open();
  const { telemetry, outcomes, batches, setDay } = device(schema, { storage: page });
  await settle();
  const before = browser.stored('murmuration:notes');
  page.fate = fate;
  telemetry.record('clicked', true);
  await telemetry.look();
  expect(results(outcomes)).toEqual(['begun', 'begun', 'storage-failed']);
  expect(browser.stored('murmuration:notes')).toBe(before);
  page.fate = 'completes';
  setDay(8);
  await telemetry.flush();
  await telemetry.flush();
  expect(batches().flatMap((batch) => batch.reports.filter(([name]) => name === 'clicked'))).toHaveLength(1);
});

test('a slot is reported once, with the date of its end, when the app is next opened', async () => {
  const { batches } = await visits([0, 3, 7, 8, 16], () => {});
  const dated = batches.flatMap(({ day, reports }) => reports.map(([name]) => [name, (parseDay(day) as number) - FIRST_DAY]));
  expect(dated.filter(([name]) => name === 'clicked')).toEqual([
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
    const DEVICES = 1_000;
    let yes = 0;
    for (let seed = 0; seed < DEVICES; seed++) {
      const { telemetry, setDay, batches } = device(schema, { seed });
      if (answer !== undefined) telemetry.record('clicked', answer);
      await Promise.resolve();
      setDay(8);
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
    await telemetry.look();
    const symbol = stateIn(storage).accounts.kept?.epoch?.symbol;
    if (symbol === 'AA') agree.red++;
    if (symbol === 'Ag') agree.none++;
  }
  const k = Math.exp(3) / (Math.exp(3) + 2);
  const parts = [binomial(agree.red, k, DEVICES), binomial(agree.none, (1 - k) / 2, DEVICES)];
  for (const part of parts) expect(upperTail(part)).toBeGreaterThan(NEVER / 2);
});

test('with later, an answer goes to the slot that it is recorded in, though the report of the one before still waits', async () => {
  for (let seed = 0; seed < 40; seed++) {
    const { telemetry, setDay, storage, outcomes } = device(schema, { seed, upload: 'later' });
    await settle();
    const [first] = reports(storage, 'clicked');
    setDay(7);
    telemetry.record('clicked', true); // its slot has not begun: the page was neither hidden nor shown since
    await telemetry.flush();
    await telemetry.flush();
    const since = reports(storage, 'clicked').map(([, , day]) => day);
    expect(since.sort()).toEqual([FIRST_DAY, FIRST_DAY + 7]);
    const held = reports(storage, 'clicked').find(([, , day]) => day === FIRST_DAY);
    telemetry.record('clicked', true);
    await telemetry.look();
    expect(reports(storage, 'clicked')).toContainEqual(held);
    expect(reports(storage, 'clicked')).toHaveLength(2);
    expect(first).toBeTruthy();
    expect(results(outcomes).slice(-4)).toEqual(['recorded', 'begun', 'begun', 'recorded']);
  }
});

test('a new version answers no slot that an old one began: its law, and its charge, may be others', async () => {
  const clicked = flag({ ...ask, epsilon: 2, every: 'week', otherwise: false });
  const next = defineSchema({ app: 'notes', version: 2, budget: { epsilon: 30, per: 'month' }, metrics: { ...metrics, clicked } });
  const first = device(schema);
  await settle();
  const before = reports(first.storage, 'clicked');
  const second = device(next, { storage: first.storage, seed: 2 });
  second.telemetry.record('clicked', true);
  await second.telemetry.look();
  expect([results(second.outcomes), reports(first.storage, 'clicked')]).toEqual([['already-answered'], before]);
});

describe('the schema', () => {
  const of = (metric: unknown) => () =>
    defineSchema({ app: 'notes', version: 1, budget: { epsilon: 9, per: 'month' }, metrics: { m: metric as ReturnType<typeof flag> } });

  test('refuses what is no answer, and slots without end', () => {
    expect(of(flag({ ...ask, otherwise: 'no' as unknown as boolean }))).toThrow(
      /m\.otherwise: expected an answer to the question, got "no"/,
    );
    expect(of(flag({ ...ask, every: 'once', otherwise: false }))).toThrow(/m\.every: expected slots that end/);
  });
});
