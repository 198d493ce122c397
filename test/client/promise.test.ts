/** Scenarios that a reviewer of docs/ledger.md tried against the shipped client: each would break a sentence of that page. */

import { choice, defineSchema, flag, memoryStorage, type Spill, type Storage } from '@murmuration/client';
import type { Batch } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { spillOver } from '../kit/spill.ts';
import { device, reportsOf, results, settle, stateIn, timeOf } from './device.ts';
import { modelBrowser } from './model-storage.ts';

const budgetOf = (epsilon: number) => ({ epsilon, per: 'month' as const });

describe('a slot with `otherwise` that an older version of the schema began', () => {
  const asked = (version: number, epsilon: number) =>
    defineSchema({
      app: 'notes',
      version,
      budget: budgetOf(epsilon),
      metrics: { printed: flag({ epsilon, otherwise: false, description: 'Was anything printed?' }) },
    });

  test('takes no answer of another law: the ε that was charged is that of the older law', async () => {
    const storage = memoryStorage();
    const old = device(asked(1, 1), { storage });
    await settle();
    await old.telemetry.close();
    const next = device(asked(2, 4), { storage, seed: 2 });
    await settle();
    const waiting = stateIn(storage).outbox;
    next.telemetry.record('printed', true);
    await next.telemetry.look();
    expect(stateIn(storage).outbox).toEqual(waiting);
    expect(results(next.outcomes)).toEqual(['already-answered']);
  });
});

/** A spill that gives back what was dropped, as `localStorage` does when a browser is killed. */
function remembering(): { readonly storage: Storage; readonly crash: () => void } {
  const items = new Map<string, string>();
  const dropped = new Map<string, string>();
  const kept = spillOver(items);
  const spill: Spill = Object.assign(kept, {
    removeItem: (key: string) => {
      const text = items.get(key);
      if (text !== undefined) dropped.set(key, text);
      items.delete(key);
    },
  });
  return {
    storage: { ...memoryStorage(), spill },
    crash: () => {
      for (const [key, text] of dropped) items.set(key, text);
    },
  };
}

test('of the answers of one day that were left in the spill one begins a slot later, however often the spill comes back', async () => {
  const schema = defineSchema({
    app: 'notes',
    version: 1,
    budget: { epsilon: 1, per: 'day' },
    metrics: { plan: choice(['free', 'pro'], { epsilon: 1, description: 'Which plan?' }) },
  });
  const { storage, crash } = remembering();
  const time = { now: timeOf(0) };
  let isBroken = false;
  const failing: Storage = {
    ...storage,
    transact: (key, update) => {
      if (isBroken) throw new Error('no room');
      return storage.transact(key, update);
    },
  };
  const first = device(schema, { storage: failing, time });
  await settle();
  isBroken = true;
  for (const plan of ['free', 'pro', 'free'] as const) {
    first.telemetry.record('plan', plan);
    await settle();
  }
  isBroken = false;
  const sent: Batch[] = [];
  for (const day of [1, 2, 3]) {
    time.now = timeOf(day);
    const next = device(schema, { storage: failing, time, seed: day + 1 });
    await settle();
    await next.live(60_000);
    sent.push(...next.batches());
    crash();
  }
  expect(reportsOf(sent, 'plan')).toBe(1);
});

test.each(['opens', 'agrees'] as const)(
  'an answer in the place of `otherwise` makes no page send that would not have sent, when another page %s',
  async (does) => {
    const schema = defineSchema({
      app: 'notes',
      version: 1,
      budget: { epsilon: 2, per: 'month' },
      metrics: { printed: flag({ epsilon: 1, every: 'month', otherwise: false, description: 'Was anything printed?' }) },
    });
    const uploads = async (isRecorded: boolean): Promise<number> => {
      const storage: Storage = { ...memoryStorage(), suspend: () => {} };
      const time = { now: timeOf(0) };
      const idle = device(schema, { storage, time });
      await settle();
      time.now = timeOf(31);
      const brief = device(schema, { storage, time, seed: 2 });
      await settle();
      if (does === 'agrees') brief.telemetry.consent.grant();
      await settle();
      brief.leave();
      await settle();
      const before = idle.uploads.length;
      if (isRecorded) idle.telemetry.record('printed', true);
      await idle.live(3_600_000);
      idle.leave();
      return idle.uploads.length - before;
    };
    expect(await uploads(true)).toBe(await uploads(false));
  },
);

test('forgetting erases what was drawn', async () => {
  const schema = defineSchema({
    app: 'notes',
    version: 1,
    budget: { epsilon: 1, per: 'month' },
    assign: 'random',
    metrics: {
      dark: flag({ epsilon: 1, description: 'Dark?' }),
      plan: choice(['free', 'pro'], { epsilon: 1, description: 'Which plan?' }),
    },
  });
  const { telemetry, storage } = device(schema, { sampleRate: 0.999 });
  telemetry.record('dark', true);
  telemetry.record('plan', 'pro');
  await settle();
  expect(stateIn(storage)).toMatchObject({ draw: expect.anything(), order: expect.anything() });
  await telemetry.forget();
  expect(Object.keys(stateIn(storage))).not.toContain('draw');
  expect(Object.keys(stateIn(storage))).not.toContain('order');
});

test('where a release removes `otherwise`, the answers of three days stand in two reports, however late the storage is', async () => {
  const about = { epsilon: 1, every: 'week', description: 'Was anything printed?' } as const;
  const asked = (version: number, printed: ReturnType<typeof flag>) =>
    defineSchema({ app: 'notes', version, budget: { epsilon: 1, per: 'week' }, metrics: { printed } });
  const [old, next] = [asked(1, flag({ ...about, otherwise: false })), asked(2, flag(about))];
  const browser = modelBrowser({ hasSpill: false });
  const time = { now: timeOf(0) };
  const recorded: string[] = [];
  const first = device(old, { storage: browser.open(), time });
  await settle();
  time.now = timeOf(6);
  first.telemetry.record('printed', true);
  await first.telemetry.close();
  time.now = timeOf(7);
  const second = device(next, { storage: browser.open(), time, seed: 2 });
  second.telemetry.record('printed', true);
  await second.telemetry.close();
  time.now = timeOf(8);
  const slow = browser.open();
  slow.fate = 'stops before the write';
  const third = device(next, { storage: slow, time, seed: 3 });
  third.telemetry.record('printed', true);
  await settle();
  time.now = timeOf(14);
  slow.fate = 'completes';
  slow.go();
  await settle();
  for (const each of [first, second, third]) recorded.push(...results(each.outcomes).filter((said) => /recorded|already/.test(said)));
  expect(recorded).toEqual(['recorded', 'recorded', 'already-answered']);
});
