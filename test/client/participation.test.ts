/** Participation and its questions: drawn once, and kept. */

import { defineSchema, flag } from '@murmuration/client';
import { describe, expect, test } from 'vitest';
import { binomial, multinomial, upperTail } from '../proofs/statistics.ts';
import { type Device, device, results, settle, stateIn } from './device.ts';

/** The size of the statistical tests. */
const NEVER = 1e-6;
const ask = { epsilon: 1, description: 'a question' };

describe('sampleRate', () => {
  const schema = defineSchema({ app: 'notes', version: 1, budget: { epsilon: 1, per: 'month' }, metrics: { dark: flag(ask) } });
  const DEVICES = 2_000;

  test('the stated share of devices takes part, drawn once, whatever they answer', async () => {
    let part = 0;
    for (let seed = 0; seed < DEVICES; seed++) {
      const lives = [];
      for (const value of [true, false]) {
        const { telemetry, outcomes, storage } = device(schema, { seed, sampleRate: 0.3 });
        telemetry.record('dark', value);
        await Promise.resolve();
        const again = device(schema, { seed: seed + DEVICES, sampleRate: 0.3, storage });
        again.telemetry.record('dark', value);
        await Promise.resolve();
        lives.push([...results(outcomes), ...results(again.outcomes)].join());
      }
      expect(lives[0]).toBe(lives[1]);
      expect(lives[0]).toMatch(/^(recorded,already-answered|not-chosen,not-chosen)$/);
      if (lives[0]?.startsWith('recorded')) part++;
    }
    expect(upperTail(binomial(part, 0.3, DEVICES))).toBeGreaterThan(NEVER);
  });

  test('a share that grows keeps those who took part', async () => {
    let kept = 0;
    for (let seed = 0; seed < 200; seed++) {
      const first = device(schema, { seed, sampleRate: 0.4 });
      first.telemetry.record('dark', true);
      await Promise.resolve();
      const took = results(first.outcomes).includes('recorded');
      const second = device(schema, { seed: seed + 1_000, sampleRate: 0.8, storage: first.storage });
      second.telemetry.record('dark', true);
      if (!took) continue;
      expect(results(second.outcomes)).toEqual(['already-answered']);
      kept++;
    }
    expect(kept).toBeGreaterThan(0);
  });

  test.each([0, -1, 1.5, Number.NaN])('a share of %s is refused', (sampleRate) => {
    expect(() => device(schema, { sampleRate })).toThrow(/sampleRate: expected a number above 0, at most 1, got/);
  });
});

describe("assign: 'random'", () => {
  const names = ['a', 'b', 'c', 'd'] as const;
  const metrics = { a: flag(ask), b: flag({ ...ask, epsilon: 2 }), c: flag(ask), d: flag(ask) };
  const spec = { app: 'notes', version: 1, budget: { epsilon: 2, per: 'month' }, metrics } as const;
  const schema = defineSchema({ ...spec, assign: 'random' });
  const answeredBy = async ({ telemetry, outcomes }: Device<typeof metrics>): Promise<string> => {
    for (const name of names) telemetry.record(name, true);
    await Promise.resolve();
    const chosen = outcomes.filter(({ result }) => result === 'not-chosen').map(({ metric }) => metric);
    return names.filter((name) => !chosen.includes(name)).join('');
  };

  test('without it the schema is refused, with it each charge must fit', () => {
    expect(() => defineSchema(spec)).toThrow(/sum: 5\n {2}\(assign: 'random' gives each device as many metrics as fit\)/);
    expect(() => defineSchema({ ...spec, assign: 'random', budget: { epsilon: 1, per: 'month' } })).toThrow(/each charge of at most 1/);
  });

  test('each device answers what fits of its own random order', async () => {
    // b comes first in 6 of the 24 orders, and fits alone; else the first two of the others fit, and b no more.
    const subsets = new Map([
      ['b', 6 / 24],
      ['ac', 6 / 24],
      ['ad', 6 / 24],
      ['cd', 6 / 24],
    ]);
    const DEVICES = 4_000;
    const counts = new Map<string, number>();
    for (let seed = 0; seed < DEVICES; seed++) {
      const subset = await answeredBy(device(schema, { seed }));
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
      const subset = await answeredBy(first);
      await settle();
      const again = device(schema, { seed: seed + 1_000, storage: first.storage });
      expect(await answeredBy(again)).toBe(subset);
      await settle();
      const next = device(more, { seed: seed + 2_000, storage: first.storage });
      next.telemetry.record('e', true);
      await settle();
      const { order = [] } = stateIn(first.storage);
      expect([...order].sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
      expect(order.filter((name) => name !== 'e')).toEqual(stateIn(again.storage).order?.filter((name) => name !== 'e'));
    }
  });
});
