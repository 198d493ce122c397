/** A reader that keeps the sums of days gives what a reader gives that has just opened the store. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Evidence } from '#collector/estimation/tally.ts';
import { openSqliteTallies } from '#collector/storage/sqlite/reader.ts';
import { openSqliteStore } from '#collector/storage/sqlite/sqlite.ts';
import type { PartsReader, Selection, Store } from '#collector/storage/store.ts';
import { openTallies } from '#collector/storage/tallies.ts';
import { DaySums, TallySums } from '#collector/storage/tallying/sums.ts';
import { DAY, entry, OTHER_VERSION, SCHEMA, shapes } from './entries.ts';

const plain = ({ tallies, ...rest }: Evidence): object => ({ ...rest, tallies: [...tallies].toSorted(([a], [b]) => a - b) });

/** Compares with a reader of its own. Retention goes on meanwhile, so what both see counts once it is the same before and after. */
async function agree(store: Store, kept: PartsReader, look: (reader: PartsReader) => Promise<unknown>): Promise<void> {
  const fresh = async (): Promise<unknown> => {
    const reader = openTallies(store.source);
    try {
      return await look(reader);
    } finally {
      await reader.close();
    }
  };
  for (;;) {
    const [before, seen, after] = [await fresh(), await look(kept), await fresh()];
    if (!isDeepStrictEqual(before, after)) continue;
    return expect(seen).toEqual(after);
  }
}

test('whatever arrives between two reads, and for whichever days and versions', async () => {
  const batch = fc.record({
    day: fc.integer({ min: 0, max: 80 }),
    cohort: fc.integer({ min: 0, max: 3 }),
    cell: fc.integer({ min: 0, max: 7 }),
    segment: fc.constantFrom('{}', '{"platform":"web"}'),
    schema: fc.constantFrom(SCHEMA, OTHER_VERSION),
  });
  const days = fc.tuple(fc.integer({ min: 0, max: 80 }), fc.integer({ min: 0, max: 80 }));
  let number = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.array(batch, { maxLength: 8 }), days, fc.boolean()), { maxLength: 5 }), async (turns) => {
      const folder = mkdtempSync(join(tmpdir(), 'murmuration-sums-'));
      // Some of the days are moved to months when the newest of them arrives.
      const store = await openSqliteStore(folder, shapes, { retention: { dailyFor: 30, keepFor: 55 } });
      const kept: PartsReader = openTallies(store.source);
      try {
        for (const [batches, [one, other], isExpired] of turns) {
          await Promise.all(
            batches.map(({ day, cohort, cell, segment, schema }) =>
              store.append(entry(number++, { day: DAY + day, segment, schema, reports: [{ metric: 'plan', cohort, cells: [cell] }] })),
            ),
          );
          if (isExpired) await store.expire(DAY);
          await store.fold();
          for (const schemas of [[SCHEMA], [SCHEMA, OTHER_VERSION]]) {
            const selection: Selection = { schemas, metric: 'plan' };
            const range = { from: DAY + Math.min(one, other), to: DAY + Math.max(one, other) };
            const parts = [range, { from: range.to + 1, to: range.to + 9 }];
            const look = async (reader: PartsReader): Promise<unknown> =>
              [
                await reader.read(selection),
                await reader.read({ ...selection, ...range }),
                await reader.read({ ...selection, exclude: [range.from, range.to] }),
                ...(await reader.readParts(selection, parts)),
              ].map(plain);
            await agree(store, kept, look);
          }
        }
      } finally {
        await kept.close();
        await store.close();
        rmSync(folder, { recursive: true });
      }
    }),
    { numRuns: 15 },
  );
});

test('a segment without any values means all reports, so their sums are kept', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'murmuration-sums-'));
  const store = await openSqliteStore(folder, shapes);
  await store.append(entry(1, { day: DAY, segment: '{"platform":"web"}' }));
  await store.fold();
  for (const segment of [{}, { platform: 'web' }]) {
    const sums = new DaySums();
    const reader = openSqliteTallies(store.source.file, sums);
    const { reports } = await reader.read({ schemas: [SCHEMA], metric: 'plan', segment });
    await reader.close();
    expect([reports > 0, sums.bytes > 0]).toEqual([true, Object.keys(segment).length === 0]);
  }
  await store.close();
  rmSync(folder, { recursive: true });
});

test('a day with other reports than its total is not taken, and beyond the limit the metric asked for longest ago goes', () => {
  const sums = new TallySums();
  const packed = { ...sums.packed(), cells: new Uint8Array(400) };
  const kept = new DaySums(1_000);
  kept.keep('a', 1, 10, packed);
  kept.keep('b', 1, 10, packed);
  expect(kept.find('a', 1, 11)).toBeUndefined();
  expect(kept.find('a', 1, 10)).toBe(packed);
  kept.keep('a', 1, 11, packed); // in the place of the former
  expect(kept.bytes).toBe(800);
  kept.keep('a', 2, 5, packed);
  expect([kept.find('b', 1, 10), kept.find('a', 1, 11), kept.find('a', 2, 5)]).toEqual([undefined, packed, packed]);
  expect(kept.bytes).toBe(800);
});
