/** Questions that have ended: by the day that the schema names, or because the collector asks the device to stop. */

import { defineSchema, flag, permanent } from '@murmuration/client';
import { describe, expect, test } from 'vitest';
import { device, refusalAs, reportsOf, results, settle, stateIn } from './device.ts';

const ask = { epsilon: 1, description: 'a question' };
const of = (version: number, expires?: string) =>
  defineSchema({
    app: 'notes',
    version,
    budget: { epsilon: 200, per: 'month' },
    metrics: {
      daily: flag({ ...ask, every: 'day', ...(expires && { expires }) }),
      seen: flag({ ...ask, every: 'day', otherwise: false, ...(expires && { expires }) }),
      kept: permanent(flag({ ...ask, every: 'day', ...(expires && { expires }) }), { epsilon: 3, renew: 'year' }),
      other: flag({ ...ask, every: 'day' }),
    },
  });

test('expires: what is asked until a day is answered on it, and retired after it; nothing of it is sent then', async () => {
  const it = device(of(1, '2026-11-22'));
  const days: Record<string, number[]> = { daily: [], kept: [], other: [] };
  for (let day = 0; day < 6; day++) {
    it.setDay(day);
    for (const metric of Object.keys(days)) it.telemetry.record(metric as 'daily', true);
    await it.telemetry.flush();
    for (const metric of Object.keys(days)) if (reportsOf(it.batches(), metric) > 0) days[metric]?.push(day);
    it.uploads.length = 0;
  }
  expect(days).toEqual({ daily: [0, 1, 2], kept: [0, 1, 2], other: [0, 1, 2, 3, 4, 5] });
  expect(results(it.outcomes.filter(({ metric }) => metric === 'kept')).slice(-3)).toEqual(['retired', 'retired', 'retired']);
});

test('expires: no slot of a metric with otherwise begins after it, and the last that did is sent', async () => {
  const it = device(of(1, '2026-11-22'));
  for (let day = 0; day < 8; day++) {
    it.setDay(day);
    it.hide();
    await settle();
  }
  const begun = it.outcomes.filter(({ metric, result }) => metric === 'seen' && result === 'begun');
  expect([begun.length, reportsOf(it.batches(), 'seen')]).toEqual([3, 3]);
  it.telemetry.record('seen', true);
  await it.telemetry.look();
  expect(it.outcomes.at(-1)).toMatchObject({ metric: 'seen', result: 'retired' });
});

test('expires: an answer after it replaces no report of otherwise whose slot is not over', async () => {
  const printed = defineSchema({
    app: 'notes',
    version: 1,
    budget: { epsilon: 2, per: 'month' },
    metrics: { printed: flag({ ...ask, otherwise: false, expires: '2026-11-22' }) },
  });
  for (const day of [2, 3]) {
    const it = device(printed);
    it.setDay(day);
    await it.telemetry.flush();
    const waiting = stateIn(it.storage).outbox;
    it.telemetry.record('printed', true);
    await it.telemetry.flush();
    expect(it.outcomes.at(-1)).toEqual({ metric: 'printed', result: day > 2 ? 'retired' : 'recorded' });
    if (day > 2) expect(stateIn(it.storage).outbox).toEqual(waiting);
  }
});

describe('a collector that answers 410 with stop', () => {
  const life = async (stop: true | readonly string[]) => {
    const it = device(of(1), { answer: () => refusalAs('retired', { stop }) });
    it.telemetry.record('daily', true);
    await it.telemetry.flush();
    it.outcomes.length = 0;
    it.uploads.length = 0;
    return it;
  };

  test.each([{ stop: true }, { stop: ['daily'] }, { stop: ['daily', 'other'] }] as const)(
    '$stop: the device stops asking, says so, and asks the rest',
    async ({ stop }) => {
      const first = await life(stop);
      for (const it of [first, device(of(1), { storage: first.storage, seed: 2 })]) {
        for (const metric of ['daily', 'other'] as const) {
          it.setDay(1);
          it.telemetry.record(metric, true);
          await settle();
          const isStopped = stop === true || stop.some((name) => name === metric);
          const said = results(it.outcomes.filter((outcome) => outcome.metric === metric));
          expect(said.at(-1)).toBe(isStopped ? 'retired' : it === first ? 'recorded' : 'already-answered');
        }
      }
      await first.telemetry.flush();
      for (const metric of stop === true ? ['daily', 'other', 'kept'] : stop) expect(reportsOf(first.batches(), metric)).toBe(0);
    },
  );

  test('says retired once for each metric that it stops', async () => {
    const { telemetry, outcomes } = device(of(1), { answer: () => refusalAs('retired', { stop: ['daily'] }) });
    telemetry.record('daily', true);
    await telemetry.flush();
    expect(outcomes.filter(({ metric }) => metric === 'daily')).toEqual([
      { metric: 'daily', result: 'recorded' },
      { metric: 'daily', result: 'refused', reason: refusalAs('retired', { stop: ['daily'] }).body },
      { metric: 'daily', result: 'retired' },
    ]);
  });

  test('begins no slot of a metric with otherwise any more', async () => {
    const it = await life(true);
    for (let day = 1; day < 5; day++) {
      it.setDay(day);
      it.hide();
      await settle();
    }
    expect(results(it.outcomes)).not.toContain('begun');
  });

  test('does not hold for a new version of the schema: it asks again', async () => {
    const { storage } = await life(true);
    const next = device(of(2), { storage, seed: 2 });
    next.setDay(1);
    next.telemetry.record('daily', true);
    next.telemetry.record('other', true);
    await next.telemetry.flush();
    expect([reportsOf(next.batches(), 'daily'), reportsOf(next.batches(), 'other')]).toEqual([1, 1]);
  });

  test('outlives a refusal and an agreement', async () => {
    const it = await life(['daily']);
    it.telemetry.consent.deny();
    it.telemetry.consent.grant();
    it.setDay(1);
    it.telemetry.record('daily', true);
    await settle();
    expect(it.outcomes.at(-1)).toEqual({ metric: 'daily', result: 'retired' });
  });

  test.each([{ stop: [] }, { stop: ['nothing of ours'] }, { stop: ['__proto__', 'constructor'] }])(
    'of $stop stops nothing',
    async ({ stop }) => {
      const it = await life(stop);
      it.setDay(1);
      it.telemetry.record('daily', true);
      await settle();
      expect(it.outcomes.at(-1)).toEqual({ metric: 'daily', result: 'recorded' });
    },
  );
});

test.each([5, {}, 'daily', [null, {}, '__proto__'], Array.from({ length: 1_000 }, (_, i) => `unknown${i}`)])(
  'a stop that names none of the questions (%#) retires none, is not stored, and the batch is refused all the same',
  async (stop) => {
    const it = device(of(1), { answer: () => refusalAs('retired', { stop }) });
    await settle();
    it.telemetry.record('daily', true);
    await it.telemetry.flush();
    expect(results(it.outcomes.filter(({ metric }) => metric === 'daily'))).toEqual(['recorded', 'refused']);
    expect(it.outcomes.filter(({ result }) => result === 'retired')).toEqual([]);
    expect(stateIn(it.storage)).toMatchObject({ retired: {} });
    expect(Object.keys(stateIn(it.storage).retired)).toEqual([]);
  },
);
