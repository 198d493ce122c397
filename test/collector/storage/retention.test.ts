/** Retention and upkeep: what the store holds of old days, and what commands take out of it. */

import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { dayText } from '@murmuration/shared';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { partsIn } from '#collector/answers/series.ts';
import { monthStart, nextMonth, wholeMonths } from '#collector/base/days.ts';
import type { Evidence } from '#collector/estimation/tally.ts';
import { openSqliteStore, type SqliteOptions } from '#collector/storage/sqlite/sqlite.ts';
import { reachedDay } from '#collector/storage/sqlite/tallies.ts';
import { deleteMetrics, pruneStore, vacuumStore } from '#collector/storage/sqlite/upkeep.ts';
import type { MetricTotal, Selection, Store } from '#collector/storage/store.ts';
import { openTallies } from '#collector/storage/tallies.ts';
import { bin, runCommand } from '../../setup/command.ts';
import { DAY, entry, OTHER_APP, OTHER_VERSION, SCHEMA, shapes } from './entries.ts';

const execute = promisify(execFile);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-retention-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const NEVER = { dailyFor: 1e6, keepFor: 1e6 };
const open = (options: SqliteOptions = { retention: NEVER }): Promise<Store> => openSqliteStore(folder, shapes, options);

/** Days of the store below: four months and some days, of which the first begins in the middle of a month. */
const [FIRST, LAST] = [DAY, DAY + 130];

/** A store with reports of every third day, in two segments and some cohorts. */
async function fill(): Promise<void> {
  const store = await open();
  const days = Array.from({ length: LAST - FIRST + 1 }, (_, i) => FIRST + i).filter(
    (day) => day % 3 === 0 || day === FIRST || day === LAST,
  );
  const appended = days.flatMap((day) =>
    ['{"platform":"web"}', '{"platform":"ios"}'].map((segment, i) => {
      const of = (metric: string, cohort: number): object => ({ metric, cohort, cells: [day % 8, 7] });
      const reports = [of('plan', day % 5), of('plan', i), { metric: 'theme', cells: [day % 8, i] }] as NonNullable<
        Parameters<typeof entry>[1]
      >['reports'];
      return store.append(entry(`${day} ${segment}`, { day, segment, ...(reports && { reports }) }));
    }),
  );
  expect(new Set(await Promise.all(appended))).toEqual(new Set(['counted']));
  await store.close();
}

async function look<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const store = await open();
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const plan = (selection: Partial<Selection> = {}): Selection => ({ schemas: [SCHEMA], metric: 'plan', ...selection });

/** Evidence in an order of its own. */
const plain = ({ tallies, ...rest }: Evidence): object => ({ ...rest, tallies: [...tallies].toSorted(([a], [b]) => a - b) });

const rowsIn = (table: string): number => {
  const database = new DatabaseSync(join(folder, 'murmuration.sqlite'), { readOnly: true });
  const rows = database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n'];
  database.close();
  return Number(rows);
};

test('ranges of whole months: every month before the border that lies in the range as a whole, and every day after it', () => {
  const day = fc.integer({ min: 0, max: 40_000 });
  fc.assert(
    fc.property(day, day, day.map(monthStart), day, (from, to, before, asked) => {
      const [first, last] = wholeMonths(from, to, before);
      const isIn = asked >= from && asked <= to;
      const isWhole = monthStart(asked) >= from && nextMonth(asked) - 1 <= to;
      expect(asked >= first && asked <= last).toBe(asked < before ? isWhole : isIn);
    }),
    { numRuns: 20_000, seed: 14 },
  );
  expect([dayText(monthStart(20_000)), dayText(nextMonth(20_000))]).toEqual(['2024-10-01', '2024-11-01']);
});

