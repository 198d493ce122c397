/** Asking, on both stores: what is counted, the order of charge, noise and answer, and two that race for the last of a budget. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseBatch, publish } from '@murmuration/collector';
import { dayNumber, dayText, wireName } from '@murmuration/shared';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Answer } from '#collector/release/answer.ts';
import { parseAmount } from '#collector/release/budget/amount.ts';
import { budgetsOf, setBudget, setTable } from '#collector/release/budget/budgets.ts';
import type { Measure } from '#collector/release/measures/table.ts';
import { type Random, systemRandom } from '#collector/release/mechanisms/random.ts';
import { measuringBy } from '#collector/release/query/making.ts';
import type { Question } from '#collector/release/query/question.ts';
import { Releases } from '#collector/release/release.ts';
import { readParticipation } from '#collector/release/table/participation.ts';
import type { Shapes } from '#collector/schemas/catalog.ts';
import { createCatalog } from '#collector/schemas/catalog.ts';
import type { Ledger } from '#collector/storage/release-ledger.ts';
import type { Store } from '#collector/storage/store.ts';
import { startProxy } from '../../faults/postgres/proxy.ts';
import { bodyOf, NOW, schema } from '../../kit/app.ts';
import type { Engine } from '../storage/engine.ts';
import { engine as postgres } from '../storage/postgres.ts';
import { engine as sqlite } from '../storage/sqlite.ts';
import { places } from './places.ts';

const catalog = createCatalog([schema.document]);
const published = publish(schema.document);
const schemas = new Map([[wireName(schema.document), published]]);
const shapes: Shapes = new Map([[wireName(schema.document), published.metrics]]);
const today = dayText(dayNumber(NOW));

const question: Question = {
  app: 'notes',
  from: dayText(dayNumber(NOW) - 1),
  to: today,
  where: { metric: ['plan'] },
  measures: [{ kind: 'count', epsilon: '1', groupBy: ['day', 'platform'] }],
};

/** Draws no noise. */
const SILENT: Random = { uniform: () => 0, flip: () => false, decay: (numerator) => Number(numerator) === 0 };
const broken: Random = {
  uniform: () => {
    throw new Error('the power failed');
  },
  flip: () => false,
  decay: () => true,
};

const kinds: readonly { readonly name: string; readonly engine: Engine; readonly open: (location: string) => Ledger }[] = [
  { name: 'SQLite', engine: sqlite, open: (places[0] as (typeof places)[number]).open },
  { name: 'PostgreSQL', engine: postgres, open: (places[1] as (typeof places)[number]).open },
];

