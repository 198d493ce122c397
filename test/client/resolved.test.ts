/**
 * Schemas that the build plugin resolved, on devices that other builds and other versions of the app have used: what these have spent stays
 * spent, and nothing that is sent, stored or told differs from a build without the plugin.
 */

import { choice, type DeviceQuestions, defineSchema, flag, memoryStorage, permanent, type Schema } from '@murmuration/client';
import { describe, expect, test } from 'vitest';
import { resolved } from '../kit/resolved.ts';
import { device, results, stateIn, type Time, textIn, timeOf } from './device.ts';

const ask = { epsilon: 1, description: 'a question' };
const daily = { ...ask, every: 'day' } as const;
const of = (version: number, a: DeviceQuestions[string], more: { readonly assign?: 'random' } = {}): Schema<DeviceQuestions> =>
  defineSchema({ app: 'notes', version, budget: { epsilon: 2, per: 'week' }, metrics: { a, b: choice(['x', 'y'], ask) }, ...more });

/** Versions of an app. Only some of them need `permanent`, `otherwise` or `assign`. */
const versions = {
  plain: of(1, flag(ask)),
  kept: of(2, permanent(flag({ ...daily, epsilon: 0.5 }), { epsilon: 1, renew: 'week' })),
  event: of(3, flag({ ...ask, otherwise: false })),
  both: of(4, permanent(flag({ ...daily, epsilon: 0.5, otherwise: false }), { epsilon: 1, renew: 'month' })),
  drawn: of(5, flag({ ...ask, epsilon: 2 }), { assign: 'random' }),
};
type Version = keyof typeof versions;
const names = Object.keys(versions) as readonly Version[];

/** All that can be seen of a storage on which two contexts live by turns. */
async function lived(contexts: readonly (readonly [schema: Schema<DeviceQuestions>, days: readonly number[]])[]): Promise<string> {
  const [storage, time]: [ReturnType<typeof memoryStorage>, Time] = [memoryStorage(), { now: timeOf(0) }];
  const seen: unknown[] = [];
  const open = contexts.map(([schema], seed) => device(schema, { storage, time, seed }));
  const turns = contexts.flatMap(([, days], i) => days.map((day) => [day, i] as const)).sort(([one], [other]) => one - other);
  for (const [day, i] of turns) {
    time.now = timeOf(day);
    const { telemetry, outcomes, uploads } = open[i] as (typeof open)[number];
    telemetry.record('a', true as never);
    telemetry.record('b', 'x' as never);
    await telemetry.flush();
    seen.push(day, outcomes.splice(0), uploads.splice(0), textIn(storage));
  }
  return JSON.stringify(seen);
}

const DAYS = Array.from({ length: 15 }, (_, day) => day);

describe.each([
  ['an update', DAYS.slice(0, 4), DAYS.slice(4)],
  ['a page and a worker that run at the same time', DAYS.filter((day) => day % 2 === 0), DAYS.filter((day) => day % 2 === 1)],
])('%s', (_, first, second) => {
  test.each(names.flatMap((one) => names.map((other) => [one, other] as const)))(
    '%s, then %s: the plugin changes nothing',
    async (...pair) => {
      const [one, other] = pair.map((name) => versions[name]) as [Schema<DeviceQuestions>, Schema<DeviceQuestions>];
      const plain = await lived([
        [one, first],
        [other, second],
      ]);
      expect(plain).toContain('delivered');
      expect(
        await lived([
          [resolved(one), first],
          [other, second],
        ]),
      ).toBe(plain);
      expect(
        await lived([
          [one, first],
          [resolved(other), second],
        ]),
      ).toBe(plain);
      expect(
        await lived([
          [resolved(one), first],
          [resolved(other), second],
        ]),
      ).toBe(plain);
    },
  );
});

test('a version without permanent metrics holds no code of them, and counts a stored epoch as spent', async () => {
  const plain = resolved(defineSchema({ app: 'notes', version: 6, budget: { epsilon: 1, per: 'week' }, metrics: { b: flag(ask) } }));
  expect(plain.parts).toEqual({});
  expect(Object.keys(plain.questions['b'])).not.toContain('epochs');
  const before = device(versions.kept);
  before.telemetry.record('a', true as never);
  await before.telemetry.flush();
  expect(stateIn(before.storage).accounts['a']?.epoch?.symbol).toBeTruthy();
  const after = device(plain, { storage: before.storage });
  after.telemetry.record('b', true as never);
  await after.telemetry.flush();
  after.setDay(7);
  after.telemetry.record('b', true as never);
  await after.telemetry.flush();
  expect(results(after.outcomes).filter((result) => result !== 'delivered')).toEqual(['over-budget', 'recorded']);
});

test('a version without otherwise finds the slot that one with it began taken, and its report leaves as it is', async () => {
  const before = device(versions.event);
  await before.telemetry.flush();
  expect(results(before.outcomes)).toEqual(['begun']);
  const after = device(resolved(versions.plain), { storage: before.storage });
  after.telemetry.record('a', true as never);
  await after.telemetry.flush();
  expect(results(after.outcomes)).toEqual(['already-answered']);
  after.setDay(7);
  await after.telemetry.flush();
  const [, version] = after.batches()[0]?.schema.split('/') ?? [];
  expect([version, after.batches()[0]?.reports.map((report) => report.length)]).toEqual(['3', [2]]);
});

test('a metric with otherwise whose schema lacks the code for it records nothing, and says so', async () => {
  const { telemetry, outcomes, uploads } = device({ ...versions.event, parts: {} });
  telemetry.record('a', true as never);
  await telemetry.flush();
  expect(results(outcomes)).toEqual(['storage-failed']);
  expect(uploads).toEqual([]);
});