describe('pruning', () => {
  const dailyFor = 60;
  const rolled = monthStart(LAST - dailyFor);

  test('adds old days up to months that hold the same counts, of which a part of a range is left out, and leaves later days as they are', async () => {
    await fill();
    const ends = [undefined, FIRST, monthStart(FIRST), nextMonth(FIRST), nextMonth(FIRST) + 9, rolled - 1, rolled, rolled + 9, LAST];
    const ranges = ends.flatMap((from) => ends.map((to) => ({ ...(from !== undefined && { from }), ...(to !== undefined && { to }) })));
    const selections = ranges.flatMap((range) => [
      plan(range),
      plan({ ...range, segment: { platform: 'web' } }),
      plan({ ...range, metric: 'theme' }),
    ]);
    const whole = (selection: Selection): Selection => {
      const [from, to] = wholeMonths(selection.from ?? 0, selection.to ?? 2 ** 31, rolled);
      return { ...selection, from, to };
    };
    const expected = await look((store) => Promise.all(selections.map(async (each) => plain(await store.read(whole(each))))));
    const totals = await look((store) => store.totals());
    const pruned = pruneStore(folder, LAST + 10_000, { dailyFor, keepFor: Number.POSITIVE_INFINITY }); // as a clock would that is ahead
    expect(pruned.reports[1]).toBe(pruned.reports[0]);
    expect(pruned.rows[1]).toBeLessThan(pruned.rows[0] / 1.3);
    const months = ({ from, to, ...rest }: { readonly from?: number | null; readonly to?: number | null }): object => {
      const isRolled = (day: number | null | undefined): day is number => typeof day === 'number' && day < rolled;
      return { ...rest, from: isRolled(from) ? monthStart(from) : from, to: isRolled(to) ? nextMonth(to) - 1 : to };
    };
    const seen = await look((store) => Promise.all(selections.map(async (each) => plain(await store.read(each)))));
    expect(seen).toEqual(expected.map(months));
    const after = await look((store) => store.totals());
    expect(after.map(({ version: _, ...rest }) => rest)).toEqual(totals.map(({ version: _, ...rest }) => rest));
    for (const [i, { version }] of after.entries()) expect(version).not.toBe((totals[i] as MetricTotal).version);
    expect(pruneStore(folder, LAST, { dailyFor, keepFor: Number.POSITIVE_INFINITY }).rows).toEqual([pruned.rows[1], pruned.rows[1]]);
    expect((await look((store) => store.totals())).map(({ version }) => version)).toEqual(after.map(({ version }) => version));
    await look(async (store) => expect(await store.append(entry('late', { day: rolled - 1 }))).toBe('expired'));
  });

  test('leaves out the whole month of a day that is excluded and kept as a month, and says so', async () => {
    await fill();
    pruneStore(folder, LAST, { dailyFor, keepFor: Number.POSITIVE_INFINITY });
    const month = { from: monthStart(rolled - 1), to: rolled - 1 };
    const [all, inMonth, without] = await look((store) =>
      Promise.all([plan(), plan(month), plan({ exclude: [rolled - 3, rolled - 2] })].map(store.read)),
    );
    expect(without?.excluded).toEqual([{ ...month, reports: inMonth?.reports }]);
    expect(without?.reports).toBe((all?.reports ?? 0) - (inMonth?.reports ?? 0));
    expect(inMonth?.reports).toBeGreaterThan(0);
  });

  test('leaves each part of a series what a read of its days gives', async () => {
    await fill();
    const cases = (['day', 'week', 'month'] as const).flatMap((interval) =>
      [FIRST, monthStart(FIRST), FIRST + 40, rolled].map((from) => partsIn({ from, to: LAST }, interval, 1_000)),
    );
    for (const prune of [false, true]) {
      if (prune) pruneStore(folder, LAST, { dailyFor, keepFor: Number.POSITIVE_INFINITY });
      const reader = openTallies({ file: join(folder, 'murmuration.sqlite') });
      for (const parts of cases)
        for (const selection of [plan(), plan({ segment: { platform: 'web' } }), plan({ metric: 'theme' })]) {
          const each = await Promise.all(parts.map((days) => reader.read({ ...selection, ...days })));
          expect((await reader.readParts(selection, parts)).map(plain)).toEqual(each.map((found) => plain({ ...found, ones: [] })));
        }
      await reader.close();
    }
  });

  test.each([
    [40, LAST - 40],
    [100, monthStart(LAST - 100)],
  ])('deletes what is older than %i days, whole months of what is rolled', async (keepFor, kept) => {
    await fill();
    const expected = await look((store) => Promise.all([plan({ from: kept }), plan({ from: kept, metric: 'theme' })].map(store.read)));
    pruneStore(folder, LAST, { dailyFor, keepFor });
    const seen = await look((store) => Promise.all([plan(), plan({ metric: 'theme' })].map(store.read)));
    expect(seen.map(({ tallies, reports, ones }) => ({ tallies, reports, ones }))).toEqual(
      expected.map(({ tallies, reports, ones }) => ({ tallies, reports, ones })),
    );
    const [total] = await look((store) => store.totals());
    expect(total).toMatchObject({ reports: expected[0]?.reports, from: expected[0]?.from, to: LAST });
    expect([rowsIn('tally WHERE day < (SELECT kept FROM border)'), rowsIn('monthly WHERE day < (SELECT kept FROM border)')]).toEqual([
      0, 0,
    ]);
  });

  test('is done by a collector as well, from the days that are closed on, while batches come', async () => {
    await fill();
    const before = await look((store) => store.read(plan()));
    const store = await open({ retention: { dailyFor } });
    await store.expire(LAST - 16);
    expect(await store.append(entry('new', { day: LAST }))).toBe('counted');
    await expect.poll(() => rowsIn(`tally WHERE day < ${rolled}`)).toBe(0);
    expect(rowsIn('monthly')).toBeGreaterThan(0);
    expect((await store.read(plan())).reports).toBe(before.reports + 1);
    await store.close();
  });

  test('a clock that is ahead has not reached its day, however many batches of however many days it lets in', async () => {
    const reached = (): number => {
      const database = new DatabaseSync(join(folder, 'murmuration.sqlite'), { readOnly: true });
      const day = reachedDay(database);
      database.close();
      return day;
    };
    await (await open()).close();
    expect(reached()).toBe(0);
    await fill();
    expect(reached()).toBe(LAST);
    const store = await open({ retention: { dailyFor: 1_000, keepFor: 2_000 } });
    for (let day = -14; day <= 1; day++) for (let i = 0; i < 12; i++) await store.append(entry(`${day} ${i}`, { day: LAST + 3_650 + day }));
    await store.expire(LAST + 3_650 - 16);
    await store.close();
    expect(reached()).toBe(LAST);
    await look(async (again) => expect((await again.read(plan({ to: LAST }))).reports).toBeGreaterThan(150));
  });

  test('a store without reports stays one', async () => {
    await (await open()).close();
    expect(pruneStore(folder, LAST, { dailyFor: 31, keepFor: 31 }).rows).toEqual([0, 0]);
    await look(async (store) => expect(await store.append(entry('first', { day: DAY - 1_000 }))).toBe('counted'));
  });
});

