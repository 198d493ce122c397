/** Several contexts of one device, tabs, workers or instances, over one storage: one report of a slot, one decision. */

import { defineSchema, flag, ledger, memoryStorage, preview, type Schema, type Storage } from '@murmuration/client';
import { describe, expect, test } from 'vitest';
import { type Device, device, reportsOf, results, settle, stateIn, type Time, timeOf } from './device.ts';
import { modelBrowser } from './model-storage.ts';

const ask = { epsilon: 1, description: 'a question' };
const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 9, per: 'month' },
  metrics: { dark: flag(ask), wide: flag({ ...ask, every: 'week' }) },
});
type Tab = Device<typeof schema extends Schema<infer M> ? M : never>;
const said = ({ outcomes }: Tab, metric: string): string[] => results(outcomes.filter((outcome) => outcome.metric === metric));
/** The reports of a metric that left all tabs, each batch counted once, as a collector does. */
const sent = (tabs: readonly Tab[], metric: string): number => {
  const batches = new Map(tabs.flatMap((each) => each.batches()).map((batch) => [batch.batch, batch]));
  return reportsOf([...batches.values()], metric);
};
/** So many tabs over one storage, on one clock. */
const tabsOver = (open: () => Storage, count: number, consent: 'ask' | 'granted' = 'granted'): [Tab, ...Tab[]] => {
  const time: Time = { now: timeOf(0) };
  return Array.from({ length: count }, (_, i) => device(schema, { storage: open(), seed: i + 1, consent, time })) as [Tab, ...Tab[]];
};

describe('a slot', () => {
  const stores: Record<string, () => () => Storage> = {
    'tabs of a browser': () => modelBrowser().open,
    'tabs that read the spill late': () => modelBrowser({ isSlow: true }).open,
    'workers, which have no spill': () => modelBrowser({ hasSpill: false }).open,
    'instances over one asynchronous store': () => {
      const one = modelBrowser({ hasSpill: false }).open();
      return () => one;
    },
    'instances over one store in memory': () => {
      const one = memoryStorage();
      return () => one;
    },
  };
  const cases = Object.keys(stores).flatMap((name) => [2, 3].map((count) => [count, name] as const));

  test.each(cases)('that %i %s answer in one tick is reported once', async (count, name) => {
    const tabs = tabsOver((stores[name] as () => () => Storage)(), count);
    for (const { telemetry } of tabs) telemetry.record('dark', true);
    for (const { telemetry } of tabs) await telemetry.flush();
    for (const tab of tabs) await tab.live(300_000);
    expect(sent(tabs, 'dark')).toBe(1);
    expect(tabs.flatMap((tab) => said(tab, 'dark')).filter((result) => result === 'recorded')).toHaveLength(1);
    expect(tabs.flatMap((tab) => said(tab, 'dark')).filter((result) => result === 'already-answered')).toHaveLength(count - 1);
  });

  test.each(cases)('that %i %s answer again and again, for a month, is reported once a week', async (count, name) => {
    const tabs = tabsOver((stores[name] as () => () => Storage)(), count);
    for (let day = 0; day < 30; day++) {
      for (const { telemetry, setDay } of tabs) {
        setDay(day);
        telemetry.record('wide', true);
      }
      await settle();
      await tabs[day % count]?.telemetry.flush();
    }
    for (const { telemetry } of tabs) await telemetry.close();
    expect(sent(tabs, 'wide')).toBe(5);
  });
});

test('a second tab records at once, and its batch is left to itself for ten seconds', async () => {
  const [first, second] = tabsOver(modelBrowser().open, 2) as [Tab, Tab];
  await settle();
  second.telemetry.record('dark', true);
  await settle();
  expect(said(second, 'dark')).toEqual(['recorded']);
  await first.telemetry.flush();
  expect(first.uploads).toEqual([]);
  second.hide();
  await settle();
  expect(second.uploads).toHaveLength(1);
  await first.live(600_000);
  expect(first.uploads).toEqual([]);
});

