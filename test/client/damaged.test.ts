/** Storage that fails, lies or is damaged: nothing is sent that was not written, and what can't be read counts as spent. */

import { runInNewContext } from 'node:vm';
import { defineSchema, flag, ledger, memoryStorage, permanent, preview, type Storage, text } from '@murmuration/client';
import { describe, expect, test } from 'vitest';
import { stateText } from '#client/ledger/state.ts';
import { device, FIRST_DAY, results, settle, stateIn, textIn, timeOf } from './device.ts';
import { type Fate, modelBrowser } from './model-storage.ts';

const ask = { epsilon: 1, description: 'a question' };
const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 60, per: 'month' },
  metrics: {
    dark: flag(ask),
    week: flag({ ...ask, every: 'week' }),
    seen: flag({ ...ask, every: 'week', otherwise: false }),
    kept: permanent(text({ ...ask, every: 'day' }), { epsilon: 3, renew: 'year' }),
  },
});
const KEY = 'murmuration:notes';
const LOADS = 50;

test('storage that is deleted under a page counts as spent as far as the page knows, and the person is asked again', async () => {
  let storage = memoryStorage();
  const { telemetry, outcomes } = device(schema, { consent: 'ask', storage: { transact: (key, update) => storage.transact(key, update) } });
  telemetry.consent.grant();
  telemetry.record('dark', true);
  await telemetry.flush();
  const { accounts } = stateIn(storage);
  storage = memoryStorage();
  await telemetry.flush();
  expect(telemetry.consent.state).toBe('ask');
  telemetry.record('dark', true);
  telemetry.consent.grant();
  telemetry.record('dark', true);
  telemetry.record('kept', 'home');
  await telemetry.flush();
  expect(results(outcomes)).toEqual([
    ...['begun', 'recorded', 'delivered'],
    ...['storage-reset', 'no-consent', 'already-answered', 'already-answered'],
  ]);
  const days = (of: typeof accounts): (number | undefined)[] => Object.keys(schema.document.metrics).map((metric) => of[metric]?.day);
  expect(days(accounts)).toEqual([FIRST_DAY, undefined, FIRST_DAY, undefined]);
  expect(days(stateIn(storage).accounts)).toEqual([FIRST_DAY, FIRST_DAY, FIRST_DAY, FIRST_DAY]);
});

describe('storage that can not write', () => {
  const foreign = (code: string): (() => never) => runInNewContext(`() => ${code}`);
  const failing: Record<string, () => Storage> = {
    rejects: () => ({ transact: () => Promise.reject(new Error('no IndexedDB')) }),
    throws: () => ({
      transact: () => {
        throw new Error('SecurityError');
      },
    }),
    'rejects after it has decided': () => {
      const page = modelBrowser({ hasSpill: false }).open();
      page.fate = 'rejects';
      return page;
    },
    'rejects, beside a spill': () => {
      const page = modelBrowser().open();
      page.fate = 'rejects';
      return page;
    },
    'throws, beside a spill': () => {
      const page = modelBrowser().open();
      page.fate = 'throws';
      return page;
    },
    'rejects by a promise of another realm': () => ({ transact: foreign('Promise.reject(new Error())') }),
    'rejects by a thenable': () => ({ transact: foreign('({ then: (_, reject) => reject(new Error()) })') }),
  };

  test.each(Object.keys(failing))('that %s: 50 loads send nothing, and say storage-failed', async (how) => {
    const uploads: unknown[] = [];
    for (let seed = 0; seed < LOADS; seed++) {
      const it = device(schema, { storage: failing[how]?.() as Storage, seed });
      it.telemetry.consent.grant();
      it.telemetry.record('dark', true);
      await settle();
      it.hide();
      await it.live(60_000);
      it.leave();
      await it.telemetry.close();
      uploads.push(...it.uploads);
      const said = it.outcomes.filter(({ metric }) => metric === 'dark');
      expect(results(said)).toEqual(['storage-failed']);
    }
    expect(uploads).toEqual([]);
  });

  test.each(Object.keys(failing))('that %s and a default of granted: nothing is sent, and each load says storage-failed', async (how) => {
    for (let seed = 0; seed < LOADS; seed++) {
      const it = device(schema, { storage: failing[how]?.() as Storage, seed });
      it.telemetry.record('dark', true);
      await settle();
      it.telemetry.record('week', true);
      await it.live(60_000);
      await it.telemetry.close();
      expect(it.uploads).toEqual([]);
      expect(results(it.outcomes.filter(({ metric }) => metric))).toEqual(['storage-failed', 'storage-failed']);
    }
  });
});