describe('deleting', () => {
  const filled = async (): Promise<void> => {
    const store = await open();
    for (const schema of [SCHEMA, OTHER_VERSION, OTHER_APP]) {
      const reports = [
        { metric: 'plan', cells: [1] },
        { metric: 'theme', cells: [1] },
      ];
      expect(await store.append(entry(schema, { schema, reports, segment: '{"platform":"web"}' }))).toBe('counted');
    }
    await store.close();
  };
  const left = async (): Promise<string[]> =>
    (await look((store) => store.totals())).map(({ schema, metric }) => `${schema.slice(0, 7)} ${metric}`);

  test.each([
    [{ app: 'notes' }, ['other/1 plan', 'other/1 theme']],
    [{ metric: 'plan' }, ['notes/1 theme', 'notes/2 theme', 'other/1 theme']],
    [{ schema: SCHEMA }, ['notes/2 plan', 'notes/2 theme', 'other/1 plan', 'other/1 theme']],
    [{ schema: SCHEMA, metric: 'theme' }, ['notes/1 plan', 'notes/2 plan', 'notes/2 theme', 'other/1 plan', 'other/1 theme']],
  ])('%j leaves the others, and nothing of these', async (doomed, others) => {
    await filled();
    deleteMetrics(folder, doomed);
    expect(await left()).toEqual(others);
    expect(rowsIn('tally')).toBe(others.length);
    expect(rowsIn('ones')).toBe(
      others.filter((name) => name.endsWith('theme')).length + others.filter((name) => name.endsWith('plan')).length,
    );
  });

  test('what was deleted is not counted again by a replay, and what comes afterwards has versions of its own', async () => {
    await filled();
    const before = await look((store) => store.totals());
    deleteMetrics(folder, { app: 'notes' });
    await look(async (store) => {
      const reports = [
        { metric: 'plan', cells: [1] },
        { metric: 'theme', cells: [1] },
      ];
      expect(await store.append(entry(SCHEMA, { schema: SCHEMA, reports, segment: '{"platform":"web"}' }))).toBe('duplicate');
      expect(await store.append(entry('new'))).toBe('counted');
      const [total] = await store.totals();
      expect(total).toMatchObject({ schema: SCHEMA, metric: 'plan', reports: 1 });
      expect(before.map(({ version }) => version)).not.toContain(total?.version);
    });
  });

  test('leaves no trace of it in the files, and vacuuming gives the room back', async () => {
    const store = await open();
    const segment = '{"platform":"the segment that goes"}';
    for (let batch = 0; batch < 60; batch++) {
      const reports = Array.from({ length: 8 }, (_, cohort) => ({ metric: 'plan', cohort, cells: [batch % 8] }));
      await store.append(entry(batch, { schema: OTHER_APP, reports, day: DAY + batch, segment }));
    }
    await store.append(entry('stays'));
    await store.close();
    deleteMetrics(folder, { app: 'other' });
    for (const name of readdirSync(folder)) expect(readFileSync(join(folder, name)).includes('the segment that goes')).toBe(false);
    const [before, after] = vacuumStore(folder).bytes;
    expect(after).toBeLessThan(before);
    expect(statSync(join(folder, 'murmuration.sqlite')).size).toBe(after);
    expect(await left()).toEqual(['notes/1 plan']);
  });

  test('of nothing, or of no store, is refused with what there is', async () => {
    await filled();
    expect(() => deleteMetrics(folder, { app: 'others' })).toThrow(`expected metrics of the store (${SCHEMA} plan, `);
    expect(() => vacuumStore(join(folder, 'nowhere'))).toThrow('expected a folder with a store, got none');
    expect(existsSync(join(folder, 'nowhere'))).toBe(false);
  });
});

