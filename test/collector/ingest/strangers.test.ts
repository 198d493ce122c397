/** What strangers can make the store hold: batches that are valid, and meant to open as many rows as they can. */

import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSqliteStore } from '#collector/storage/sqlite/sqlite.ts';

const [BATCHES, REPORTS, COHORTS, SEGMENTS] = [40, 1_000, 4_096, 64];
const SCHEMA = 'notes/1/0123456789abcdef';

/** A batch of a text metric, each report with random bits in a cohort of its own. */
function batch(number: number): Parameters<Awaited<ReturnType<typeof openSqliteStore>>['append']>[0] {
  const reports = new Int32Array(6 * REPORTS);
  const bits = new Int32Array(new Uint8Array(randomBytes(16 * REPORTS)).buffer);
  for (let i = 0; i < REPORTS; i++) reports.set([0, (number * REPORTS + i) % COHORTS, ...bits.subarray(4 * i, 4 * i + 4)], 6 * i);
  const [id, hash] = [16, 32].map((bytes) => randomBytes(bytes).toString('hex')) as [string, string];
  return { schema: SCHEMA, day: 20_000, id, hash, segment: `{"part":"${number % SEGMENTS}"}`, reports, count: REPORTS };
}

test('40,000 reports that each open a row of 128 cells take less than 100 bytes each on the disk', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'murmuration-strangers-'));
  const store = await openSqliteStore(
    folder,
    new Map([[SCHEMA, [{ name: 'word', shape: { cohorts: COHORTS, cells: 128, form: 'bits' } }]]]),
  );
  for (let number = 0; number < BATCHES; number++) expect(await store.append(batch(number))).toBe('counted');
  expect((await store.totals())[0]?.reports).toBe(BATCHES * REPORTS);
  await store.close();
  const bytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
  expect(bytes / (BATCHES * REPORTS)).toBeLessThan(100);
  rmSync(folder, { recursive: true });
});
