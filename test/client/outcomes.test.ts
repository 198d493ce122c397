/** Every record has exactly one outcome, whatever happens around it: random stories over consent, failing storage, a left page and `close`. */

import { type Delivery, defineSchema, flag, memoryStorage, type Outcome } from '@murmuration/client';
import { asyncStorage } from '@murmuration/client/react-native';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Device, device, results, settle } from './device.ts';
import { modelBrowser } from './model-storage.ts';

const RECORDS = 24;
const ask = { epsilon: 1, description: 'a question' };
/** A metric for each record of a story. Every fourth has `otherwise`. */
const names = Array.from({ length: RECORDS }, (_, i) => `m${i}`);
const metrics = Object.fromEntries(names.map((name, i) => [name, flag({ ...ask, ...(i % 4 === 3 && { otherwise: false }) })]));
const schema = defineSchema({ app: 'notes', version: 1, budget: { epsilon: 50, per: 'month' }, metrics });

const WITHOUT_STORAGE = ['record', 'record', 'record', 'grant', 'deny', 'forget', 'flush', 'close', 'look', 'hide'] as const;
const TIMES = ['nothing', 'a tick', 'a turn', 'a second', 'half a minute'] as const;
const OF_STORAGE = ['leave', 'return', 'fails', 'stands still', 'works'] as const;
const story = fc.record({
  where: fc.constantFrom('memory', 'AsyncStorage', 'a page', 'a page without a spill'),
  consent: fc.constantFrom('ask', 'granted'),
  seed: fc.nat(),
  steps: fc.array(fc.tuple(fc.constantFrom(...WITHOUT_STORAGE, ...OF_STORAGE), fc.constantFrom(...TIMES)), { minLength: 2, maxLength: 30 }),
});
type Story = typeof story extends fc.Arbitrary<infer T> ? T : never;

/** What may become of a record, and of the report that results. */
const CLAIMS = ['recorded', 'already-answered', 'no-consent', 'closed', 'storage-failed'];
const ENDS = ['delivered', 'refused', 'expired', 'no-consent'];

/** An AsyncStorage that answers some turns later. */
function slowStore(): Parameters<typeof asyncStorage>[0] {
  const items = new Map<string, string>();
  return {
    getItem: async (key) => {
      await settle();
      return items.get(key);
    },
    setItem: async (key, value) => {
      await settle();
      items.set(key, value);
    },
  };
}

async function pass(it: Device<typeof metrics>, time: (typeof TIMES)[number]): Promise<void> {
  if (time === 'a tick') await undefined;
  if (time === 'a turn') await settle();
  if (time === 'a second') await it.live(1_000);
  if (time === 'half a minute') await it.live(30_000);
}

/** Lives a story. Returns what was recorded, all outcomes, and whether every flush and close came to an end. */
async function live({ where, consent, seed, steps }: Story) {
  const page = where.startsWith('a page') ? modelBrowser({ hasSpill: where === 'a page', isHeard: true }).open() : undefined;
  const storage = page ?? (where === 'memory' ? memoryStorage() : asyncStorage(slowStore()));
  const network = fc.sample(fc.constantFrom('fine', 'fine', 'down', 'silent'), { seed, numRuns: 100 });
  let silent: (() => void)[] = [];
  const answer = (): Delivery | Promise<Delivery> => {
    const state = network.shift();
    return state === 'silent'
      ? new Promise((resolve) => silent.push(() => resolve({ status: 204 })))
      : { status: state === 'down' ? 503 : 204 };
  };
  const it = device(schema, { storage, consent, seed, answer });
  const { telemetry } = it;
  const ends: Promise<void>[] = [];
  const recorded: string[] = [];
  let isAway = false;
  const take: { readonly [step in (typeof WITHOUT_STORAGE | typeof OF_STORAGE)[number]]: () => void } = {
    record: () => {
      const name = names[recorded.length];
      if (name !== undefined) telemetry.record(recorded[recorded.push(name) - 1] as string, true);
    },
    grant: () => telemetry.consent.grant(),
    deny: () => telemetry.consent.deny(),
    forget: () => void telemetry.forget(),
    flush: () => void ends.push(telemetry.flush()),
    close: () => void ends.push(telemetry.close()),
    look: () => void telemetry.look(),
    hide: () => !isAway && it.hide(),
    leave: () => {
      if (page && !isAway) it.leave();
      isAway = page !== undefined;
    },
    return: () => {
      if (isAway) it.comeBack();
      isAway = false;
    },
    fails: () => page && Object.assign(page, { fate: 'rejects' }),
    'stands still': () => page && Object.assign(page, { fate: 'stops before the write' }),
    works: () => page && Object.assign(page, { fate: 'completes' }).go(),
  };
  for (const [step, time] of steps) {
    take[step]();
    await pass(it, time);
  }
  take.close();
  let isEnded = false;
  void Promise.all(ends).then(() => {
    isEnded = true;
  });
  for (let second = 0; second < 100 && !isEnded; second++) {
    take.works();
    for (const speak of silent) speak();
    silent = [];
    await it.live(1_000);
  }
  await settle();
  return { recorded, outcomes: it.outcomes, isEnded };
}

