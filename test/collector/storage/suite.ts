/** What every store must do, whatever it is made of. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Evidence } from '#collector/estimation/tally.ts';
import type { QuotaLimits } from '#collector/storage/quota.ts';
import type { Entry, MetricTotal, Selection, Store } from '#collector/storage/store.ts';
import { openTallies } from '#collector/storage/tallies.ts';
import type { Engine } from './engine.ts';
import { CELLS, DAY, entry, OTHER_APP, OTHER_VERSION, SCHEMA, shapes, sum } from './entries.ts';

const nothing = { tallies: {}, reports: 0, from: null, to: null };
const cells = (counts: { readonly [cell: number]: number }): number[] => Array.from({ length: CELLS }, (_, cell) => counts[cell] ?? 0);
const counted = (reports: number): object => ({
  tallies: { 0: { reports, cells: cells({ 1: reports }) } },
  reports,
  from: DAY,
  to: DAY,
});
const child = fileURLToPath(new URL('./child.ts', import.meta.url));

/** Lines after which the suite kills the process that works on a store. */
const STEPS = [
  'open',
  'opened',
  'append 0',
  'done 0.0',
  'append 2',
  'done 2.2',
  'append 3',
  'expire',
  'expired',
  'append 5',
  'done 5.1',
  'close',
  'closed',
];

