/** Consent: nothing before it, nothing after it is taken back, and `unknown` until the storage has said what was decided. */

import { defineSchema, flag, memoryStorage, preview } from '@murmuration/client';
import { describe, expect, test, vi } from 'vitest';
import type { Spill } from '#client/adapters/storage.ts';
import { answerOf, DENIED } from '#client/ledger/decision.ts';
import { parseState } from '#client/ledger/state.ts';
import { device, results, settle, textIn, timeOf } from './device.ts';
import { modelBrowser, waitingIn } from './model-storage.ts';

const ask = { epsilon: 1, description: 'a question' };
const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 19, per: 'month' },
  metrics: { dark: flag(ask), wide: flag({ ...ask, every: 'week' }), seen: flag({ ...ask, every: 'week', otherwise: false }) },
});

test('before consent nothing is created, spilled, scheduled or sent', async () => {
  const browser = modelBrowser();
  const page = browser.open();
  const { telemetry, outcomes, uploads, timers, hide, leave, comeBack } = device(schema, { consent: 'ask', storage: page });
  telemetry.record('dark', true);
  await settle();
  telemetry.record('seen', true);
  hide();
  await preview(telemetry);
  await telemetry.flush();
  leave();
  comeBack();
  await telemetry.close();
  expect(page.asked.length).toBeGreaterThan(2);
  expect(page.asked.filter((next) => next !== undefined)).toEqual([]);
  expect([results(outcomes), browser.spilled().size, uploads, timers()]).toEqual([['no-consent', 'no-consent'], 0, [], 0]);
});

test('of two decisions that two pages made beside each other the refusal holds in both, and is stored', async () => {
  const browser = modelBrowser({ hasSpill: false });
  const refusing = browser.open();
  const [one, other] = [device(schema, { storage: refusing }), device(schema, { storage: browser.open(), seed: 2 })];
  await settle();
  refusing.fate = 'rejects';
  one.telemetry.consent.deny();
  await settle();
  refusing.fate = 'completes';
  other.telemetry.consent.grant();
  await settle();
  await one.telemetry.look();
  await other.telemetry.look();
  expect([one.telemetry.consent.state, other.telemetry.consent.state]).toEqual(['denied', 'denied']);
  expect(browser.stored('murmuration:notes')).toContain(`"decision":${6},`);
});

test('a refusal that another page has not heard of begins no slot there', async () => {
  const browser = modelBrowser({ hasSpill: false });
  const time = { now: timeOf(0) };
  const stored = () => parseState(browser.stored('murmuration:notes') ?? '');
  const [one, other] = [device(schema, { storage: browser.open(), time }), device(schema, { storage: browser.open(), seed: 2, time })];
  await settle();
  one.telemetry.consent.deny();
  await settle();
  const accounts = stored()?.accounts;
  time.now = timeOf(8);
  await other.telemetry.flush();
  expect(stored()).toMatchObject({ accounts, outbox: [], decision: 6 });
});

test('deny erases what waits, also where this page has heard of fewer decisions than there were', async () => {
  const browser = modelBrowser({ hasSpill: false });
  const [one, other] = [device(schema, { storage: browser.open() }), device(schema, { storage: browser.open(), seed: 2 })];
  await settle();
  for (const decision of ['deny', 'grant', 'deny', 'grant'] as const) other.telemetry.consent[decision]();
  other.telemetry.record('dark', true);
  await settle();
  const stored = () => parseState(browser.stored('murmuration:notes') ?? '');
  expect(stored()?.outbox.flatMap(({ reports }) => reports.map(([metric]) => metric))).toContain('dark');
  one.telemetry.consent.deny();
  await settle();
  expect(stored()).toMatchObject({ outbox: [], decision: expect.toSatisfy((made: number) => answerOf(made) === DENIED) });
});

test('deny erases what waits, keeps the ledger, and outlives the page', async () => {
  const { telemetry, uploads, storage, outcomes } = device(schema);
  telemetry.record('dark', true);
  await settle();
  telemetry.consent.deny();
  await telemetry.flush();
  expect([uploads, await preview(telemetry), results(outcomes)]).toEqual([[], [], ['begun', 'recorded', 'no-consent', 'no-consent']]);
  const again = device(schema, { storage });
  expect(again.telemetry.consent.state).toBe('denied');
  again.telemetry.consent.grant();
  again.telemetry.record('dark', true);
  expect(results(again.outcomes)).toEqual(['already-answered']);
});

test('a refusal stores no day, and neither does any later visit of somebody who has refused', async () => {
  for (const hasAgreed of [false, true]) {
    const browser = modelBrowser();
    const { telemetry } = device(schema, { consent: 'ask', storage: browser.open() });
    if (hasAgreed) telemetry.consent.grant();
    await settle();
    const text = () => browser.stored('murmuration:notes');
    const stored = () => parseState(text() ?? '');
    const day = text() ? stored()?.day : 0;
    telemetry.consent.deny();
    await settle();
    for (let visit = 1; visit < 4; visit++) {
      const later = device(schema, { consent: 'ask', storage: browser.open(), seed: visit, time: { now: timeOf(visit) } });
      await later.telemetry.flush();
      await later.telemetry.close();
      expect(stored()).toMatchObject({ day, decision: expect.toSatisfy((made: number) => answerOf(made) === DENIED) });
    }
  }
});