test('what a tab left unsent another sends, as it is', async () => {
  const browser = modelBrowser();
  const [first, second] = tabsOver(browser.open, 2) as [Tab, Tab];
  first.telemetry.record('dark', true);
  await settle();
  const [waiting] = await preview(second.telemetry);
  second.hide();
  await second.live(600_000);
  expect(second.uploads.map(({ body }) => body)).toEqual([waiting?.body]);
});

describe('consent', () => {
  test('that a person gives or takes back in any tab holds in every tab', async () => {
    const [first, second] = tabsOver(modelBrowser().open, 2, 'ask') as [Tab, Tab];
    await settle();
    second.telemetry.consent.grant();
    await settle();
    expect(first.telemetry.consent.state).toBe('granted');
    first.telemetry.record('dark', true);
    await settle();
    expect(said(first, 'dark')).toEqual(['recorded']);
    second.telemetry.consent.deny();
    await settle();
    expect(first.telemetry.consent.state).toBe('denied');
    first.telemetry.record('wide', true);
    await first.live(600_000);
    await first.telemetry.flush();
    expect([first.uploads, second.uploads, said(first, 'wide')]).toEqual([[], [], ['no-consent']]);
  });

  test('that is taken back where no tab hears of it stops the next transaction of each', async () => {
    const [first, second] = tabsOver(modelBrowser({ hasSpill: false }).open, 2) as [Tab, Tab];
    await settle();
    second.telemetry.consent.deny();
    await settle();
    expect(first.telemetry.consent.state).toBe('granted'); // nobody told it
    first.telemetry.record('dark', true);
    await first.live(600_000);
    expect([first.telemetry.consent.state, said(first, 'dark'), first.uploads]).toEqual(['denied', ['no-consent'], []]);
  });

  test('is read by a tab that opens late, whatever its default', async () => {
    const browser = modelBrowser();
    const [first] = tabsOver(browser.open, 1);
    await settle();
    first.telemetry.consent.deny();
    await settle();
    const [late] = tabsOver(browser.open, 1);
    await settle();
    expect(late.telemetry.consent.state).toBe('denied');
  });

  test('on which two tabs decide in one tick is what was decided last, in every tab and for ever', async () => {
    for (const last of ['grant', 'deny'] as const) {
      const browser = modelBrowser();
      const tabs = tabsOver(browser.open, 2, 'ask') as [Tab, Tab];
      await settle();
      tabs[0].telemetry.consent[last === 'grant' ? 'deny' : 'grant']();
      tabs[1].telemetry.consent[last]();
      await settle();
      const [late] = tabsOver(browser.open, 1, 'ask');
      await settle();
      const states = [...tabs, late].map(({ telemetry }) => telemetry.consent.state);
      expect(states).toEqual(new Array(3).fill(last === 'grant' ? 'granted' : 'denied'));
    }
  });

  test('on which two tabs decide before they hear of each other ends as one state, in every tab', async () => {
    const browser = modelBrowser({ isSlow: true });
    const tabs = tabsOver(browser.open, 2, 'ask') as [Tab, Tab];
    await settle();
    tabs[0].telemetry.consent.grant();
    tabs[1].telemetry.consent.deny();
    await settle();
    browser.spread();
    await settle();
    const [late] = tabsOver(browser.open, 1, 'ask');
    await settle();
    const states = new Set([...tabs, late].map(({ telemetry }) => telemetry.consent.state));
    expect([...states]).toEqual(['denied']);
  });

  test('is heard by no telemetry that is closed', async () => {
    const [first, second] = tabsOver(modelBrowser().open, 2, 'ask') as [Tab, Tab];
    let heard = 0;
    await first.telemetry.close();
    first.telemetry.consent.subscribe(() => heard++);
    second.telemetry.consent.grant();
    await settle();
    expect(heard).toBe(0);
  });
});

