/** What one device can add to a table in one day: the bound from the schema and `batchesPerDay`, against the shipping client. */

import { createTelemetry, defineSchema, flag, memoryStorage } from '@murmuration/client';
import { fakeClock, seededRng } from '@murmuration/client/testing';
import { MAX_REPORTS } from '@murmuration/shared';
import { describe, expect, test } from 'vitest';
import { mostReports } from '#collector/release/table/columns.ts';

const day = { epsilon: 1, every: 'day', description: 'a question' } as const;
const budget = { epsilon: 1_000_000, per: 'month' } as const;
const make = (version: number, names: readonly string[], asked: object = day, reports: 'alone' | 'together' = 'together') =>
  defineSchema({
    app: 'notes',
    version,
    budget,
    reports,
    segments: { platform: ['web', 'ios'] },
    metrics: Object.fromEntries(names.map((name) => [name, flag(asked as typeof day)])),
  });
const names = (count: number): readonly string[] => Array.from({ length: count }, (_, i) => `m${i}`);

describe('the bound', () => {
  test('is one report of each metric while the app has no more metrics than batches a day', () => {
    const { document } = make(1, names(8));
    expect(mostReports([document], ['m0'], 8)).toBe(1);
    expect(mostReports([document], names(8), 8)).toBe(8);
    expect(mostReports([document], ['m0'], 7)).toBe(7);
  });

  test('counts the metrics of all versions, since a device may change its version within a day', () => {
    const versions = [make(1, names(6)).document, make(2, ['m0', 'n0', 'n1', 'n2']).document];
    expect(mostReports(versions, ['m0'], 9)).toBe(1);
    expect(mostReports(versions, ['m0'], 8)).toBe(8);
  });

  test('is that of the batches for a metric whose cadence or otherwise differs between versions', () => {
    for (const other of [
      { ...day, every: 'week' },
      { ...day, otherwise: false },
    ]) {
      const versions = [make(1, ['m0', 'm1']).document, make(2, ['m0'], other).document];
      expect(mostReports(versions, ['m0'], 8)).toBe(8);
      expect(mostReports(versions, ['m1'], 8)).toBe(1);
    }
  });

  test('is one for each spacing where reports are sent alone, however many metrics there are', () => {
    const alone = make(1, names(40), day, 'alone').document;
    expect(mostReports([alone], ['m0'], 8)).toBe(1);
    expect(mostReports([alone], names(40), 8)).toBe(40);
    const other = make(2, ['m0'], { ...day, otherwise: false }, 'alone').document;
    expect(mostReports([alone, other], ['m0', 'm1'], 8)).toBe(2 + 1);
    expect(mostReports([alone, make(2, names(40)).document], ['m0'], 8)).toBe(1 + 8);
  });

  test('is never more than the batches can hold', () => {
    const { document } = make(1, names(2_000));
    expect(mostReports([document], names(2_000), 2)).toBe(2 * MAX_REPORTS);
  });
});

/** The reports of each metric by date that a device sends which is busy on each of some days: each start of its app records one metric. */
async function sent(
  count: number,
  batchesPerDay: number,
  days: number,
  sending: 'alone' | 'together' = 'together',
): Promise<ReadonlyMap<string, number>> {
  const schema = make(1, names(count), day, sending);
  const [storage, clock] = [memoryStorage(), fakeClock(new Date('2026-11-01T12:00:00Z'))];
  const rng = seededRng(1);
  const reports = new Map<string, number>();
  for (let today = 0; today < days + 3; today++) {
    for (let visit = 0; visit < (today < days ? count : 1); visit++) {
      const telemetry = createTelemetry({
        schema,
        endpoint: 'http://test.invalid',
        storage,
        clock,
        rng,
        batchesPerDay,
        segment: { platform: visit % 2 === 0 ? 'web' : 'ios' },
        transport: async ({ body }) => {
          const batch = JSON.parse(body) as { readonly day: string; readonly reports: readonly (readonly [string, string])[] };
          for (const [metric] of batch.reports) reports.set(`${batch.day} ${metric}`, (reports.get(`${batch.day} ${metric}`) ?? 0) + 1);
          return { status: 204 };
        },
      });
      telemetry.consent.grant();
      if (today < days) telemetry.record(`m${visit}`, true);
      await telemetry.flush();
      await telemetry.close();
    }
    clock.advance(86_400_000);
  }
  return reports;
}

describe('the shipping client', () => {
  test.each([
    [3, 3],
    [3, 8],
  ])('with %i metrics and %i batches a day has one report of a metric on each date', async (count, batchesPerDay) => {
    const reports = await sent(count, batchesPerDay, 4);
    expect(reports.size).toBeGreaterThanOrEqual(2 * count);
    expect(Math.max(...reports.values())).toBe(1);
  });

  test('that sends reports alone has one report of a metric on each date, with many metrics', async () => {
    const reports = await sent(12, 3, 6, 'alone');
    expect(reports.size).toBeGreaterThan(6);
    expect(Math.max(...reports.values())).toBe(1);
  });

  test('with more metrics than batches a day moves reports to later dates, and never exceeds the bound', async () => {
    const [count, batchesPerDay] = [6, 3];
    const reports = await sent(count, batchesPerDay, 6);
    const bound = mostReports([make(1, names(count)).document], ['m0'], batchesPerDay);
    expect(bound).toBe(batchesPerDay);
    const most = Math.max(...reports.values());
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(bound);
  });
});