test('a refusal that could not be read when the page began holds, though consent is granted by default', async () => {
  const browser = modelBrowser({ hasSpill: false });
  const first = device(schema, { storage: browser.open() });
  await settle();
  first.telemetry.consent.deny();
  await first.telemetry.close();
  const page = browser.open();
  page.fate = 'rejects';
  const { telemetry, outcomes, uploads, live } = device(schema, { storage: page, seed: 2 });
  telemetry.record('dark', true);
  await settle();
  page.fate = 'completes';
  telemetry.record('dark', true);
  await settle();
  telemetry.record('week', true);
  await live(60_000);
  await telemetry.flush();
  expect([telemetry.consent.state, uploads]).toEqual(['denied', []]);
  expect(results(outcomes.filter(({ metric }) => metric))).toEqual(['storage-failed', 'no-consent', 'no-consent']);
});

test.each(['rejects', 'throws'] as const)('a transaction that %s records nothing, and the slot stays free', async (fate: Fate) => {
  const browser = modelBrowser({ hasSpill: false });
  const page = browser.open();
  const { telemetry, outcomes, uploads, timers } = device(schema, { storage: page });
  await settle();
  page.fate = fate;
  telemetry.record('dark', true);
  await settle();
  expect([results(outcomes), timers()]).toEqual([['begun', 'storage-failed'], 0]);
  page.fate = 'completes';
  telemetry.record('dark', true);
  await telemetry.flush();
  expect(results(outcomes)).toEqual(['begun', 'storage-failed', 'recorded', 'delivered']);
  expect(uploads).toHaveLength(1);
});

test('an acknowledgement that can not be written down is a batch that is sent again, as it is', async () => {
  const page = modelBrowser().open();
  const { telemetry, uploads, live } = device(schema, {
    storage: page,
    answer: () => {
      page.fate = uploads.length > 1 ? 'completes' : 'rejects';
      return { status: 204 };
    },
  });
  telemetry.record('dark', true);
  await telemetry.flush();
  page.fate = 'completes';
  await live(3_600_000);
  expect(uploads.length).toBeGreaterThan(1);
  expect(new Set(uploads.map(({ body }) => body)).size).toBe(1);
  expect((await preview(telemetry)).map(({ reports }) => reports.map(({ metric }) => metric))).toEqual([['seen']]); // until its slot ends
});