/** Runs the child until it says a line, kills it there, and gives all that it said. */
async function runUntil(last: string, file: string, location: string): Promise<readonly string[]> {
  const running = spawn(process.execPath, [child, file, location], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines: string[] = [];
  for await (const line of createInterface({ input: running.stdout })) {
    lines.push(line);
    if (line === last) running.kill('SIGKILL');
  }
  return lines;
}

/** @param file the URL of a module that exports `engine` */
export async function testStore(file: URL): Promise<void> {
  const { engine } = (await import(file.href)) as { readonly engine: Engine };
  describe(`a ${engine.name} store`, () => {
    let location: string;
    let store: Store;
    beforeEach(async () => {
      location = await engine.make();
      store = await engine.open(location, shapes);
    });
    afterEach(async () => {
      await store.close();
      await engine.remove(location);
    });
    const reopen = async (limits?: Partial<QuotaLimits>): Promise<void> => {
      await store.close();
      store = await engine.open(location, shapes, limits);
    };

    test('is empty at first', async () => expect(await sum(store)).toEqual(nothing));

    test('counts a batch, and what is counted is read at once and after a restart', async () => {
      expect(await store.append(entry('a'))).toBe('counted');
      expect(await sum(store)).toEqual(counted(1));
      await reopen();
      expect(await sum(store)).toEqual(counted(1));
    });

    test('counts a replay never, be it at once, one after the other, or after a restart', async () => {
      const results = await Promise.all(Array.from({ length: 50 }, () => store.append(entry('a'))));
      expect(results.toSorted()).toEqual(['counted', ...Array.from({ length: 49 }, () => 'duplicate')]);
      expect(await store.append(entry('a'))).toBe('duplicate');
      await reopen();
      expect(await store.append(entry('a'))).toBe('duplicate');
      expect(await sum(store)).toEqual(counted(1));
    });

    test('counts the first of two bodies with one id, and calls the other a conflict', async () => {
      const other = entry('a', { body: 'another body', reports: [{ metric: 'plan', cells: [5] }] });
      expect(await Promise.all([store.append(entry('a')), store.append(other)])).toEqual(['counted', 'conflict']);
      await reopen();
      expect(await store.append(other)).toBe('conflict');
      expect(await store.append(entry('a'))).toBe('duplicate');
      expect(await sum(store)).toEqual(counted(1));
    });

    test('takes an id of another day for another batch, with any bytes, at once and after a restart', async () => {
      const next = entry('a', { day: DAY + 1, body: 'another body' });
      expect(await Promise.all([entry('a'), next, next].map(store.append))).toEqual(['counted', 'counted', 'duplicate']);
      for (let i = 0; i < 2; i++) {
        expect(await store.append(entry('a'))).toBe('duplicate');
        expect(await store.append(next)).toBe('duplicate');
        expect(await store.append(entry('a', { day: DAY + 1 }))).toBe('conflict');
        await reopen();
      }
      expect((await sum(store)).reports).toBe(2);
      await store.expire(DAY + 1);
      expect(await store.append(entry('a', { body: 'a third body' }))).toBe('expired');
      expect(await store.append(next)).toBe('duplicate');
    });

    test('folds reports into one tally for each cohort, cell by cell', async () => {
      const reports = [
        { metric: 'plan', cells: [0, 7] },
        { metric: 'plan', cells: [7] },
        { metric: 'plan', cells: [] },
        { metric: 'plan', cohort: 3, cells: [2, 3, 4] },
        { metric: 'theme', cells: [6] },
      ];
      for (const name of ['a', 'b']) await store.append(entry(name, { reports }));
      const tallies = { 0: { reports: 6, cells: cells({ 0: 2, 7: 4 }) }, 3: { reports: 2, cells: cells({ 2: 2, 3: 2, 4: 2 }) } };
      expect(await sum(store)).toEqual({ tallies, reports: 8, from: DAY, to: DAY });
      expect(await sum(store, { metric: 'theme' })).toMatchObject({ tallies: { 0: { reports: 2, cells: cells({ 6: 2 }) } }, reports: 2 });
    });

    test('knows how many reports of bits had how many ones, day by day, and of symbols nothing', async () => {
      const of = (metric: string, ...cells: number[]): { readonly metric: string; readonly cells: number[] } => ({ metric, cells });
      await store.append(entry('a', { reports: [of('theme', 0, 7), of('theme', 3), of('theme'), of('symbol', 4)] }));
      await store.append(entry('b', { reports: [of('theme', 1, 2)], day: DAY + 1, segment: '{"platform":"web"}' }));
      await store.append(entry('c', { reports: [of('theme', 1, 2)] }));
      const ones = async (selection: object): Promise<unknown> =>
        (await store.read({ schemas: [SCHEMA], metric: 'theme', ...selection })).ones.map(({ day, reports }) => [day, ...reports]);
      const first = [DAY, [0, 1], [1, 1], [2, 2]];
      expect(await ones({})).toEqual([first, [DAY + 1, [2, 1]]]);
      expect(await ones({ to: DAY })).toEqual([first]);
      expect(await ones({ metric: 'symbol' })).toEqual([]);
      await reopen();
      expect(await ones({ from: DAY + 1 })).toEqual([[DAY + 1, [2, 1]]]);
    });

    test('leaves out the days that a selection excludes, of one segment, of parts and of the ones, and says how many reports they have', async () => {
      for (const [i, segment] of ['{}', '{"platform":"web"}'].entries())
        for (const day of [DAY, DAY + 1, DAY + 2])
          await store.append(
            entry(`${i}.${day}`, {
              day,
              segment,
              reports: [
                { metric: 'plan', cells: [1] },
                { metric: 'theme', cells: [2] },
              ],
            }),
          );
      const exclude = [DAY + 1, DAY + 9];
      const left = (reports: number): object => [{ from: DAY + 1, to: DAY + 1, reports }];
      const tallies = (reports: number): object => ({ 0: { reports, cells: cells({ 1: reports }) } });
      expect(await sum(store, { exclude })).toEqual({ tallies: tallies(4), reports: 4, from: DAY, to: DAY + 2, excluded: left(2) });
      const ofWeb = { exclude, segment: { platform: 'web' } };
      expect(await sum(store, ofWeb)).toEqual({ tallies: tallies(2), reports: 2, from: DAY, to: DAY + 2, excluded: left(1) });
      expect(await sum(store, { exclude, from: DAY + 2 })).toEqual({ tallies: tallies(2), reports: 2, from: DAY + 2, to: DAY + 2 });
      expect((await store.read({ schemas: [SCHEMA], metric: 'theme', exclude })).ones.map(({ day }) => day)).toEqual([DAY, DAY + 2]);
      await store.fold();
      const reader = openTallies(store.source);
      const parts = [DAY, DAY + 1, DAY + 2].map((day) => ({ from: day, to: day }));
      const found = await reader.readParts({ schemas: [SCHEMA], metric: 'plan', exclude }, parts);
      await reader.close();
      expect(found.map(({ reports, excluded }) => [reports, excluded])).toEqual([
        [2, undefined],
        [0, left(2)],
        [2, undefined],
      ]);
    });

    test('knows the totals of each metric of each schema, and numbers them anew whenever its tallies change', async () => {
      expect(await store.totals()).toEqual([]);
      await store.append(entry('a', { day: DAY + 2 }));
      const reports = [
        { metric: 'plan', cohort: 3, cells: [] },
        { metric: 'symbol', cells: [4] },
      ];
      await store.append(entry('b', { reports, day: DAY, segment: '{"platform":"web"}' }));
      const total = (metric: string, reports: number, from: number, to: number): object => {
        return { schema: SCHEMA, metric, reports, from, to, version: expect.any(Number) };
      };
      const before = await store.totals();
      expect(before).toEqual([total('plan', 2, DAY, DAY + 2), total('symbol', 1, DAY, DAY)]);
      expect(await store.totals()).toEqual(before);
      await reopen();
      expect(await store.totals()).toEqual(before);
      await store.append(entry('c', { schema: OTHER_APP }));
      await store.append(entry('d', { day: DAY + 1 }));
      const [plan, symbol, other] = await store.totals();
      expect([plan, symbol]).toEqual([total('plan', 3, DAY, DAY + 2), before[1]]);
      expect(other).toMatchObject({ schema: OTHER_APP, metric: 'plan', reports: 1 });
      expect(plan?.version).not.toBe(before[0]?.version);
      expect(plan?.reports).toBe((await sum(store)).reports);
    });

    test('is read by any thread from its source: what is folded, and nothing else', async () => {
      const thread = new Worker(new URL('./reading-thread.ts', import.meta.url), { workerData: store.source });
      const read = async (selection: Partial<Selection> = {}): Promise<[Evidence, readonly MetricTotal[]]> => {
        thread.postMessage({ schemas: [SCHEMA], metric: 'plan', ...selection });
        const [message] = (await once(thread, 'message')) as [[Evidence, readonly MetricTotal[]]];
        return message;
      };
      expect(await read()).toMatchObject([{ reports: 0, from: null, ones: [] }, []]);
      const selection = { schemas: [SCHEMA], metric: 'theme' };
      for (const name of ['a', 'b']) {
        for (const day of [DAY, DAY + 1]) {
          const reports = [{ metric: 'theme', cells: [2, 5] }];
          expect(await store.append(entry(`${name} ${day}`, { reports, day }))).toBe('counted');
        }
        await store.fold();
        expect(await read({ metric: 'theme' })).toEqual([await store.read(selection), await store.totals()]);
      }
      expect((await store.read(selection)).ones).toEqual([DAY, DAY + 1].map((day) => ({ day, reports: new Map([[2, 2]]) })));
      const ended = once(thread, 'exit');
      thread.postMessage(null);
      expect(await ended).toEqual([0]);
    });

    test('adds up thousands of batches that come at once', async () => {
      const names = Array.from({ length: 3_000 }, (_, i) => i);
      const results = await Promise.all(
        names.map((name) => store.append(entry(name, { reports: [{ metric: 'plan', cells: [name % CELLS] }] }))),
      );
      expect(new Set(results)).toEqual(new Set(['counted']));
      expect(await sum(store)).toMatchObject({ tallies: { 0: { reports: 3_000, cells: cells({}).fill(375) } } });
    });

    test('reads what was asked for: schemas, metric, a range of days, a segment', async () => {
      const places: Parameters<typeof entry>[1][] = [
        {},
        { day: DAY + 1, segment: '{"platform":"web"}' },
        { day: DAY + 2, segment: '{"platform":"ios"}' },
        { day: DAY + 3, segment: '{"country":"de","platform":"web"}' },
        { schema: OTHER_VERSION },
        { schema: OTHER_APP },
      ];
      for (const [name, changes] of places.entries()) await store.append(entry(name, changes));
      const read = async (selection: Parameters<typeof sum>[1]): Promise<unknown[]> => {
        const { reports, from, to } = await sum(store, selection);
        return [reports, from, to];
      };
      expect(await read({})).toEqual([4, DAY, DAY + 3]);
      expect(await read({ schemas: [SCHEMA, OTHER_VERSION] })).toEqual([5, DAY, DAY + 3]);
      expect(await read({ metric: 'theme' })).toEqual([0, null, null]);
      expect(await read({ from: DAY + 1 })).toEqual([3, DAY + 1, DAY + 3]);
      expect(await read({ to: DAY + 1 })).toEqual([2, DAY, DAY + 1]);
      expect(await read({ from: DAY + 1, to: DAY + 2 })).toEqual([2, DAY + 1, DAY + 2]);
      expect(await read({ from: DAY + 2, to: DAY + 1 })).toEqual([0, null, null]);
      expect(await read({ segment: { platform: 'web' } })).toEqual([2, DAY + 1, DAY + 3]);
      expect(await read({ segment: { platform: 'web', country: 'de' } })).toEqual([1, DAY + 3, DAY + 3]);
      expect(await read({ segment: { platform: 'tv' } })).toEqual([0, null, null]);
      expect(await read({ segment: { platform: 'web' }, to: DAY + 2 })).toEqual([1, DAY + 1, DAY + 1]);
    });

    test('keeps apart what only looks alike: names with quotes, dots and brackets', async () => {
      const segment = { 'a.b': `it's "x"` };
      await store.append(entry('a', { segment: JSON.stringify(segment) }));
      await store.append(entry('b', { segment: JSON.stringify({ 'a.b': 'y' }) }));
      expect((await sum(store, { segment })).reports).toBe(1);
    });

    test('reads one snapshot: of a batch all or nothing', async () => {
      const cohorts = Array.from({ length: 6 }, (_, cohort) => ({ metric: 'plan', cohort, cells: [cohort] }));
      const seen = new Set<number>();
      let written = 0;
      let writing = true;
      const writer = (async () => {
        // On a busy machine all of it may be written between two readings: then more is.
        for (; written < 200 || (seen.size < 2 && written < 20_000); written += 10)
          await Promise.all(
            Array.from({ length: 10 }, (_, i) => store.append(entry(written + i, { reports: cohorts, day: DAY + (i % 3) }))),
          );
      })().finally(() => {
        writing = false;
      });
      while (writing) {
        const { tallies } = await store.read({ schemas: [SCHEMA], metric: 'plan' });
        const counts = [...tallies.values()].map(({ reports }) => reports);
        expect(new Set(counts).size).toBeLessThanOrEqual(1);
        expect([0, 6]).toContain(counts.length);
        seen.add(counts[0] ?? 0);
        await new Promise((resolve) => setImmediate(resolve));
      }
      await writer;
      expect(seen.size).toBeGreaterThan(1);
      expect((await sum(store)).reports).toBe(6 * written);
    });

    test('takes nothing of days whose ids it has forgotten, ever again, and keeps every count', async () => {
      const appended = async (...names: readonly [string, number][]): Promise<unknown> =>
        Promise.all(names.map(([name, day]) => store.append(entry(name, { day }))));
      await appended(['old', DAY - 1], ['new', DAY]);
      await store.expire(DAY);
      await store.expire(DAY - 14); // a clock that went back
      for (const other of ['first', 'second']) {
        const results = await appended(['old', DAY - 1], ['new', DAY], [`${other} of old`, DAY - 1], [other, DAY + 1]);
        expect(results).toEqual(['expired', 'duplicate', 'expired', 'counted']);
        await reopen();
      }
      expect((await sum(store)).reports).toBe(4);
    });

    test('knows ids after a pause of any length, and none of before it', async () => {
      await store.append(entry('old'));
      for (const days of [100, 130, 400]) {
        await reopen();
        await store.expire(DAY + days - 16);
        expect(await store.append(entry('old', { day: DAY + days }))).toBe('counted');
        expect(await store.append(entry('old', { day: DAY + days }))).toBe('duplicate');
      }
    });

    describe('refuses what there is no room for, as a batch that may come again,', () => {
      const [web, ios] = ['{"platform":"web"}', '{"platform":"ios"}'];
      const of = (name: string, cohort: number, changes: object = {}): Entry =>
        entry(name, { reports: [{ metric: 'plan', cohort, cells: [1] }], ...changes });

      test.each(['folded', 'pending'])('when it would open more %s rows than its app may in a day', async (state) => {
        await reopen({ mostRows: 3 });
        const fold = async (): Promise<void> => (state === 'folded' ? store.fold() : undefined);
        expect(await Promise.all([of('a', 0), of('b', 1), of('c', 0, { segment: web })].map(store.append))).toEqual(
          Array(3).fill('counted'),
        );
        await fold();
        const refused = [of('d', 2), of('e', 0, { segment: ios }), of('f', 0, { schema: OTHER_VERSION })];
        expect(await Promise.all([...refused, of('d', 2)].map(store.append))).toEqual(Array(4).fill('full'));
        await fold();
        const several = [0, 1, 7].map((cohort) => ({ metric: 'plan', cohort, cells: [] }));
        expect(await store.append(entry('g', { reports: several }))).toBe('full');
        const taken = [
          of('h', 1),
          entry('i', { reports: several.slice(0, 2) }),
          of('j', 2, { day: DAY + 1 }),
          of('k', 5, { schema: OTHER_APP }),
        ];
        expect(await Promise.all(taken.map(store.append))).toEqual(Array(4).fill('counted'));
        expect((await sum(store)).reports).toBe(7);
        await reopen({ mostRows: 3 });
        expect(await Promise.all([of('d', 2), of('h', 1), of('l', 1)].map(store.append))).toEqual(['full', 'duplicate', 'counted']);
        await reopen();
        expect(await Promise.all(refused.map(store.append))).toEqual(Array(3).fill('counted'));
      });

      test('when its app has used up its bytes', async () => {
        await reopen({ mostBytes: 100 });
        for (const cohort of [0, 1, 2, 3])
          expect(await store.append(of(`${cohort}`, cohort, { day: DAY + cohort }))).toMatch(/counted|full/);
        await store.fold();
        expect(await store.append(of('more', 5))).toBe('full');
        expect(await store.append(of('there', 0))).toBe('counted');
        expect(await store.append(of('other', 5, { schema: OTHER_APP }))).toBe('counted');
      });

      test('when there are as many ids as the store may keep, until some are forgotten', async () => {
        await reopen({ mostIds: 2 });
        expect(await Promise.all([of('a', 0), of('b', 0, { day: DAY + 1 }), of('c', 0)].map(store.append))).toEqual([
          'counted',
          'counted',
          'full',
        ]);
        expect(await store.append(of('c', 0))).toBe('full');
        expect(await store.append(of('a', 0))).toBe('duplicate');
        await store.expire(DAY + 1);
        await expect.poll(() => store.append(of('d', 0, { day: DAY + 1 }))).toBe('counted');
        expect(await store.append(of('e', 0, { day: DAY + 1 }))).toBe('full');
      });

      test('leaves ids for other apps when one app sends without end, after a restart and until its days are over', async () => {
        await reopen({ mostIds: 90 });
        const flood = Array.from({ length: 120 }, (_, i) => of(`flood ${i}`, 0));
        const results = await Promise.all(flood.map(store.append));
        expect(results.filter((result) => result === 'counted')).toHaveLength(22 + 41); // its share, and 8/9 of what is in no share
        await reopen({ mostIds: 90 });
        expect(await store.append(of('again', 0))).toBe('full');
        const others = await Promise.all(Array.from({ length: 22 }, (_, i) => store.append(of(`other ${i}`, 0, { schema: OTHER_APP }))));
        expect(others).toEqual(Array(22).fill('counted'));
        await store.expire(DAY + 1);
        await expect.poll(() => store.append(of('later', 0, { day: DAY + 1 }))).toBe('counted');
      });
    });

    test('finishes what was begun when it is closed, and takes nothing more', async () => {
      const appended = Promise.all(Array.from({ length: 500 }, (_, name) => store.append(entry(name))));
      await reopen();
      expect(new Set(await appended)).toEqual(new Set(['counted']));
      expect(await sum(store)).toEqual(counted(500));
      const closed = store;
      await reopen();
      await expect(closed.append(entry('late'))).rejects.toThrow('the store is closed');
      expect(await sum(store)).toEqual(counted(500));
    });
  });

  test.concurrent.each(STEPS)(`a ${engine.name} store whose process is killed at "%s" has each batch once or not at all`, async (last) => {
    const location = await engine.make();
    const said = await runUntil(last, file.href, location);
    expect(said).toContain(last);
    const names = Array.from({ length: 18 }, (_, i) => `${Math.floor(i / 3)}.${i % 3}`);
    const done = names.filter((name) => said.includes(`done ${name}`));
    const store = await engine.open(location, shapes);
    const before = (await sum(store)).reports;
    expect(before).toBeGreaterThanOrEqual(done.length);
    const results = await Promise.all(names.map((name) => store.append(entry(name))));
    const known = names.filter((_, i) => results[i] === 'duplicate');
    expect(known).toEqual(expect.arrayContaining(done));
    expect(known).toHaveLength(before);
    expect(await sum(store)).toEqual(counted(18));
    await store.close();
    await engine.remove(location);
  });
}
