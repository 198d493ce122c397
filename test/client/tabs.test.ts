/** Several tabs of one person: one holds the ledger, all hear what the person decides. */

import { defineSchema, flag, memoryStorage, type Storage } from '@murmuration/client';
import { describe, expect, test } from 'vitest';
import { device, settle } from './device.ts';

const ask = { epsilon: 1, description: 'a question' };
const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 9, per: 'month' },
  metrics: { dark: flag(ask), wide: flag({ ...ask, every: 'week' }) },
});
const results = (outcomes: readonly { readonly result: string }[]): string[] => outcomes.map(({ result }) => result);

/** A storage that several tabs share: with a lock, and news of each other. */
function browser(): { readonly tab: () => Storage; readonly text: (key: string) => string | null } {
  const memory = memoryStorage();
  const watchers = new Set<{ readonly tab: object; readonly key: string; readonly changed: (value: string | null) => void }>();
  let tail = Promise.resolve();
  return {
    text: (key) => memory.getItem(key) as string | null,
    tab: () => {
      const tab = {};
      return {
        getItem: memory.getItem,
        setItem: (key, value) => {
          memory.setItem(key, value);
          for (const watcher of watchers) if (watcher.tab !== tab && watcher.key === key) queueMicrotask(() => watcher.changed(value));
        },
        watch: (key, changed) => {
          const watcher = { tab, key, changed };
          watchers.add(watcher);
          return () => watchers.delete(watcher);
        },
        lock: () => {
          const before = tail;
          let release = (): void => {};
          tail = new Promise((resolve) => {
            release = resolve;
          });
          return before.then(() => release);
        },
      };
    },
  };
}

async function tabs() {
  const { tab, text } = browser();
  const holder = device(schema, { storage: tab(), consent: 'ask' });
  const other = device(schema, { storage: tab(), consent: 'ask', seed: 2 });
  await settle();
  const waiting = (): unknown => JSON.parse(text('murmuration:notes') ?? '{}');
  return { holder, other, tab, text, waiting };
}

describe('consent', () => {
  test('what a person decides in any tab holds in every tab at once', async () => {
    const { holder, other } = await tabs();
    other.telemetry.consent.grant();
    await settle();
    expect(holder.telemetry.consent.state).toBe('granted');
    holder.telemetry.record('dark', true);
    await settle();
    expect(results(holder.outcomes)).toEqual(['consent-changed', 'recorded']);
    other.telemetry.consent.deny();
    await settle();
    expect(holder.telemetry.consent.state).toBe('denied');
    await holder.telemetry.flush();
    holder.telemetry.record('wide', true);
    expect(holder.uploads).toEqual([]);
    expect(results(holder.outcomes).slice(2)).toEqual(['consent-changed', 'no-consent']);
  });

  test('a refusal in a tab that waits erases the outbox, though that tab closes at once, and the holder crashed', async () => {
    const { holder, other, tab, waiting } = await tabs();
    holder.telemetry.consent.grant();
    holder.telemetry.record('dark', true);
    await settle();
    expect(waiting()).toMatchObject({ outbox: [{ reports: [['dark', expect.anything(), null]] }] });
    const { storage } = other;
    storage.setItem('murmuration:notes:consent', 'denied'); // as deny() does, in a tab that is gone then
    const again = device(schema, { storage: { ...tab(), lock: async () => () => {} }, seed: 3 });
    await settle();
    expect(again.telemetry.consent.state).toBe('denied');
    expect(waiting()).toMatchObject({ outbox: [] });
  });

  test('a tab that waits knows what was decided before it opened', async () => {
    const { holder, tab } = await tabs();
    holder.telemetry.consent.deny();
    const late = device(schema, { storage: tab(), consent: 'granted' });
    expect(late.telemetry.consent.state).toBe('denied');
  });

  test('closed telemetry hears nothing', async () => {
    const { holder, other } = await tabs();
    await holder.telemetry.close();
    other.telemetry.consent.grant();
    await settle();
    expect(holder.outcomes).toEqual([]);
  });

  test('where what was decided can not be read, nothing is agreed to', () => {
    const memory = memoryStorage();
    const storage: Storage = {
      ...memory,
      getItem: (key) => {
        if (key.endsWith('consent')) throw new Error('unreadable');
        return memory.getItem(key);
      },
    };
    expect(device(schema, { storage }).telemetry.consent.state).toBe('ask');
  });
});