describe.each(kinds)('releases on $name', ({ name, engine, open }) => {
  let location: string;
  let store: Store;
  let ledger: Ledger;
  const asking = (random: Random, more: Partial<ConstructorParameters<typeof Releases>[0]> = {}): Releases =>
    new Releases({
      ledger,
      read: async (wanted) => {
        await store.fold();
        return readParticipation(store.source, wanted);
      },
      measuring: measuringBy(random),
      patience: 0,
      now: () => NOW,
      ...more,
    });
  const by = (analyst: string, more: Partial<Question> = {}) => ({ analyst, catalog, question: { ...question, ...more } });
  const charges = async (): Promise<number> => (await ledger.transact((transaction) => budgetsOf(transaction, 'notes'))).charges.length;

  beforeEach(async () => {
    location = await engine.make();
    store = await engine.open(location, shapes);
    ledger = open(location);
    const limit = { unit: 'epsilon', amount: parseAmount('2', 'epsilon') } as const;
    await setTable(ledger, 'test', 'notes', { limit, colluders: 1, batchesPerDay: 8 });
    for (const analyst of ['ann', 'ben']) await setBudget(ledger, 'test', 'notes', analyst, limit);
    for (let i = 0; i < 9; i++) {
      const batch = parseBatch(await bodyOf(i, i < 3 ? 'ios' : 'web', i % 2), schemas, dayNumber(NOW));
      expect(await store.append({ ...batch, hash: `${i}`.padStart(16, '0') })).toBe('counted');
    }
  });
  afterEach(async () => {
    await ledger.close();
    await store.close();
    await engine.remove(location);
  });

  test('count what was acknowledged, by day and segment, with cells that nobody is in', async () => {
    const { results, openDays, bound } = await asking(SILENT).ask(by('ann'));
    expect(results[0]?.cells?.map(({ values, value }) => [values['day'], values['platform'], value])).toEqual([
      [question.from, 'ios', 1],
      [question.from, 'web', 3],
      [today, 'ios', 2],
      [today, 'web', 3],
    ]);
    expect([bound, openDays]).toEqual([1, 2]);
    const empty = await asking(SILENT).ask(by('ann', { from: '2026-01-01', to: '2026-01-01' }));
    expect(empty.results[0]?.cells?.map(({ value }) => value)).toEqual([0, 0]);
  });

  test('tell the days that are open by the clock: those that the store has closed follow from reports', async () => {
    await store.expire(dayNumber(NOW)); // as a commit does that is the tenth of a later day
    expect((await asking(SILENT).ask(by('ann'))).openDays).toBe(2);
    const from = dayText(dayNumber(NOW) - 20);
    expect((await asking(SILENT).ask(by('ann', { from }))).openDays).toBe(15);
  });

  test('count another metric, a median, a sum and the most used value', async () => {
    const { results } = await asking(SILENT).ask(
      by('ann', {
        where: {},
        measures: [
          { kind: 'count', epsilon: '0.1' },
          { kind: 'median', epsilon: '0.1', column: 'version' },
          { kind: 'mostUsed', epsilon: '0.1', column: 'platform' },
          { kind: 'sum', epsilon: '0.1', column: 'version', low: 0, high: 5 },
        ],
      }),
    );
    const byKind = Object.fromEntries(results.map(({ measure, cells, chosen }) => [measure.kind, chosen ?? cells?.[0]?.value]));
    expect(byKind).toEqual({ count: 63, median: '1', sum: 63, mostUsed: 'web' });
  });

  test('charge before they draw: a crash between leaves a charge, and asking again is charged again', async () => {
    await expect(asking(broken).ask(by('ann'))).rejects.toThrow('the measurements failed after they were charged');
    expect(await charges()).toBe(1);
    const answer = await asking(systemRandom()).ask(by('ann'));
    expect([answer.isRepeated, await charges()]).toEqual([false, 2]);
    expect(await asking(systemRandom()).ask(by('ann'))).toEqual({ ...answer, isRepeated: true });
    await expect(asking(systemRandom()).ask({ ...by('ann'), again: true })).rejects.toThrow('ε 0 a day');
    expect(await charges()).toBe(2);
  });

  test('answer days and a synthetic table once, keep them as they were drawn, and charge another attempt after a crash', async () => {
    const measured = (measure: Measure, from = question.from) => by('ann', { from, measures: [measure] });
    const quarter = dayText(dayNumber(NOW) - 89);
    const days = measured({ kind: 'days', epsilon: '0.5' });
    const exact = await asking(SILENT).ask(days);
    expect(exact.results[0]?.cells?.map(({ values, value }) => [values['day'], value])).toEqual([
      [question.from, 4],
      [today, 5],
    ]);
    expect(exact.results[0]?.design).toMatchObject({ levels: 1 });
    const table = measured({ kind: 'synthetic', epsilon: '0.01', columns: ['platform', 'version', 'day'], about: 2 }, quarter);
    await expect(asking(broken).ask(table)).rejects.toThrow('the measurements failed after they were charged');
    expect(await charges()).toBe(2);
    const drawn = await asking(systemRandom()).ask(table);
    expect([drawn.results[0]?.cells?.length, drawn.isRepeated, await charges()]).toEqual([180, false, 3]);
    const again = measured({ kind: 'synthetic', epsilon: '0.01', columns: ['day', 'version', 'platform'], about: 1 }, quarter);
    expect(await asking(broken).ask(again)).toEqual({ ...drawn, isRepeated: true });
    expect(await asking(broken).ask(days)).toEqual({ ...exact, isRepeated: true });
    expect(await charges()).toBe(3);
    await expect(asking(systemRandom()).ask(measured({ kind: 'days', epsilon: '1.5' }))).rejects.toThrow('ε 1.48 a day');
  });

  test('spend nothing when the rows can’t be read, and draw nothing when the charge can’t be written', async () => {
    const away = asking(systemRandom(), { read: () => Promise.reject(new Error('the store is away')) });
    await expect(away.ask(by('ann'))).rejects.toThrow('the store is away');
    expect(await charges()).toBe(0);
    let transactions = 0;
    const failing: Ledger = {
      ...ledger,
      transact: (work) => (++transactions === 3 ? Promise.reject(new Error('no room')) : ledger.transact(work)),
    };
    await expect(asking(broken, { ledger: failing }).ask(by('ann'))).rejects.toThrow('no room');
    expect(await charges()).toBe(0);
  });

  test('charge the same question once that is asked twice at the same time', async () => {
    const releases = asking(systemRandom());
    const [one, other] = await Promise.all([releases.ask(by('ann')), releases.ask(by('ann'))]);
    expect([other, await charges()]).toEqual([one, 1]);
  });

  test('charge the same new question once that two processes are asked, and give both the one answer', async () => {
    const other = open(location);
    try {
      let [entered, release] = [(): void => {}, (): void => {}];
      const [reached, gate] = [new Promise<void>((resolve) => (entered = resolve)), new Promise<void>((resolve) => (release = resolve))];
      const here = measuringBy(systemRandom());
      const slow = asking(systemRandom(), {
        patience: 60_000,
        measuring: {
          ...here,
          measure: async (...parts) => {
            entered();
            await gate;
            return here.measure(...parts);
          },
        },
      });
      const first = slow.ask(by('ann'));
      await reached;
      // The charge stands, and the answer does not. The second one has looked, and waits.
      let looks = 0;
      const counted: Ledger = { ...other, transact: (work) => other.transact(work).finally(() => looks++) };
      const second = asking(broken, { ledger: counted, patience: 60_000 }).ask(by('ann'));
      await expect.poll(() => looks).toBeGreaterThan(2);
      expect(await charges()).toBe(1);
      release();
      expect(await second).toEqual({ ...(await first), isRepeated: true });
      expect(await charges()).toBe(1);
    } finally {
      await other.close();
    }
  });

  if (name === 'PostgreSQL') {
    test('charge once where the clocks of two collectors differ by a day', async () => {
      const other = open(location);
      try {
        const here = measuringBy(systemRandom());
        let second: Promise<Answer> | undefined;
        const first = asking(systemRandom(), {
          measuring: {
            ...here,
            measure: async (...parts) => {
              vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 86_400_000 });
              let looks = 0;
              const counted: Ledger = { ...other, transact: (work) => other.transact(work).finally(() => looks++) };
              second = asking(systemRandom(), { ledger: counted, patience: 60_000 }).ask(by('ann'));
              await Promise.race([second, expect.poll(() => looks).toBeGreaterThan(2)]);
              return here.measure(...parts);
            },
          },
        }).ask(by('ann'));
        expect(await first).toMatchObject({ isRepeated: false });
        expect(await second).toEqual({ ...(await first), isRepeated: true });
        expect(await charges()).toBe(1);
      } finally {
        vi.useRealTimers();
        await other.close();
      }
    });

    test('write the answer of a charge although the database was away in between', async () => {
      const proxy = await startProxy(location);
      const cut = open(proxy.url);
      const here = measuringBy(systemRandom());
      const measure: typeof here.measure = async (...parts) => {
        proxy.set('refuse');
        setTimeout(() => proxy.set('pass'), 1_000);
        return here.measure(...parts);
      };
      const answer = await asking(systemRandom(), { ledger: cut, measuring: { ...here, measure } }).ask(by('ann'));
      expect(await asking(broken).ask(by('ann'))).toEqual({ ...answer, isRepeated: true });
      expect(await charges()).toBe(1);
      await cut.close();
      await proxy.close();
    });
  }

  test('wait no longer for a charge whose measurements failed here, nor for one that is too old', async () => {
    const failing = asking(broken, { patience: 60_000 });
    await expect(failing.ask(by('ann'))).rejects.toThrow('the measurements failed');
    await expect(failing.ask(by('ann'))).rejects.toThrow('the measurements failed');
    expect(await charges()).toBe(2);
    const limit = { unit: 'epsilon', amount: parseAmount('9', 'epsilon') } as const;
    await setTable(ledger, 'test', 'notes', { limit, colluders: 1, batchesPerDay: 8 });
    await setBudget(ledger, 'test', 'notes', 'ann', limit);
    expect((await asking(systemRandom(), { patience: 300 }).ask(by('ann'))).isRepeated).toBe(false);
    expect(await charges()).toBe(3);
  });

  test('give the last of a budget to exactly one of two that race for it', async () => {
    const other = open(location);
    try {
      const ask = (on: Ledger, column: string): Promise<unknown> =>
        asking(systemRandom(), { ledger: on }).ask(by('ann', { measures: [{ kind: 'mostUsed', epsilon: '2', column }] }));
      const ends = await Promise.allSettled([ask(ledger, 'platform'), ask(other, 'version'), ask(ledger, 'metric')]);
      expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
      expect(await charges()).toBe(1);
    } finally {
      await other.close();
    }
  });

  test('give it to exactly one of two processes', async () => {
    const asker = fileURLToPath(new URL('asker.ts', import.meta.url));
    await store.fold();
    const run = async (column: string): Promise<readonly [number, string]> => {
      const child = spawn(process.execPath, [asker, name, location, JSON.stringify(store.source), column], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
      return [code as number, said.trim()];
    };
    const ends = await Promise.all([run('platform'), run('version')]);
    expect(ends.map(([code, said]) => [code, said.split(':')[0]]).sort()).toEqual([
      [0, 'answered'],
      [0, 'over budget'],
    ]);
    expect(await charges()).toBe(1);
  });
});