describe('stored text that is damaged', () => {
  /** A device that has answered everything, and its text. */
  const answered = async (): Promise<string> => {
    const { telemetry, storage } = device(schema, { consent: 'ask', answer: () => ({ status: 503 }) });
    telemetry.consent.grant();
    telemetry.record('dark', true);
    telemetry.record('kept', 'word');
    await telemetry.flush();
    return textIn(storage) ?? '';
  };
  const holding = (text: string): Storage => {
    const storage = memoryStorage();
    storage.transact(KEY, () => ({ next: text, result: undefined }));
    return storage;
  };
  /** Lives with a text in every way there is: nothing may throw. Returns what was sent under new answers. */
  const live = async (text: string, seed: number) => {
    const it = device(schema, { storage: holding(text), consent: 'ask', seed });
    const { telemetry } = it;
    telemetry.consent.grant();
    for (const metric of ['dark', 'week', 'seen'] as const) telemetry.record(metric, true);
    telemetry.record('kept', 'other');
    it.hide();
    await settle();
    return it;
  };

  test('at any byte: nothing throws, every metric counts as answered and the budget as spent', async () => {
    const text = await answered();
    for (let i = 0; i < text.length; i++) {
      const flipped = text.slice(0, i) + String.fromCharCode(text.charCodeAt(i) ^ (1 << (i % 6))) + text.slice(i + 1);
      const it = await live(flipped, i);
      expect(it.uploads).toEqual([]);
      expect(new Set(results(it.outcomes))).toEqual(new Set(['storage-reset', 'already-answered']));
      expect(await ledger(it.telemetry)).toMatchObject({ spent: 60, left: 0 });
    }
  });

  test('by being cut at any length, or by more than there was', async () => {
    const text = await answered();
    for (let i = 1; i < text.length; i++) {
      const it = await live(text.slice(0, i), i);
      expect([it.uploads, results(it.outcomes).includes('recorded')]).toEqual([[], false]);
      expect(await ledger(it.telemetry)).toMatchObject({ spent: 60, left: 0 });
    }
    for (const more of [`${text} `, `${text}}`, ` ${text}`, text + text]) expect((await live(more, 1)).uploads).toEqual([]);
  });

  test('is not counted as spent since never where the clock gives no day: nothing is stored until it does', async () => {
    for (const now of [Number.NaN, 0]) {
      const storage = holding('not json');
      const it = device(schema, { storage, consent: 'ask', clock: { now: () => now, after: () => () => {} } });
      it.telemetry.consent.grant();
      it.telemetry.record('dark', true);
      await it.telemetry.flush();
      expect([textIn(storage), it.uploads, results(it.outcomes).includes('recorded')]).toEqual(['not json', [], false]);
      const again = device(schema, { storage, consent: 'ask' });
      again.telemetry.consent.grant();
      again.telemetry.record('dark', true);
      await again.telemetry.flush();
      expect(again.uploads).toEqual([]);
    }
  });

  test('is counted as spent since the last claim that the page remembers, where the clock was set back', async () => {
    const browser = modelBrowser();
    const it = device(schema, { storage: browser.open() });
    it.telemetry.record('dark', true);
    await it.telemetry.close();
    await browser.open().transact(KEY, () => ({ next: 'not json', result: undefined }));
    const back = device(schema, { storage: browser.open(), consent: 'ask', time: { now: timeOf(-100) } });
    await back.telemetry.flush();
    const again = device(schema, { storage: browser.open(), consent: 'ask', time: { now: timeOf(1) }, seed: 2 });
    again.telemetry.consent.grant();
    again.telemetry.record('dark', true);
    await again.telemetry.flush();
    expect([again.uploads, results(again.outcomes)]).toEqual([[], ['already-answered']]);
  });

  test('is counted as spent for the window, and the device goes on after it', async () => {
    const it = await live('not json', 1);
    expect(it.telemetry.consent.state).toBe('granted');
    it.setDay(29);
    it.telemetry.record('week', true); // weekly, but the window holds the whole budget
    await settle();
    it.setDay(30);
    it.telemetry.record('dark', true);
    await it.telemetry.flush();
    expect(results(it.outcomes).filter((result) => result === 'storage-reset')).toHaveLength(1);
    expect(results(it.outcomes).slice(-5)).toContain('over-budget');
    expect(it.outcomes.filter(({ metric }) => metric === 'dark').map(({ result }) => result)).toEqual([
      'already-answered',
      'recorded',
      'delivered',
    ]);
  });

  test('is a refusal where consent is granted by default: the one that was stored may be lost', async () => {
    const { telemetry, outcomes } = device(schema, { storage: holding('not json') });
    expect(telemetry.consent.state).toBe('denied');
    telemetry.record('dark', true);
    expect(results(outcomes)).toEqual(['storage-reset', 'no-consent']);
  });

  test.each(['granted', 'denied'] as const)('asks a person again who agreed by an old note in the spill, and then %s', async (then) => {
    const browser = modelBrowser();
    const first = device(schema, { storage: browser.open(), consent: 'ask' });
    first.telemetry.consent.grant();
    await settle();
    browser.saveSpill();
    if (then === 'denied') first.telemetry.consent.deny();
    await settle();
    browser.kill();
    browser.write(KEY, 'not json');
    const second = device(schema, { storage: browser.open(), consent: 'ask' });
    await settle();
    expect(second.telemetry.consent.state).toBe('ask');
    second.telemetry.record('dark', true);
    await second.live(600_000);
    expect([second.uploads, results(second.outcomes)]).toEqual([[], ['storage-reset', 'no-consent']]);
    second.telemetry.consent.grant();
    await settle();
    expect(second.telemetry.consent.state).toBe('granted');
    expect(await ledger(second.telemetry)).toMatchObject({ spent: 60, left: 0 });
  });

  const odd = [
    'not json',
    '{"v":3}',
    '[]',
    '"text"',
    '7',
    'null',
    '{"v":1,"accounts":{"dark":{"day":1}}}',
    '{"v":1,"accounts":null}',
    '{"v":1,"outbox":null}',
    '{"v":1,"accounts":{"dark":{"day":1,"spent":[{}]}}}',
  ];
  test.each(odd)('nothing throws where %s is stored, and nothing is recorded', async (stored) => {
    const it = await live(stored, 1);
    expect(it.uploads).toEqual([]);
    expect(results(it.outcomes)[0]).toBe('storage-reset');
    expect(results(it.outcomes)).not.toContain('recorded');
    await it.telemetry.forget();
  });

  const whole = async () => {
    const { telemetry, storage } = device(schema, { answer: () => ({ status: 503 }) });
    telemetry.record('dark', true);
    await telemetry.flush();
    return stateIn(storage);
  };
  /** Lives with a text whose sum is right and in which one member is odd, to the end. */
  const liveWith = async (member: string, value: unknown) => {
    const it = await live(stateText({ ...(await whole()), [member]: value } as never), 1);
    await it.telemetry.flush();
    const heard = new Set(it.outcomes.map(({ metric }) => metric));
    for (const metric of ['dark', 'week', 'seen', 'kept']) expect(heard).toContain(metric);
    await it.telemetry.forget();
    await it.telemetry.close();
    return it;
  };

  test.each([
    ['accounts', { dark: null }],
    ['accounts', { dark: { day: 20_777 } }],
    ['accounts', { dark: { day: 20_777, spent: [null] } }],
    ['outbox', null],
    ['outbox', [null]],
    ['outbox', [{}]],
    ['outbox', {}],
    ['day', 'today'],
    ['decision', 'granted'],
  ])('nothing throws, is recorded or sent where %s is %j in a text whose sum is right', async (member, value) => {
    const { uploads, outcomes } = await liveWith(member, value);
    expect(uploads).toEqual([]);
    expect(results(outcomes)).not.toContain('recorded');
  });

  test.each([
    ['accounts', { dark: { day: 'x', spent: [] } }],
    ['day', null],
    ['batches', 'many'],
    ['pause', {}],
    ['retired', null],
    ['decision', null],
    ['order', 7],
    ['draw', 'x'],
  ])('what was answered stays answered where %s is %j in a text whose sum is right', async (member, value) => {
    const { outcomes } = await liveWith(member, value);
    expect(results(outcomes.filter(({ metric }) => metric === 'dark'))[0]).toBe('already-answered');
    expect(results(outcomes)).toContain('recorded');
  });

  test.each([null, 7])('each metric is recorded once where accounts are %j in a text whose sum is right', async (accounts) => {
    const { outcomes } = await liveWith('accounts', accounts);
    const recorded = outcomes.filter(({ result }) => result === 'recorded').map(({ metric }) => metric);
    expect(recorded.sort()).toEqual(['dark', 'kept', 'seen', 'week']);
  });

  test.each([3, 5, '4', null])('version %j of the format is one that nobody can read', async (v) => {
    const it = await live(stateText({ ...(await whole()), v } as never), 1);
    expect([it.uploads, results(it.outcomes)[0]]).toEqual([[], 'storage-reset']);
    expect(await ledger(it.telemetry)).toMatchObject({ spent: 60 });
  });
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.MAX_VALUE, 8.64e15, 2.5e14])(
  'a clock that says %s records nothing, whether or not the metric has `otherwise`, and hangs nothing',
  async (now) => {
    for (const upload of ['soon', 'later'] as const) {
      const it = device(schema, { time: { now }, upload, batchesPerDay: 1 });
      for (const metric of ['dark', 'seen'] as const) it.telemetry.record(metric, true);
      it.telemetry.record('kept', 'word');
      await it.telemetry.flush();
      expect(results(it.outcomes)).not.toContain('recorded');
      expect([it.uploads, await ledger(it.telemetry)]).toEqual([[], expect.objectContaining({ spent: 0, today: '1970-01-01' })]);
      expect(Object.keys((await stateIn(it.storage)).accounts)).toEqual([]);
      await it.telemetry.close();
    }
  },
);

test('a clock that was ahead of all time for a while costs nothing once it is right', async () => {
  const time = { now: Number.POSITIVE_INFINITY };
  const it = device(schema, { time });
  it.telemetry.record('dark', true);
  await it.telemetry.flush();
  it.setDay(0);
  it.telemetry.record('dark', true);
  await it.telemetry.flush();
  expect(results(it.outcomes.filter(({ metric }) => metric === 'dark'))).toEqual(['expired', 'recorded', 'delivered']);
});