describe('a tab that waits for another', () => {
  test('shows what that one has stored', async () => {
    const { holder, other, waiting } = await tabs();
    holder.telemetry.consent.grant();
    holder.telemetry.record('dark', true);
    await settle();
    const seen = Promise.all([other.telemetry.ledger(), other.telemetry.preview()]);
    await settle();
    other.advance(1_000);
    other.runTimers();
    const [{ spent }, batches] = await seen;
    expect(spent).toBe(1);
    expect(batches.map(({ body }) => JSON.parse(body).batch)).toEqual(
      (waiting() as { readonly outbox: readonly { readonly batch: string }[] }).outbox.map(({ batch }) => batch),
    );
    expect(other.timers()).toBe(0);
  });

  test('flushes nothing, and closes', async () => {
    const { holder, other } = await tabs();
    holder.telemetry.consent.grant();
    other.telemetry.record('dark', true);
    const closed = other.telemetry.flush().then(() => other.telemetry.close());
    for (let i = 0; i < 3; i++) {
      await settle();
      other.advance(1_000);
      other.runTimers();
    }
    await closed;
    await holder.telemetry.close();
    await settle();
    expect([other.uploads, results(other.outcomes)]).toEqual([[], ['consent-changed', 'no-consent']]);
  });
});

describe('forget', () => {
  test('erases all but a tombstone, which counts as the whole budget until the window ends', async () => {
    const { telemetry, uploads, storage, setDay, outcomes } = device(schema, { sample: 1 });
    telemetry.record('dark', true);
    await settle();
    setDay(3);
    await telemetry.forget();
    expect(telemetry.consent.state).toBe('denied');
    expect(await telemetry.ledger()).toMatchObject({ spent: 9, left: 0 });
    expect([storage.getItem('murmuration:notes:consent'), await telemetry.preview(), uploads]).toEqual(['denied', [], []]);
    telemetry.consent.grant();
    telemetry.record('wide', true);
    setDay(32);
    telemetry.record('wide', true);
    setDay(33);
    telemetry.record('wide', true);
    await settle();
    expect(results(outcomes)).toEqual(['recorded', 'consent-changed', 'consent-changed', 'already-answered', 'over-budget', 'recorded']);
  });

  test('no draw, order or symbol of an epoch is left', async () => {
    const { telemetry, storage } = device(schema, { sample: 0.99, seed: 4 });
    telemetry.record('dark', true);
    await settle();
    expect(storage.getItem('murmuration:notes')).toContain('"draw"');
    await telemetry.forget();
    const left = JSON.parse(storage.getItem('murmuration:notes') as string) as object;
    expect(Object.keys(left).sort()).toEqual(['accounts', 'batches', 'day', 'outbox', 'v']);
    expect(Object.keys(Object.values((left as { accounts: object }).accounts)[0] as object).sort()).toEqual(['day', 'spent']);
  });

  test('in a tab that waits it is the holder who forgets', async () => {
    const { holder, other, waiting, text } = await tabs();
    holder.telemetry.consent.grant();
    holder.telemetry.record('dark', true);
    await settle();
    const forgotten = other.telemetry.forget();
    await settle();
    expect(waiting()).toMatchObject({ outbox: [], accounts: { dark: { spent: [{ epsilon: 9 }] } } });
    expect(text('murmuration:notes:consent')).toBe('denied');
    other.advance(1_000);
    other.runTimers();
    await forgotten;
    expect([holder.telemetry.consent.state, other.telemetry.consent.state]).toEqual(['denied', 'denied']);
  });

  test('a page that died in the middle of it forgets when it opens again', async () => {
    const first = device(schema);
    first.telemetry.record('dark', true);
    await settle();
    first.storage.setItem('murmuration:notes:consent', 'forgotten');
    const second = device(schema, { storage: first.storage });
    await settle();
    expect(second.telemetry.consent.state).toBe('denied');
    expect(first.storage.getItem('murmuration:notes:consent')).toBe('denied');
    expect(await second.telemetry.ledger()).toMatchObject({ spent: 9 });
    expect(await second.telemetry.preview()).toEqual([]);
  });
});
