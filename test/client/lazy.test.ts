/** Telemetry whose code comes late: what waits for it, in which order it is handed over, and what was kept from before. */

import { type Consent, choice, defineSchema, flag, type Telemetry } from '@murmuration/client';
import { createLazyTelemetry, type LazyTelemetry } from '@murmuration/client/lazy';
import { afterAll, expect, test, vi } from 'vitest';
import { device, results, settle } from './device.ts';

const ask = { epsilon: 1, description: 'a question' };
const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 9, per: 'month' },
  metrics: { dark: flag(ask), plan: choice(['free', 'pro'], ask) },
});

const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
afterAll(() => warn.mockRestore());

/** A page's telemetry, and that of its code, which comes when `arrive` is called. */
function page(app = 'notes') {
  const told: string[] = [];
  let loads = 0;
  const whole = device(schema, { consent: 'ask', debug: false });
  let arrive = (): void => {};
  let fail = (): void => {};
  const load = (): Promise<{ readonly telemetry: Telemetry<typeof schema.questions> }> => {
    loads++;
    return new Promise((resolve, reject) => {
      arrive = () => resolve({ telemetry: whole.telemetry });
      fail = () => reject(new Error('offline'));
    });
  };
  const lazy = createLazyTelemetry({ app, onOutcome: ({ metric, result }) => told.push(`${metric ?? ''} ${result}`) }, load);
  /** Lets the code come, or the try fail. */
  const end = async (how: 'comes' | 'fails'): Promise<void> => {
    await expect.poll(() => loads).toBeGreaterThan(0); // its other half is imported first
    if (how === 'comes') arrive();
    else fail();
    await settle();
  };
  return { lazy, told, outcomes: whole.outcomes, loads: () => loads, end };
}

test('before the person agrees nothing is loaded, and a record does nothing', async () => {
  const { lazy, told, outcomes, loads } = page();
  lazy.record('dark', true);
  await settle();
  expect([lazy.consent.state, loads(), told, outcomes]).toEqual(['ask', 0, [], []]);
  lazy.consent.deny();
  lazy.record('dark', true);
  await settle();
  expect([lazy.consent.state, loads(), told, outcomes]).toEqual(['denied', 0, [], []]);
});

test('answers from the agreement on are recorded when the code comes, in their order, and then at once', async () => {
  const { lazy, outcomes, end } = page();
  lazy.record('plan', 'free');
  lazy.consent.grant();
  lazy.record('dark', true);
  lazy.record('dark', false);
  expect([lazy.consent.state, outcomes]).toEqual(['unknown', []]);
  await end('comes');
  expect(lazy.consent.state).toBe('granted');
  expect(outcomes).toEqual([
    { metric: 'dark', result: 'already-answered' },
    { metric: 'dark', result: 'recorded' },
  ]);
  lazy.record('plan', 'nothing that is offered' as 'free');
  expect(results(outcomes)).toEqual(['already-answered', 'recorded', 'wrong-type']);
});

test('a refusal before the code comes holds when it comes, and nothing from before it is recorded', async () => {
  const { lazy, outcomes, end } = page();
  lazy.consent.grant();
  lazy.record('dark', true);
  lazy.consent.deny();
  lazy.record('plan', 'pro');
  expect(lazy.consent.state).toBe('denied');
  await end('comes');
  expect([lazy.consent.state, outcomes]).toEqual(['denied', [{ metric: 'dark', result: 'no-consent' }]]);
  lazy.record('plan', 'pro');
  expect(results(outcomes)).toEqual(['no-consent', 'no-consent']);
});

test('of several decisions before the code comes the last one holds', async () => {
  const { lazy, outcomes, end } = page();
  for (const decide of ['deny', 'grant', 'deny', 'grant'] as const) lazy.consent[decide]();
  lazy.record('dark', true);
  await end('comes');
  expect([lazy.consent.state, results(outcomes)]).toEqual(['granted', ['recorded']]);
});

test('if the code does not come nothing throws, what waits goes on waiting, and the next grant or record tries again', async () => {
  const { lazy, outcomes, loads, end } = page();
  lazy.consent.grant();
  await end('fails');
  lazy.record('dark', true);
  await expect.poll(() => loads()).toBe(2);
  await end('fails');
  lazy.consent.grant();
  await expect.poll(() => loads()).toBe(3);
  expect([lazy.consent.state, outcomes]).toEqual(['unknown', []]);
  await end('comes');
  expect([lazy.consent.state, results(outcomes)]).toEqual(['granted', ['recorded']]);
});

test('if more answers come than may wait, none of them is recorded, and outcomes say so', async () => {
  const { lazy, told, outcomes, end } = page();
  lazy.consent.grant();
  for (let i = 0; i < 1_000; i++) lazy.record('dark', true);
  await end('comes');
  expect([new Set(told), told.length < 1_000, outcomes, lazy.consent.state]).toEqual([new Set(['dark dropped']), true, [], 'granted']);
  lazy.record('dark', true);
  await settle();
  expect(results(outcomes)).toEqual(['recorded']);
});

test.each([
  ['deny', 'denied'],
  ['grant', 'granted'],
] as const)('where too much waits to hold another decision, %s still holds', async (decide, state) => {
  const { lazy, outcomes, end } = page();
  lazy.consent.grant();
  for (let i = 0; i < 1_000; i++) lazy.record('dark', true);
  lazy.consent.deny();
  if (decide === 'grant') lazy.consent.grant();
  await end('comes');
  expect([lazy.consent.state, outcomes]).toEqual([state, []]);
});

test('functions that were kept from before the code came act on the telemetry', async () => {
  const { lazy, outcomes, end } = page();
  const { record, consent } = lazy;
  const { grant, deny, subscribe } = consent;
  let heard = 0;
  const stop = consent.subscribe(() => heard++);
  grant();
  await end('comes');
  expect(heard).toBeGreaterThan(0);
  record('dark', true);
  await settle();
  expect(results(outcomes)).toEqual(['recorded']);
  stop();
  const heardBefore = heard;
  const states: Consent['state'][] = [];
  subscribe(() => states.push(consent.state));
  deny();
  await settle();
  expect([consent.state, states, heard]).toEqual(['denied', ['denied'], heardBefore]);
  grant();
  await settle();
  expect([consent.state, states]).toEqual(['granted', ['denied', 'granted']]);
  record('plan', 'pro');
  await settle();
  expect(results(outcomes)).toEqual(['recorded', 'no-consent', 'recorded']);
});

test('while one develops, the name of another app and a module that does not load are explained', async () => {
  const other = page('letters');
  other.lazy.consent.grant();
  await other.end('comes');
  await expect.poll(() => warn.mock.lastCall?.[0]).toMatch(/expects the schema's app, 'notes', and got 'letters'/);
  const away = page();
  away.lazy.consent.grant();
  await away.end('fails');
  expect(warn.mock.lastCall?.[0]).toMatch(/did not load, and the next grant or record tries again: Error: offline/);
});

test('a record takes the answers that its metric has, and no others', () => {
  const lazy: LazyTelemetry<typeof schema.questions> = page().lazy;
  lazy.record('plan', 'pro');
  // @ts-expect-error no such answer
  lazy.record('plan', 'gold');
  // @ts-expect-error no such metric
  lazy.record('plam', 'pro');
  // @ts-expect-error an answer of another metric
  lazy.record('dark', 'pro');
});
