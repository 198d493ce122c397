/** Pages that are killed, left, restored or closed at once: a slot is answered once, and a refusal stays one. */

import { defineSchema, flag, ledger, permanent, type Schema, type Spill } from '@murmuration/client';
import { describe, expect, test, vi } from 'vitest';
import { type Device, type DeviceOptions, device, reportsOf, results, settle, timeOf } from './device.ts';
import { type Browser, modelBrowser, waitingIn } from './model-storage.ts';

const ask = { epsilon: 1, description: 'a question' };
const of = (version: number) =>
  defineSchema({
    app: 'notes',
    version,
    budget: { epsilon: 60, per: 'month' },
    metrics: { dark: flag(ask), daily: flag({ ...ask, every: 'day' }) },
  });
const schema = of(1);
type Metrics = typeof schema extends Schema<infer M> ? M : never;
let seeds = 0;
const page = (browser: Browser, options: DeviceOptions<Metrics> = {}) => {
  const storage = browser.open();
  return { ...device(schema, { storage, seed: ++seeds, ...options }), storage };
};
/** What was said of a metric. */
const said = ({ outcomes }: Pick<Device<Metrics>, 'outcomes'>, metric: string): string[] =>
  results(outcomes.filter((outcome) => outcome.metric === metric));
/** The reports of a metric that left all of some pages: each batch counts once. */
const sent = (pages: readonly Device<Metrics>[], metric: string): number => {
  const batches = new Map(pages.flatMap((each) => each.batches()).map((batch) => [batch.batch, batch]));
  return reportsOf([...batches.values()], metric);
};

test('a page that is left does not send a batch to which a transaction under way adds a report', async () => {
  const it = page(modelBrowser());
  await settle();
  it.telemetry.record('dark', true);
  await settle();
  it.storage.fate = 'stops after the write';
  it.telemetry.record('daily', true);
  await settle();
  it.leave();
  expect(it.uploads).toEqual([]);
  it.storage.fate = 'completes';
  it.comeBack();
  await it.live(60_000);
  expect(it.batches().map(({ reports }) => reports.length)).toEqual([2]);
});

describe('a browser that is killed', () => {
  test.each([true, false])('after record and upload answers the slot no second time (spill saved: %s)', async (isSaved) => {
    const browser = modelBrowser();
    const first = page(browser);
    first.telemetry.record('dark', true);
    await first.telemetry.flush();
    expect(first.uploads).toHaveLength(1);
    if (isSaved) browser.saveSpill();
    browser.kill();
    const second = page(browser);
    second.telemetry.record('dark', false);
    await second.telemetry.flush();
    await second.live(600_000);
    expect([said(second, 'dark'), sent([first, second], 'dark')]).toEqual([['already-answered'], 1]);
  });

  test('at any step of a record reports its slot once at most, and once where the write was done', async () => {
    for (const fate of ['stops before the write', 'stops after the write'] as const) {
      for (const isSaved of [true, false]) {
        const browser = modelBrowser();
        const first = page(browser);
        await settle();
        first.storage.fate = fate;
        first.telemetry.record('dark', true);
        await settle();
        first.hide();
        await first.live(60_000);
        if (isSaved) browser.saveSpill();
        browser.kill();
        const second = page(browser);
        await settle();
        second.telemetry.record('dark', true);
        await second.live(600_000);
        expect(sent([first, second], 'dark')).toBe(1);
        const isClaimed = fate === 'stops after the write' || isSaved; // then it waited for this start
        expect(said(second, 'dark').includes('already-answered')).toBe(isClaimed);
      }
    }
  });

  test('soon after deny() finds it denied, whatever the spill says', async () => {
    for (const saveAt of ['never', 'before', 'granted', 'denied']) {
      const browser = modelBrowser();
      if (saveAt === 'before') browser.saveSpill();
      const first = page(browser, { consent: 'ask' });
      await settle();
      first.telemetry.consent.grant();
      await settle();
      if (saveAt === 'granted') browser.saveSpill();
      first.telemetry.consent.deny();
      await settle();
      if (saveAt === 'denied') browser.saveSpill();
      browser.kill();
      const second = page(browser, { consent: 'ask' });
      second.telemetry.record('dark', true);
      await settle();
      second.telemetry.record('dark', true);
      await second.telemetry.flush();
      expect([second.telemetry.consent.state, second.uploads, said(second, 'dark')]).toEqual(['denied', [], ['no-consent', 'no-consent']]);
    }
  });

  test('before the refusal was written finds it in the spill, where that was saved', async () => {
    const browser = modelBrowser();
    const first = page(browser, { consent: 'ask' });
    await settle();
    first.telemetry.consent.grant();
    first.telemetry.record('dark', true);
    await settle();
    first.storage.fate = 'stops before the write';
    first.telemetry.consent.deny();
    browser.saveSpill();
    browser.kill();
    const second = page(browser, { consent: 'ask' });
    await second.live(600_000);
    expect([second.telemetry.consent.state, second.uploads]).toEqual(['denied', []]);
  });
});