describe('murmuration', () => {
  const said = (before: number, after: number): RegExp =>
    new RegExp(`: tallies ${before} -> ${after}, reports \\d+ -> \\d+, bytes \\d+ -> \\d+\n$`);

  test('prune, delete and vacuum say in one line what they did', async () => {
    await fill();
    expect(runCommand('prune', '--data', folder, '--daily-for', '60').stdout).toMatch(/: tallies 2\d\d -> 1\d\d, reports \d+ -> \d+, /);
    const rows = rowsIn('tally') + rowsIn('monthly');
    expect(runCommand('prune', '--data', folder, '--daily-for', '60').stdout).toMatch(said(rows, rows));
    expect(runCommand('delete', '--data', folder, '--app', 'notes', '--yes').stdout).toMatch(said(rows, 0));
    expect(runCommand('vacuum', '--data', folder).stdout).toMatch(said(0, 0));
  });

  test.each([
    [['prune', '--daily-for', '30'], '--daily-for: expected a whole number from 31'],
    [['prune', '--keep-for', 'never'], '--keep-for: expected a whole number from 31'],
    [['delete'], 'expected --app, --schema or --metric, got none'],
    [['delete', '--metric', 'plan'], 'expected --yes, because what is deleted is gone, got none'],
    [['delete', '--metric', 'plans', '--yes'], 'expected metrics of the store (notes/1/0123456789abcdef plan, '],
    [['vacuum', '--data', join(tmpdir(), 'murmuration-no-such-folder')], 'expected a folder with a store, got none'],
  ])('%j is refused in one line, and nothing is changed', async (args, message) => {
    await fill();
    const before = rowsIn('tally');
    const { status, stdout, stderr } = runCommand(...args, ...(args.includes('--data') ? [] : ['--data', folder]));
    expect([status, stdout, stderr.trimEnd().split('\n').length]).toEqual([2, '', 1]);
    expect(stderr).toContain(message);
    expect(rowsIn('tally')).toBe(before);
  });

  test('each of them says that a collector runs, and leaves its store alone', async () => {
    const store = await open();
    expect(await store.append(entry('a'))).toBe('counted');
    // Each waits for the lock for a while, so they wait together.
    const ran = [['prune'], ['delete', '--app', 'notes', '--yes'], ['vacuum']].map(async (args) => {
      const { code, stderr } = await execute(process.execPath, [bin, ...args, '--data', folder]).catch((error) => error);
      expect([code, stderr.trimEnd().split('\n').length]).toEqual([2, 1]);
      expect(stderr).toContain('expected a store that no other process writes, got one that is in use');
    });
    await Promise.all(ran);
    expect((await store.read(plan())).reports).toBe(1);
    await store.close();
  }, 60_000);
});
