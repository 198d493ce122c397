/** Measurements that take long, in a thread: the collector answers others meanwhile, and a thread that ends leaves a charge. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { parseDay } from '@murmuration/shared';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseAmount } from '#collector/release/budget/amount.ts';
import { setBudget, setTable } from '#collector/release/budget/budgets.ts';
import type { Measure } from '#collector/release/measures/table.ts';
import { type MeasuringThread, measuringInThread } from '#collector/release/measuring/thread.ts';
import { systemRandom } from '#collector/release/mechanisms/random.ts';
import { measuringBy } from '#collector/release/query/making.ts';
import type { Question } from '#collector/release/query/question.ts';
import { Releases } from '#collector/release/release.ts';
import type { ReportCount } from '#collector/release/table/participation.ts';
import type { Ledger } from '#collector/storage/release-ledger.ts';
import { openSqliteLedger } from '#collector/storage/sqlite/release-ledger.ts';
import { catalog, wires } from './table.ts';

/** What the thread does when it has rows to measure: it waits while this is 0, goes on at 1, and ends at 2. */
const [WAITS, GOES_ON, ENDS] = [0, 1, 2];

const FROM = parseDay('2026-11-01') as number;
const rows: readonly ReportCount[] = ['web', 'ios'].map((platform) => ({
  schema: wires[1],
  metric: 'plan',
  day: FROM,
  segment: { platform, cores: '4' },
  reports: 200,
}));
const question = (measure: Measure): Question => ({
  app: 'notes',
  from: '2026-11-01',
  to: '2026-11-30',
  where: { metric: ['plan'] },
  measures: [measure],
});
const long: Measure = { kind: 'synthetic', epsilon: '0.1', columns: ['day', 'platform', 'cores', 'version'], about: 200 };

describe('measurements in a thread', () => {
  let folder: string;
  let ledger: Ledger;
  let gate: Int32Array<SharedArrayBuffer>;
  let measuring: MeasuringThread;
  let releases: Releases;
  const entries = async (kind: 'charge' | 'answer'): Promise<number> =>
    (await ledger.transact((transaction) => transaction.find({ kind }))).length;
  const ask = (analyst: string, measure: Measure) => releases.ask({ analyst, catalog, question: question(measure) });
  const open = (state: number): void => {
    Atomics.store(gate, 0, state);
    Atomics.notify(gate, 0);
  };

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'murmuration-measuring-'));
    ledger = openSqliteLedger(folder);
    const limit = { unit: 'epsilon', amount: parseAmount('5', 'epsilon') } as const;
    await setTable(ledger, 'test', 'notes', { limit, colluders: 1, batchesPerDay: 8 });
    for (const analyst of ['ann', 'ben']) await setBudget(ledger, 'test', 'notes', analyst, limit);
    gate = new Int32Array(new SharedArrayBuffer(4));
    Atomics.store(gate, 0, WAITS);
    measuring = measuringInThread(
      measuringBy(systemRandom()),
      () => new Worker(new URL('held-worker.ts', import.meta.url), { workerData: gate }),
    );
    releases = new Releases({ ledger, read: async () => ({ rows, firstDay: 0 }), measuring });
  });
  afterEach(async () => {
    await measuring.close();
    await ledger.close();
    rmSync(folder, { recursive: true });
  });

  test('let other questions be asked and answered while a table is made', async () => {
    const order: string[] = [];
    const table = ask('ann', long).then((answer) => {
      order.push('table');
      return answer;
    });
    await expect.poll(() => entries('charge')).toBe(1);
    const count = await ask('ben', { kind: 'count', epsilon: '1' });
    order.push('count');
    expect(count.results[0]?.cells).toHaveLength(1);
    open(GOES_ON);
    const { results, isRepeated } = await table;
    expect([results[0]?.table?.mechanism, results[0]?.cells?.length, isRepeated]).toEqual(['MWEM', 30 * 3 * 5 * 2, false]);
    expect(order).toEqual(['count', 'table']);
    expect(await ask('ann', long)).toMatchObject({ isRepeated: true, results });
  });

  test('that end leave a charge without an answer, and asking again is charged again', async () => {
    const table = ask('ann', long);
    const ended = expect(table).rejects.toThrow('the measurements failed after they were charged');
    await expect.poll(() => entries('charge')).toBe(1);
    open(ENDS);
    await ended;
    expect([await entries('charge'), await entries('answer')]).toEqual([1, 0]);
    open(GOES_ON);
    expect(await ask('ann', long)).toMatchObject({ isRepeated: false, days: 30 });
    expect([await entries('charge'), await entries('answer')]).toEqual([2, 1]);
  });

  test('say before a charge what they would err, and refuse what they refuse here', async () => {
    open(GOES_ON);
    const asked = { analyst: 'ann', catalog, question: question(long) };
    const here = measuringBy(systemRandom());
    const other = new Releases({ ledger, read: () => Promise.reject(new Error('not read')), measuring: here });
    expect(await releases.preview(asked)).toEqual(await other.preview(asked));
    const refused = ask('ann', { ...long, about: 1_000_000 } as Measure);
    await expect(refused).rejects.toThrow(RangeError);
    await expect(refused).rejects.toThrow('synthetic: expected a table whose stated error is below that of noise for each cell');
    expect(await entries('charge')).toBe(0);
  });

  test('answer days and associations, too', async () => {
    open(GOES_ON);
    const days = await ask('ann', { kind: 'days', epsilon: '1' });
    expect(days.results[0]?.cells).toHaveLength(30);
    const association = await ask('ann', { kind: 'association', epsilon: '3', columns: ['day', 'platform'], about: 1_000_000 });
    expect(association.results[0]?.cells?.[0]?.value).toBeGreaterThanOrEqual(0);
  });
});