describe('a page that is left and restored', () => {
  test('finds the state fresh: what another page answered meanwhile is answered', async () => {
    const browser = modelBrowser();
    const first = page(browser, { consent: 'ask' });
    await settle();
    first.telemetry.consent.grant();
    await settle();
    first.leave();
    const second = page(browser, { consent: 'ask' });
    await settle();
    second.telemetry.record('dark', true);
    await settle();
    second.leave();
    first.comeBack();
    await settle();
    first.telemetry.record('dark', false);
    await settle();
    expect(said(first, 'dark')).toEqual(['already-answered']);
    await first.live(600_000);
    expect((await ledger(first.telemetry)).spent).toBe(1);
    expect(sent([first, second], 'dark')).toBe(1);
  });

  test('hears what was decided meanwhile', async () => {
    const browser = modelBrowser({ isSlow: true });
    const first = page(browser);
    await settle();
    first.leave();
    const second = page(browser);
    await settle();
    second.telemetry.consent.deny();
    await settle();
    first.comeBack();
    await settle();
    first.telemetry.record('dark', true);
    expect([first.telemetry.consent.state, said(first, 'dark')]).toEqual(['denied', ['no-consent']]);
  });

  test('claims at its return what was recorded while it was away', async () => {
    const browser = modelBrowser();
    const first = page(browser);
    await settle();
    first.leave();
    first.telemetry.record('dark', true);
    await settle();
    expect([first.uploads, said(first, 'dark'), waitingIn(browser)]).toEqual([[], [], 1]);
    first.comeBack();
    await settle();
    expect([said(first, 'dark'), waitingIn(browser)]).toEqual([['recorded'], 0]);
    await first.live(600_000);
    expect(sent([first], 'dark')).toBe(1);
  });

  test('and never comes back: the next visit claims every answer that was recorded while it was away', async () => {
    const browser = modelBrowser();
    const first = page(browser);
    await settle();
    first.leave();
    first.telemetry.record('dark', true);
    await settle();
    first.telemetry.record('daily', true); // by a later listener, in a tick of its own
    await settle();
    expect(waitingIn(browser)).toBe(2);
    const next = page(browser);
    await next.live(600_000);
    expect([sent([first, next], 'dark'), sent([first, next], 'daily')]).toEqual([1, 1]);
  });

  test('sends what it has written in the tick in which it is left, and that batch takes nothing more', async () => {
    const browser = modelBrowser();
    const first = page(browser);
    first.telemetry.record('dark', true);
    await settle();
    expect(first.uploads).toEqual([]);
    first.leave();
    expect(first.uploads).toHaveLength(1);
    first.comeBack();
    first.telemetry.record('daily', true);
    await settle();
    await first.live(600_000);
    const bodies = new Map(first.uploads.map(({ body }) => [JSON.parse(body).batch, body]));
    expect(first.uploads.every(({ body }) => bodies.get(JSON.parse(body).batch) === body)).toBe(true);
    expect([sent([first], 'dark'), sent([first], 'daily')]).toEqual([1, 1]);
  });

  test.each(['stops before the write', 'stops after the write'] as const)(
    'with a record whose transaction %s claims it once',
    async (fate) => {
      const browser = modelBrowser();
      const first = page(browser);
      await settle();
      first.storage.fate = fate;
      first.telemetry.record('dark', true);
      await settle();
      first.leave();
      await settle();
      first.storage.fate = 'completes';
      first.comeBack();
      await settle();
      await first.live(600_000);
      expect([said(first, 'dark').slice(-2), sent([first], 'dark'), waitingIn(browser)]).toEqual([['recorded', 'delivered'], 1, 0]);
    },
  );
});

