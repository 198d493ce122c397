/** Permanent metrics: one first-stage symbol an epoch, one silent window between two, whatever a schema's law is called. */

import { defineSchema, flag, permanent, type Schema, text } from '@murmuration/client';
import { expect, test } from 'vitest';
import { type Device, device, results, settle, stateIn } from './device.ts';

const ask = { epsilon: 1, description: 'a question', every: 'day' } as const;
const of = (version: number, epsilon: number) =>
  defineSchema({
    app: 'notes',
    version,
    budget: { epsilon: 60, per: 'month' },
    metrics: {
      home: permanent(text(ask), { epsilon, renew: 'month' }),
      kept: permanent(flag(ask), { epsilon: 3, renew: 'never' }),
    },
  });
const schema = of(1, 4);
type Metrics = typeof schema extends Schema<infer M> ? M : never;
const epochOf = ({ storage }: Device<Metrics>, metric: string) => stateIn(storage).accounts[metric]?.epoch;

test('only the first value of an epoch is ever randomized: later values leave the same stored symbol', async () => {
  const it = device(schema);
  it.telemetry.record('home', 'first');
  await it.telemetry.flush();
  const first = epochOf(it, 'home');
  expect(first?.symbol).toBeTruthy();
  for (let day = 1; day < 30; day++) {
    it.setDay(day);
    it.telemetry.record('home', `another ${day}`);
    await it.telemetry.flush();
    expect(epochOf(it, 'home')).toEqual(first);
  }
  expect(it.batches()).toHaveLength(30);
});

test('between two epochs lies one silent window, and the new epoch has a new symbol', async () => {
  const it = device(schema);
  const days: number[] = [];
  const symbols = new Set<unknown>();
  for (let day = 0; day < 130; day++) {
    it.setDay(day);
    const before = it.batches().length;
    it.telemetry.record('home', 'same');
    await it.telemetry.flush();
    if (it.batches().length === before) continue;
    days.push(day);
    symbols.add(epochOf(it, 'home')?.symbol);
  }
  const epochs = [0, 59, 118].flatMap((start) => Array.from({ length: 30 }, (_, i) => start + i)).filter((day) => day < 130);
  expect(days).toEqual(epochs);
  expect(symbols.size).toBe(3);
});

/** An object with its keys the other way round, all the way down. */
const reversed = (value: unknown): unknown =>
  value === null || typeof value !== 'object' || Array.isArray(value)
    ? value
    : Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([key, inner]) => [key, reversed(inner)]),
      );

test('a law whose JSON has its keys in another order keeps the epoch', async () => {
  const first = device(schema);
  first.telemetry.record('home', 'first');
  first.telemetry.record('kept', true);
  await first.telemetry.close();
  const turned = { ...schema, document: reversed(schema.document) } as typeof schema;
  expect(JSON.stringify(turned.document)).not.toBe(JSON.stringify(schema.document));
  const second = device(turned, { storage: first.storage, seed: 2 });
  second.setDay(1);
  for (const [metric, value] of [
    ['home', 'second'],
    ['kept', false],
  ] as const) {
    const before = epochOf(first, metric);
    second.telemetry.record(metric, value as never);
    await settle();
    expect(epochOf(second, metric)).toEqual(before);
  }
  expect(results(second.outcomes)).toEqual(['recorded', 'recorded']);
});

test('a changed law begins a new epoch, with a new symbol, only after a silent window', async () => {
  const first = device(schema);
  for (let day = 0; day < 5; day++) {
    first.setDay(day);
    first.telemetry.record('home', 'same');
    await first.telemetry.flush();
  }
  await first.telemetry.close();
  const old = epochOf(first, 'home');
  const second = device(of(2, 5), { storage: first.storage, seed: 2 });
  const days: number[] = [];
  for (let day = 4; day < 40; day++) {
    second.setDay(day);
    const before = second.uploads.length;
    second.telemetry.record('home', 'same');
    await second.telemetry.flush();
    if (second.uploads.length > before) days.push(day);
  }
  expect(days).toEqual([34, 35, 36, 37, 38, 39]); // a month after the last report of the old law
  expect(epochOf(second, 'home')).toMatchObject({ day: (old?.day ?? 0) + 34 });
  expect(epochOf(second, 'home')?.symbol).not.toBe(old?.symbol);
});

test('a law that is changed back within its epoch answers from the symbol that is kept, or not at all', async () => {
  const first = device(schema);
  first.telemetry.record('home', 'same');
  await first.telemetry.close();
  const old = epochOf(first, 'home');
  const between = device(of(2, 5), { storage: first.storage, seed: 2 });
  between.setDay(3);
  between.telemetry.record('home', 'same');
  await between.telemetry.close();
  const third = device(schema, { storage: first.storage, seed: 3 });
  third.setDay(5);
  third.telemetry.record('home', 'other');
  await third.telemetry.flush();
  expect([results(between.outcomes), results(third.outcomes)]).toEqual([['already-answered'], ['recorded', 'delivered']]);
  expect(epochOf(third, 'home')).toEqual(old);
});
