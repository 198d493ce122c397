/** A collector that was away must not get a device's batches together: who sees their ids arrive in one burst knows that they are one device's. */

import { defineSchema, flag } from '@murmuration/client';
import { describe, expect, test } from 'vitest';
import { device, settle, type Time, timeOf } from './device.ts';

const HOUR = 3_600_000;
const DAYS = 14;
const names = Array.from({ length: 2 }, (_, i) => `m${i}`);
const schema = defineSchema({
  app: 'notes',
  version: 1,
  budget: { epsilon: 400, per: 'month' },
  metrics: Object.fromEntries(names.map((name) => [name, flag({ epsilon: 1, description: 'a question', every: 'day' })])),
});

/** When which batch left. */
type Sent = readonly { readonly at: number; readonly batch: string; readonly isRetry: boolean }[];

/** Records twice a day for 14 days, with a collector that gives an answer which may change with time. */
async function fortnight(seed: number, statusAt: (time: number) => number, isReloading = false): Promise<Sent> {
  const time: Time = { now: timeOf(0) };
  const sent: { at: number; batch: string; isRetry: boolean }[] = [];
  const seen = new Set<string>();
  const options = {
    time,
    answer: ({ body }: { readonly body: string }) => {
      const { batch } = JSON.parse(body) as { batch: string };
      sent.push({ at: time.now, batch, isRetry: seen.has(batch) });
      seen.add(batch);
      return { status: statusAt(time.now) };
    },
  };
  let life = 1_000 * seed; // each page has coins of its own
  let it = device(schema, { seed: life, ...options });
  for (let day = 0; day < DAYS; day++) {
    for (const name of names) {
      it.telemetry.record(name, true);
      await it.live(3 * HOUR);
      it.hide();
      if (!isReloading) continue;
      await it.telemetry.close();
      it = device(schema, { seed: ++life, storage: it.storage, ...options });
    }
    await it.live(18 * HOUR);
  }
  return sent;
}
const count = (sent: Sent, key: (each: Sent[number]) => unknown): readonly number[] => {
  const counts = new Map<unknown, number>();
  for (const each of sent) counts.set(key(each), (counts.get(key(each)) ?? 0) + 1);
  return [...counts.values()];
};

describe('a collector that answers 503 for 14 days', () => {
  test('is tried once or twice an hour by a device, however much waits there', async () => {
    const sent = await fortnight(2, () => 503);
    const first = Math.min(...sent.map(({ at }) => at));
    const lastDays = sent.filter(({ at, isRetry }) => isRetry && at > first + 10 * 24 * HOUR);
    // A pause is half an hour in the mean; so many batches wait by then that tries of their own would be twenty times as many.
    expect(lastDays.length / (DAYS - 10)).toBeLessThan(100);
    expect(new Set(sent.map(({ batch }) => batch)).size).toBeGreaterThan(20);
  });

  test.each([false, true])(
    'never gets two batches that it has seen at one moment, nor their times in step (reloads: %s)',
    async (isReloading) => {
      const sent = await fortnight(1, () => 503, isReloading);
      const retries = sent.filter(({ isRetry }) => isRetry);
      expect(new Set(sent.map(({ batch }) => batch)).size).toBeGreaterThan(20);
      expect(retries.length).toBeGreaterThan(200);
      expect(Math.max(...count(retries, ({ at }) => at))).toBe(1);
      // Pauses between two tries of a batch: as many different ones as there are, for no two batches wait for the same time.
      const pauses = new Map<string, number>();
      const last = new Map<string, number>();
      for (const { at, batch } of sent) {
        if (last.has(batch)) pauses.set(`${batch} ${at}`, at - (last.get(batch) as number));
        last.set(batch, at);
      }
      expect(new Set(pauses.values()).size).toBeGreaterThan(pauses.size * 0.9);
    },
  );
});

describe('after two days offline', () => {
  const BACK = timeOf(2);
  test('batches come one by one: no two at one moment, no more than a few in a minute', async () => {
    for (let seed = 1; seed < 6; seed++) {
      const sent = (await fortnight(seed, (now) => (now < BACK ? 0 : 204))).filter(({ at, isRetry }) => at >= BACK && isRetry);
      expect(sent.length).toBeGreaterThan(2);
      expect(Math.max(...count(sent, ({ at }) => at))).toBe(1);
      const gaps = sent.slice(1).map(({ at }, i) => at - (sent[i] as Sent[number]).at);
      expect(Math.min(...gaps)).toBeGreaterThan(1_000);
    }
  });

  test('an event that flushes, such as being online again, sends one of them at most', async () => {
    let status = 0;
    const it = device(schema, { batchesPerDay: 50, answer: () => ({ status }) });
    for (let day = 0; day < 8; day++) {
      it.setDay(day);
      for (const name of names) {
        it.telemetry.record(name, true);
        await it.telemetry.flush();
      }
    }
    it.advance(12 * HOUR);
    status = 204;
    it.uploads.length = 0;
    it.hide();
    await settle();
    expect(it.uploads).toHaveLength(1);
    it.hide();
    it.hide();
    await settle();
    expect(it.uploads).toHaveLength(1);
    await it.live(2 * HOUR);
    expect(new Set(it.batches().map(({ batch }) => batch)).size).toBe(16); // and all arrive
  });
});