/** What is wrong with the outcomes of a record, if anything. */
function wrong(metric: string, outcomes: readonly Outcome[], hasReturned: boolean): string | undefined {
  const said = results(outcomes.filter((outcome) => outcome.metric === metric));
  // The report of `otherwise` has an end of its own, whether or not an answer took its place.
  const hasReport = said.includes('begun') || said.includes('recorded');
  const rest = said.filter((result) => result !== 'begun');
  // A page that returns claims once more what its spill has kept.
  if (hasReturned && rest[0] === 'storage-failed' && rest[1] !== undefined && rest[1] !== 'storage-failed') rest.shift();
  const isRight = rest.some((claim, at) => {
    const others = rest.toSpliced(at, 1);
    return CLAIMS.includes(claim) && others.length <= Number(hasReport) && others.every((end) => ENDS.includes(end));
  });
  return isRight ? undefined : `${metric}: ${said.join(', ') || 'no outcome'}`;
}

test('every record has exactly one outcome, a failing storage is told once, and every flush and close ends', {
  timeout: 120_000,
}, async () => {
  const property = fc.asyncProperty(story, async (told) => {
    const { recorded, outcomes, isEnded } = await live(told);
    const hasReturned = told.steps.some(([step]) => step === 'return');
    expect(recorded.flatMap((metric) => wrong(metric, outcomes, hasReturned) ?? [])).toEqual([]);
    expect(outcomes.filter(({ metric }) => metric === undefined).length).toBeLessThanOrEqual(1);
    expect(isEnded).toBe(true);
  });
  await fc.assert(property, { numRuns: 2_000, seed: 20 });
});

test('a record that no transaction could store before its page was closed for good is told to have failed', async () => {
  const page = modelBrowser().open();
  const it = device(schema, { storage: page });
  await settle();
  it.telemetry.record('m0', true);
  it.leave();
  await it.telemetry.close();
  expect(it.outcomes).toContainEqual({ metric: 'm0', result: 'storage-failed' });
});

test('what is recorded once close was called is closed', async () => {
  const it = device(schema);
  it.telemetry.record('m0', true);
  const closed = it.telemetry.close();
  for (const name of ['m1', 'm2']) {
    it.telemetry.record(name, true);
    await settle();
  }
  await closed;
  it.telemetry.record('m4', true);
  const said = it.outcomes.filter(({ result }) => result !== 'begun').map(({ metric, result }) => `${metric} ${result}`);
  expect(said).toEqual(['m1 closed', 'm0 recorded', 'm0 delivered', 'm2 closed', 'm4 closed']);
});

test('a page that agrees while it is left has its earlier answers neither refused nor told to be', async () => {
  const page = modelBrowser().open();
  const it = device(schema, { storage: page });
  await settle();
  it.leave();
  it.telemetry.record('m0', true);
  await settle();
  it.telemetry.consent.grant();
  it.comeBack();
  await it.telemetry.flush();
  expect(results(it.outcomes.filter(({ metric }) => metric === 'm0'))).toEqual(['recorded', 'delivered']);
});

test('a storage that fails at the start and at each decision is told once', async () => {
  const page = modelBrowser().open();
  page.fate = 'rejects';
  const it = device(schema, { storage: page, consent: 'ask' });
  await settle();
  it.telemetry.consent.grant();
  await settle();
  await it.telemetry.forget();
  expect(it.outcomes).toEqual([{ result: 'storage-failed' }]);
});