describe('a tab that records while another is open, and closes at once', () => {
  test('loses nothing: the next start claims the answer, and says so', async () => {
    const browser = modelBrowser();
    const open = page(browser);
    await settle();
    const closing = page(browser);
    await settle();
    closing.storage.fate = 'stops before the write';
    closing.telemetry.record('dark', true);
    closing.leave();
    await settle();
    expect([said(closing, 'dark'), closing.uploads]).toEqual([[], []]);
    const next = page(browser);
    await settle();
    expect(said(next, 'dark')).toEqual(['recorded']);
    await next.live(600_000);
    expect([said(next, 'dark'), sent([open, closing, next], 'dark'), waitingIn(browser)]).toEqual([['recorded', 'delivered'], 1, 0]);
  });

  test('after a slot was taken by another: the answer is dropped, and says so', async () => {
    const browser = modelBrowser();
    const closing = page(browser);
    await settle();
    closing.storage.fate = 'stops before the write';
    closing.telemetry.record('dark', true);
    closing.leave();
    await settle();
    const open = page(browser, { storage: browser.open() });
    open.telemetry.record('dark', true);
    await settle();
    const next = page(browser);
    await next.live(600_000);
    expect([...said(open, 'dark'), ...said(next, 'dark')].filter((result) => result === 'recorded')).toHaveLength(1);
    expect([sent([open, closing, next], 'dark'), waitingIn(browser)]).toEqual([1, 0]);
  });

  test('and was heard by nobody, though it was written: it is claimed no second time, not even in a later slot', async () => {
    const browser = modelBrowser({ isSlow: true });
    const between = page(browser); // does not see what others spill, and answers the next slot
    const closing = page(browser);
    await settle();
    closing.storage.fate = 'stops after the write';
    closing.telemetry.record('daily', true);
    await settle();
    closing.leave();
    between.setDay(1);
    await settle();
    between.telemetry.record('daily', true);
    await between.live(600_000);
    browser.spread();
    const next = page(browser, { time: { now: 0 } });
    next.setDay(2);
    await next.telemetry.flush();
    await next.live(600_000);
    expect([said(next, 'daily').includes('recorded'), sent([closing, between, next], 'daily')]).toEqual([false, 2]);
  });
});

describe('answers in the spill', () => {
  const leftBehind = async (version = 1): Promise<Browser> => {
    const browser = modelBrowser();
    const storage = browser.open();
    const closing = device(of(version), { storage, seed: ++seeds });
    await settle();
    storage.fate = 'stops before the write';
    closing.telemetry.record('dark', true);
    closing.leave();
    await settle();
    return browser;
  };

  test('of another version of the schema are not claimed, and expire the day after, which is said', async () => {
    const browser = await leftBehind(2);
    const next = page(browser);
    await next.live(600_000);
    expect([said(next, 'dark'), next.uploads]).toEqual([[], []]);
    next.telemetry.record('dark', true);
    await next.live(600_000);
    expect(said(next, 'dark')).toEqual(['recorded', 'delivered']);
    const later = page(browser);
    later.setDay(1);
    later.comeBack();
    await settle();
    expect([said(later, 'dark'), waitingIn(browser)]).toEqual([['expired'], 0]);
  });

  test('are erased by a refusal, in this tab or another, and are not claimed after it', async () => {
    const browser = await leftBehind();
    const first = page(browser, { consent: 'ask' });
    first.telemetry.consent.deny();
    await settle();
    first.telemetry.consent.grant();
    await settle();
    const next = page(browser);
    await next.live(600_000);
    expect([first.uploads, next.uploads]).toEqual([[], []]);
  });

  test('are older than 14 days: expired, and that is said', async () => {
    const browser = await leftBehind();
    const next = page(browser, { time: { now: 0 } });
    next.setDay(15);
    await settle();
    next.comeBack();
    await settle();
    expect([said(next, 'dark').filter((result) => result === 'expired'), waitingIn(browser)]).toEqual([['expired'], 0]);
  });

  test('that are damaged stop nothing', async () => {
    const browser = modelBrowser();
    const { spill } = browser.open();
    for (const [i, text] of ['', 'null', '7', '[]', '{}', '{"id":7}', '{"wire":1}', 'not json'].entries())
      spill?.setItem(`murmuration:notes:answer:${i}`, text);
    spill?.setItem('murmuration:notes:consent', '{"count":"many"}');
    const it = page(browser);
    it.telemetry.record('dark', true);
    await it.telemetry.flush();
    expect(said(it, 'dark')).toEqual(['recorded', 'delivered']);
  });
});

