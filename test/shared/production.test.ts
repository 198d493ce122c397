/**
 * What a production bundle can't understand records nothing. Its checks of a schema are left out, so each case runs as it ships:
 * bundled by esbuild with `process.env.NODE_ENV` defined, a whole telemetry over a storage and a transport in memory.
 */

import { describe, expect, test } from 'vitest';
import { bundle } from '../kit/bundle.ts';

/** What a bundle's run tells. */
interface Run {
  /** What `defineSchema` threw, or undefined. */
  readonly refused?: string;
  readonly outcomes: readonly string[];
  /** The reports that were sent. */
  readonly reports: readonly (readonly [metric: string, report: string])[];
  readonly checked: boolean;
}

/**
 * Runs an app on 40 days, on each of which it records every value.
 *
 * @param spec of the schema, besides app and version
 * @param records metric and value, as JavaScript
 */
async function run(spec: string, records: readonly (readonly [metric: string, value: string])[]): Promise<Run> {
  const { text } = await bundle(
    `
    import * as murmuration from '@murmuration/client';
    import { fakeClock, memoryTransport, seededRng } from '@murmuration/client/testing';
    const { createTelemetry, defineSchema, memoryStorage, flag, choices, mean, count, distribution, permanent } = murmuration;
    const ask = { epsilon: 1, description: 'a question' };
    const told = { outcomes: [], reports: [], checked: false };
    try { defineSchema({ app: 'a', version: 0, budget: { epsilon: 9, per: 'month' }, metrics: { a: flag(ask) } }); } catch { told.checked = true; }
    export async function main() {
      let schema;
      try { schema = defineSchema({ app: 'a', version: 1, ${spec} }); } catch (error) { return { ...told, refused: String(error) }; }
      const clock = fakeClock(new Date('2026-11-20'));
      const sent = memoryTransport(schema);
      const telemetry = createTelemetry({ schema, endpoint: '/', consent: 'granted', storage: memoryStorage(), transport: sent.transport, clock,
        rng: seededRng(1), onOutcome: ({ result }) => told.outcomes.push(result) });
      for (let day = 0; day < 40; day++) {
        ${records.map(([metric, value]) => `telemetry.record(${JSON.stringify(metric)}, ${value});`).join('\n')}
        await telemetry.flush();
        clock.advance(86_400_000);
        await telemetry.flush();
      }
      const batches = new Map(sent.uploads.map(({ body }) => [JSON.parse(body).batch, JSON.parse(body)]));
      return { ...told, reports: [...batches.values()].flatMap(({ reports }) => reports) };
    }`,
  );
  const { main } = (await import(`data:text/javascript;base64,${Buffer.from(text).toString('base64')}`)) as { main: () => Promise<Run> };
  return main();
}

const month = "budget: { epsilon: 9, per: 'month' }";
const flags = [['a', 'true']] as const;

test('what runs here is a production bundle, which holds no checks, and what it understands is recorded', async () => {
  const { checked, refused, reports } = await run(`${month}, metrics: { a: flag(ask) }`, flags);
  expect({ checked, refused, reports: reports.length }).toEqual({ checked: false, refused: undefined, reports: 2 });
});

describe('a charge that nobody can count is refused', () => {
  test.each([
    ['a period that is none', "budget: { epsilon: 9, per: 'quarter' }, metrics: { a: flag(ask) }"],
    ['the name of a method as a period', "budget: { epsilon: 9, per: 'constructor' }, metrics: { a: flag(ask) }"],
    ['a budget without a period', 'budget: { epsilon: 9 }, metrics: { a: flag(ask) }'],
    ['a budget without an end', "budget: { epsilon: Infinity, per: 'month' }, metrics: { a: flag(ask) }"],
    ['a budget that is no number', "budget: { epsilon: NaN, per: 'month' }, metrics: { a: flag(ask) }"],
    ['a cadence that is none', `${month}, metrics: { a: flag({ ...ask, every: 'quarter' }) }`],
    ['a renewal that is none', `${month}, metrics: { a: permanent(flag(ask), { epsilon: 2, renew: 'quarter' }) }`],
    ['an epsilon∞ that is no number', `${month}, metrics: { a: permanent(flag(ask), { epsilon: NaN, renew: 'year' }) }`],
    ['an epsilon of NaN', `${month}, metrics: { a: flag({ ...ask, epsilon: NaN }) }`],
    ['an epsilon below 0', `${month}, metrics: { a: flag({ ...ask, epsilon: -1 }) }`],
    ['an epsilon without an end', `${month}, metrics: { a: flag({ ...ask, epsilon: Infinity }) }`],
    ['a charge above the budget', `${month}, metrics: { a: flag({ ...ask, epsilon: 1, every: 'day' }) }`],
  ])('%s', async (_, spec) => {
    const { checked, refused, reports } = await run(spec, flags);
    expect({ checked, reports }).toEqual({ checked: false, reports: [] });
    expect(refused).toMatch(/^RangeError: /);
  });
});

describe('a range in which no number has a place takes none', () => {
  test.each([
    ['mean([-1e308, 1e308], ask)'],
    ['mean([5, 1], ask)'],
    ['mean([1, 1], ask)'],
    ['mean([0, NaN], ask)'],
    ['count(Infinity, ask)'],
    ['count(NaN, ask)'],
    ['count(0, ask)'],
    ['distribution([-1e308, 1e308], ask)'],
    ['permanent(mean([-1e308, 1e308], ask), { epsilon: 2, renew: "year" })'],
  ])('%s', async (question) => {
    const values = ['0', '1e308', '-1e308', '3', 'NaN', 'Infinity'].map((value) => ['a', value] as const);
    const { outcomes, reports, refused } = await run(`${month}, metrics: { a: ${question} }`, values);
    expect([refused, new Set(outcomes), reports]).toEqual([undefined, new Set(['wrong-type']), []]);
  });
});

test('a set, which has no second stage, records nothing where it is made permanent', async () => {
  const set = 'permanent(choices(["x", "y", "z"], { ...ask, atMost: 2 }), { epsilon: 2, renew: "year" })';
  const { reports } = await run(`${month}, metrics: { a: ${set} }`, [['a', '["x"]']]);
  expect(reports).toEqual([]);
});

test('a greatest count that is not whole has the law of a mean, whose outputs are whole', async () => {
  const counts = [0, 1, 2].map((value) => ['a', `${value}`] as const);
  const { reports } = await run(`${month}, metrics: { a: count(1.5, { ...ask, every: 'week' }) }`, counts);
  expect(reports).toHaveLength(6);
  for (const [, report] of reports) expect(['AA', 'AQ', 'Ag', 'Aw', 'BA', 'BQ']).toContain(report); // the six outputs of a mean's law at ε = 1
});

describe('a metric may be named like a member of every object', () => {
  const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];

  test('and is recorded, once in its slot, in a production bundle', async () => {
    const metrics = names.map((name) => `['${name}']: flag(ask)`).join(', ');
    const { refused, reports } = await run(
      `${month}, metrics: { ${metrics} }`,
      names.map((name) => [name, 'true'] as const),
    );
    expect(refused).toBeUndefined();
    expect(reports.map(([name]) => name).sort()).toEqual([...names, ...names].sort());
  });

  test('and one that is not declared is unknown', async () => {
    const { outcomes, reports } = await run(
      `${month}, metrics: { a: flag(ask) }`,
      names.map((name) => [name, 'true'] as const),
    );
    expect([new Set(outcomes), reports]).toEqual([new Set(['unknown-metric']), []]);
  });
});
