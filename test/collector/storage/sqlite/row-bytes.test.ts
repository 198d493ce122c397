/** What long rows of tallies take on the disk: SQLite must not give each of them a page of its own. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { openSqliteStore } from '#collector/storage/sqlite/sqlite.ts';
import { DAY, entry, SCHEMA } from '../entries.ts';

const CELLS = 1_024;
/** Rows of a batch, and batches. */
const [ROWS, BATCHES] = [60, 5];
/** Reports of a row: enough for counts of a byte. */
const REPORTS = 16;

test('rows of 1,024 bytes of counts take less than one and a half times as much on the disk, with their keys', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'murmuration-rows-'));
  const shape = { cohorts: ROWS * BATCHES, cells: CELLS, form: 'bits' } as const;
  const store = await openSqliteStore(folder, new Map([[SCHEMA, [{ name: 'word', shape }]]]));
  const bits = Array<number>(CELLS / 32).fill(-1);
  for (let batch = 0; batch < BATCHES; batch++) {
    const cohorts = Array.from({ length: ROWS * REPORTS }, (_, i) => batch * ROWS + (i % ROWS));
    const reports = Int32Array.from(cohorts.flatMap((cohort) => [0, cohort, ...bits]));
    expect(await store.append({ ...entry(batch), day: DAY, reports, count: cohorts.length })).toBe('counted');
  }
  await store.close();
  const database = new DatabaseSync(join(folder, 'murmuration.sqlite'));
  const counts = database.prepare('SELECT count(*) AS rows, sum(length(cells)) AS bytes FROM tally').get();
  expect([counts?.['rows'], Number(counts?.['bytes']) / (ROWS * BATCHES)]).toEqual([ROWS * BATCHES, CELLS + 3]); // and a head of 3
  const pages = "SELECT sum(pgsize) AS bytes FROM dbstat WHERE name IN (SELECT name FROM sqlite_schema WHERE tbl_name = 'tally')";
  expect(Number(database.prepare(pages).get()?.['bytes'])).toBeLessThan(1.5 * Number(counts?.['bytes']));
  database.close();
  rmSync(folder, { recursive: true });
});