test('what is recorded in one tick with a refusal is not kept, and that is said', async () => {
  const browser = modelBrowser();
  const { telemetry, outcomes, uploads } = device(schema, { storage: browser.open() });
  await settle();
  telemetry.record('dark', true);
  telemetry.consent.deny();
  expect(waitingIn(browser)).toBe(0);
  await telemetry.flush();
  await settle();
  expect(uploads).toEqual([]);
  expect(outcomes.filter(({ metric }) => metric === 'dark').map(({ result }) => result)).toEqual(['no-consent']);
});

describe('Global Privacy Control', () => {
  const withControl = async (run: () => Promise<void>): Promise<void> => {
    Object.defineProperty(globalThis.navigator, 'globalPrivacyControl', { value: true, configurable: true });
    try {
      await run();
    } finally {
      Reflect.deleteProperty(globalThis.navigator, 'globalPrivacyControl');
    }
  };

  test('turns a granted default into denied, until an explicit grant, which outlives the page', () =>
    withControl(async () => {
      const { telemetry, storage, outcomes } = device(schema);
      expect(telemetry.consent.state).toBe('denied');
      telemetry.record('dark', true);
      await telemetry.flush();
      expect([results(outcomes), textIn(storage)]).toEqual([['no-consent'], undefined]);
      telemetry.consent.grant();
      expect(telemetry.consent.state).toBe('granted');
      expect(device(schema, { storage }).telemetry.consent.state).toBe('granted');
    }));

  test('a default of ask stays ask', () =>
    withControl(async () => expect(device(schema, { consent: 'ask' }).telemetry.consent.state).toBe('ask')));
});

describe('until the storage has answered', () => {
  const decided = async (decide: 'grant' | 'deny' | undefined): Promise<ReturnType<typeof modelBrowser>> => {
    const browser = modelBrowser();
    const { telemetry } = device(schema, { storage: browser.open(), consent: 'ask' });
    await settle();
    if (decide) telemetry.consent[decide]();
    await telemetry.close();
    return browser;
  };

  test.each([
    ['grant', 'ask', 'granted', 'recorded'],
    ['grant', 'denied', 'granted', 'recorded'],
    ['deny', 'granted', 'denied', 'no-consent'],
    [undefined, 'ask', 'ask', 'no-consent'],
    [undefined, 'denied', 'denied', 'no-consent'],
    [undefined, 'granted', 'granted', 'recorded'],
  ] as const)(
    'after %s and with %s as the default consent is unknown, then %s, and what was recorded is %s',
    async (decide, consent, state, result) => {
      const browser = await decided(decide);
      const page = browser.open();
      const noted = vi.spyOn(page.spill as Spill, 'setItem');
      const { telemetry, outcomes, uploads } = device(schema, { storage: page, consent });
      expect(telemetry.consent.state).toBe('unknown');
      telemetry.record('dark', true);
      expect([outcomes, uploads]).toEqual([[], []]);
      await settle();
      expect(telemetry.consent.state).toBe(state);
      expect(outcomes.filter(({ metric }) => metric === 'dark').map((outcome) => outcome.result)).toEqual([result]);
      expect(noted.mock.calls.filter(([, text]) => text.includes('symbol'))).toHaveLength(state === 'granted' ? 1 : 0);
    },
  );

  test('an answer from before the first consent does not count, however late the storage is', async () => {
    const page = modelBrowser().open();
    page.fate = 'stops before the write';
    const { telemetry, outcomes, uploads } = device(schema, { storage: page, consent: 'ask' });
    telemetry.record('dark', true);
    telemetry.consent.grant();
    await settle();
    page.fate = 'completes';
    for (let i = 0; i < 4; i++) {
      page.go();
      await settle();
    }
    await telemetry.flush();
    expect(outcomes.filter(({ metric }) => metric === 'dark').map(({ result }) => result)).toEqual(['no-consent']);
    expect([telemetry.consent.state, uploads]).toEqual(['granted', []]);
  });

  test('what was recorded before anything is known does not count where the person decides first, even as before', async () => {
    const { telemetry, outcomes } = device(schema, { storage: (await decided('grant')).open(), consent: 'ask' });
    telemetry.record('dark', true);
    telemetry.consent.grant();
    await settle();
    expect(outcomes.filter(({ metric }) => metric === 'dark').map(({ result }) => result)).toEqual(['no-consent']);
  });
});

describe('consent.subscribe', () => {
  test('tells of each change, here and in another tab, and of what the storage knew', async () => {
    const browser = modelBrowser();
    const [here, there] = [1, 2].map((seed) => device(schema, { storage: browser.open(), consent: 'ask', seed }));
    const heard: string[] = [];
    const stop = here?.telemetry.consent.subscribe(() => heard.push(here.telemetry.consent.state));
    await settle();
    expect(heard).toEqual(['ask']);
    here?.telemetry.consent.grant();
    expect(heard).toEqual(['ask', 'granted']);
    await settle();
    there?.telemetry.consent.deny();
    await settle();
    expect(heard).toEqual(['ask', 'granted', 'denied']);
    stop?.();
    here?.telemetry.consent.grant();
    expect(heard).toHaveLength(3);
  });

  test('tells once of a decision, nothing of one that changes nothing, and minds no listener that throws', async () => {
    const { telemetry } = device(schema, { storage: memoryStorage(), consent: 'ask' });
    let heard = 0;
    telemetry.consent.subscribe(() => {
      throw new Error('a bug of the app');
    });
    const stop = telemetry.consent.subscribe(() => heard++);
    telemetry.consent.grant();
    await settle();
    expect(heard).toBe(1);
    telemetry.consent.grant();
    telemetry.record('dark', true);
    await telemetry.flush();
    expect(heard).toBe(1);
    stop();
    stop();
  });
});