test.each([0, 1])('50 reloads write one symbol of a slot into the spill, where the database answers %i of them', async (answered) => {
  const browser = modelBrowser();
  const symbols = new Set<string>();
  for (let load = 0; load < 50; load++) {
    const storage = browser.open();
    if (load >= answered) storage.fate = 'rejects';
    const { setItem } = storage.spill as Spill;
    vi.spyOn(storage.spill as Spill, 'setItem').mockImplementation((key, text) => {
      if (text.includes('"symbol"')) symbols.add(text);
      setItem(key, text);
    });
    const it = device(schema, { storage, seed: ++seeds });
    for (let time = 0; time < 2; time++) {
      it.telemetry.record('dark', true);
      await settle();
    }
    it.leave();
  }
  expect(symbols.size).toBe(1);
});

test('releases of an app, and a clock that gives no number, write no further symbol of a slot into the spill', async () => {
  const browser = modelBrowser();
  const load = async (version: number, now: number): Promise<void> => {
    const asked = defineSchema({ app: 'notes', version, budget: { epsilon: 60, per: 'month' }, metrics: { dark: flag(ask) } });
    const storage = browser.open();
    storage.fate = 'rejects';
    const it = device(asked, { storage, seed: ++seeds, time: { now } });
    it.telemetry.record('dark', true);
    await settle();
    it.leave();
  };
  const symbols = (): string[] => [...browser.spilled().values()].filter((text) => text.includes('"symbol"'));
  await load(1, Number.NaN);
  expect(symbols()).toEqual([]);
  for (let version = 1; version <= 10; version++) await load(version, timeOf(0));
  expect(symbols()).toHaveLength(1);
});

test('an answer that replaces `otherwise` keeps no answer of a later version out of the spill', async () => {
  const asked = (version: number, more: object) =>
    defineSchema({
      app: 'notes',
      version,
      budget: { epsilon: 60, per: 'month' },
      metrics: { dark: flag({ ...ask, every: 'week', ...more }) },
    });
  const lives = [false, true].map(async (isRecorded) => {
    const browser = modelBrowser();
    const visit = (version: number, day: number, more = {}) =>
      device(asked(version, more), { storage: browser.open(), seed: 1, time: { now: timeOf(day) } });
    const first = visit(1, 0, { otherwise: false });
    await settle();
    first.leave();
    const hiding = visit(1, 6, { otherwise: false });
    await settle();
    if (isRecorded) hiding.telemetry.record('dark', true);
    await settle();
    hiding.leave();
    const storage = browser.open();
    storage.fate = 'rejects';
    const closing = device(asked(2, {}), { storage, seed: 1, time: { now: timeOf(7) } });
    closing.telemetry.record('dark', true);
    await settle();
    closing.leave();
    const last = visit(2, 8);
    await last.live(60_000);
    return said(last, 'dark').filter((result) => result === 'recorded');
  });
  expect(await Promise.all(lives)).toEqual([['recorded'], ['recorded']]);
});

test('of a permanent metric one symbol of an epoch is written into the spill, whatever is recorded on its days', async () => {
  const kept = permanent(flag({ ...ask, every: 'day' }), { epsilon: 2, renew: 'week' });
  const asked = defineSchema({ app: 'notes', version: 1, budget: { epsilon: 60, per: 'month' }, metrics: { kept } });
  const browser = modelBrowser();
  const time = { now: timeOf(0) };
  const symbols: number[] = [];
  for (let day = 0; day < 40; day++) {
    time.now = timeOf(day);
    const storage = browser.open();
    storage.fate = 'rejects';
    const { setItem } = storage.spill as Spill;
    vi.spyOn(storage.spill as Spill, 'setItem').mockImplementation((key, text) => {
      if (text.includes('"symbol"')) symbols.push(day);
      setItem(key, text);
    });
    const it = device(asked, { storage, seed: ++seeds, time });
    it.telemetry.record('kept', true);
    await settle();
    it.leave();
  }
  expect(symbols).toEqual([0, 30]); // a window apart, because no window holds two epochs
});