describe('what one tab does to what is stored', () => {
  test('is shown in the others', async () => {
    const [first, second] = tabsOver(modelBrowser().open, 2) as [Tab, Tab];
    first.telemetry.record('dark', true);
    await settle();
    expect((await ledger(second.telemetry)).spent).toBe(1);
    expect(await preview(second.telemetry)).toEqual(await preview(first.telemetry));
    expect(second.timers()).toBeLessThanOrEqual(1);
  });

  test('by forgetting it, is forgotten in all', async () => {
    const [first, second] = tabsOver(modelBrowser().open, 2) as [Tab, Tab];
    first.telemetry.record('dark', true);
    await settle();
    await second.telemetry.forget();
    await settle();
    expect([first, second].map(({ telemetry }) => telemetry.consent.state)).toEqual(['denied', 'denied']);
    first.telemetry.consent.grant();
    first.telemetry.record('wide', true);
    await first.live(600_000);
    expect([first.uploads, second.uploads, said(first, 'wide')]).toEqual([[], [], ['already-answered']]);
    expect(await ledger(first.telemetry)).toMatchObject({ spent: 9, left: 0 });
  });

  test('by deleting the database gives no tab back what it has spent', async () => {
    const browser = modelBrowser();
    const [first] = tabsOver(browser.open, 1);
    first.telemetry.record('dark', true);
    await first.telemetry.flush();
    browser.write('murmuration:notes', '');
    first.telemetry.record('dark', true);
    first.setDay(1);
    first.telemetry.record('dark', true);
    await first.telemetry.flush();
    expect([said(first, 'dark'), first.uploads.length]).toEqual([['recorded', 'delivered', 'already-answered', 'already-answered'], 1]);
  });
});

test('refusing erases what is stored, though it could not be read when the page began', async () => {
  const memory = memoryStorage();
  const first = device(schema, { storage: memory });
  first.telemetry.record('dark', true);
  await settle();
  let isReadable = false;
  const storage: Storage = {
    transact: (key, update) => {
      if (!isReadable) throw new Error('unreadable');
      return memory.transact(key, update);
    },
  };
  const second = device(schema, { storage, seed: 2 });
  isReadable = true;
  second.telemetry.consent.deny();
  await settle();
  expect(stateIn(memory)).toMatchObject({ outbox: [], decision: 6 });
});

describe('a context that no event tells of a decision, as a worker is,', () => {
  const contexts = async () => {
    const browser = modelBrowser({ hasSpill: false });
    const [page, worker] = [browser.open(), browser.open()];
    const one = device(schema, { storage: page, consent: 'ask' });
    const other = device(schema, { storage: worker, consent: 'ask', seed: 2 });
    await settle();
    return { one, other, worker };
  };

  test.each(['it is woken', 'it flushes'])('learns that the person has agreed elsewhere when %s', async (when) => {
    const { one, other } = await contexts();
    one.telemetry.consent.grant();
    await settle();
    expect(other.telemetry.consent.state).toBe('ask');
    if (when === 'it flushes') await other.telemetry.flush();
    else other.hide();
    await settle();
    expect(other.telemetry.consent.state).toBe('granted');
    other.telemetry.record('dark', true);
    await settle();
    expect(other.outcomes.at(-1)).toEqual({ metric: 'dark', result: 'recorded' });
  });

  test('reads nothing for it once it knows that the person has agreed, or is closed', async () => {
    const { one, other, worker } = await contexts();
    one.telemetry.consent.grant();
    await other.telemetry.flush();
    const asked = worker.asked.length;
    await other.telemetry.flush();
    expect(worker.asked.length).toBe(asked + 1); // to choose what to send, as in every context
    one.telemetry.consent.deny();
    await other.telemetry.flush();
    await other.telemetry.close();
    const before = worker.asked.length;
    await other.telemetry.flush();
    expect([other.telemetry.consent.state, worker.asked.length]).toEqual(['denied', before]);
  });
});
