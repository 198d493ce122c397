/** The writer of the embedded store: what is not folded has a bound, nothing of a report stays behind, and what fails is said. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { dayNumber } from '@murmuration/shared';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { StoreFull } from '#collector/base/fault.ts';
import { openSqliteStore } from '#collector/storage/sqlite/sqlite.ts';
import { reopenDays } from '#collector/storage/sqlite/upkeep.ts';
import type { Store } from '#collector/storage/store.ts';
import { encodeCells } from '#collector/storage/tallying/cell-codec.ts';
import { bodyOf, judge, openStore } from '../../../faults/cells.ts';
import { Connection, report } from '../../../faults/connection.ts';
import { serve } from '../../../faults/server.ts';
import { DAY, entry, idOf, shapes, sum, WIDE } from '../entries.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const troubles: string[] = [];
function open(odd: string): Promise<Store> {
  process.env['ODD_WRITER'] = odd;
  return openSqliteStore(folder, shapes, {
    writer: new URL('./odd-writer.ts', import.meta.url),
    onTrouble: (trouble) => troubles.push(trouble),
  });
}

function look<T>(work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(join(folder, 'murmuration.sqlite'));
  try {
    return work(database);
  } finally {
    database.close();
  }
}
const logged = (): unknown => look((database) => database.prepare('SELECT count(*) AS n FROM log').get()?.['n']);

const wide = (name: number): ReturnType<typeof entry> =>
  entry(name, { reports: [{ metric: 'wide', cells: [name % WIDE] }], segment: JSON.stringify({ part: `${name}` }) });

test('sums that take much memory are folded before more are taken, timer or not, and at a start', async () => {
  const store = await open('pace=never');
  for (let name = 0; name < 600; name += 20) await Promise.all(Array.from({ length: 20 }, (_, i) => store.append(wide(name + i))));
  expect(logged()).toBeLessThan(25); // of 30 groups with 162 kB for each batch, and 64 MiB at most
  expect(await sum(store, { metric: 'wide' })).toMatchObject({ reports: 600 });
  await store.close();
});

test('a batch that is committed and can not be added up ends the writer, and is counted once at the next start', async () => {
  const store = await open('reports=5');
  for (let name = 0; name < 5; name++) expect(await store.append(entry(name))).toBe('counted');
  await expect(store.append(entry(5))).rejects.toThrow('could not be added up');
  expect((await store.failed).message).toMatch('could not be added up');
  await expect(store.append(entry(6))).rejects.toThrow('could not be added up');
  await expect(store.close()).rejects.toThrow('could not be added up');
  const again = await openSqliteStore(folder, shapes);
  expect((await sum(again)).reports).toBe(6);
  expect(await again.append(entry(5))).toBe('duplicate');
  await again.close();
});

test('a collector whose store can do no more says so and ends, for whoever starts it to start it again', async () => {
  const data = join(folder, 'data');
  const odd = fileURLToPath(new URL('./odd-writer.ts', import.meta.url));
  const server = await serve(data, { node: ['--import', odd], env: { ODD_WRITER: 'reports=3' } }); // a batch has two
  const today = dayNumber(Date.now());
  const connection = new Connection(server.port);
  expect((await connection.send(report(bodyOf(0, today)))).status).toBe(204);
  await connection.send(report(bodyOf(1, today))).catch(() => undefined);
  expect(await server.exited).toBe(1);
  expect(server.logs()).toContain('the store failed: what was acknowledged is on the disk');
  const store = await openStore(data);
  expect(await judge(store, Uint8Array.of(1, 0), today)).toEqual({ acknowledged: 1, lost: 0, double: 0, partial: 0, unheard: 1 });
  await store.close();
});

test('seconds after it was folded nothing of a report is on the disk, and of its id a hash', async () => {
  const store = await open('pace=fast');
  const cells = Array.from({ length: 8 }, (_, cell) => cell);
  for (let name = 0; name < 50; name++)
    await store.append(entry(name, { reports: [{ metric: 'plan', cohort: 5, cells }], segment: '{"platform":"web"}' }));
  const packed = Buffer.from(Int32Array.of(0, 5, 255).buffer); // number of the metric, cohort, bits
  const files = (): readonly Buffer[] => readdirSync(folder).map((name) => readFileSync(join(folder, name)));
  const wal = join(folder, 'murmuration.sqlite-wal');
  expect(files().some((file) => file.includes(packed))).toBe(true);
  await expect.poll(() => statSync(wal).size).toBe(0);
  for (const file of files()) {
    expect(file.includes(packed)).toBe(false);
    for (let name = 0; name < 50; name++) expect(file.includes(Buffer.from(idOf(name), 'hex'))).toBe(false);
  }
  await store.close();
});

test('a fold that fails is told of, names the row, and takes nothing from what is committed', async () => {
  const store = await open('pace=fast');
  await store.append(entry('first'));
  await sum(store);
  look((database) => database.exec("UPDATE tally SET cells = x'00'"));
  expect(await store.append(entry('second'))).toBe('counted');
  await expect
    .poll(() => troubles.at(-1))
    .toBe(`tally notes/1/0123456789abcdef plan ${DAY} {} 0: expected a number that ends, got 0 bytes`);
  look((database) => database.prepare('UPDATE tally SET cells = ?').run(encodeCells(new Float64Array(8))));
  expect(await sum(store)).toMatchObject({ reports: 2 });
  await store.close();
});

test('days pass at once, and their ids go afterwards, a slice at a time: a commit never waits for all of them', async () => {
  const before = await openSqliteStore(folder, shapes);
  await Promise.all(Array.from({ length: 3_000 }, (_, name) => before.append(entry(name, { day: DAY - 1 }))));
  await before.append(entry('kept'));
  await before.close();
  const kept = (): number => look((database) => Number(database.prepare('SELECT count(*) AS n FROM ids WHERE day < ?').get(DAY)?.['n']));
  const rows = kept();
  expect(rows).toBeGreaterThan(1);
  const still = await open('pace=never'); // no slice is ever begun
  await still.expire(DAY);
  expect(kept()).toBe(rows);
  expect(await Promise.all([entry(0, { day: DAY - 1 }), entry(1), entry('kept')].map(still.append))).toEqual([
    'expired',
    'counted',
    'duplicate',
  ]);
  await still.close();
  const store = await open('pace=fast'); // goes on where the other was stopped
  await expect.poll(kept).toBe(0);
  expect(await Promise.all([entry(2), entry('kept')].map(store.append))).toEqual(['counted', 'duplicate']);
  await store.close();
});

test('days that are opened again have the ids that are left of them, and count them', async () => {
  const store = await open('pace=fast');
  const [early, next] = [entry('early'), entry('next', { day: DAY + 1 })];
  expect(await Promise.all([early, next].map(store.append))).toEqual(['counted', 'counted']); // in one row, which stays for the later day
  const counts = (): unknown => look((database) => database.prepare('SELECT day, ids FROM day_ids').all());
  await store.expire(DAY + 1);
  await expect.poll(counts).toEqual([{ day: DAY + 1, ids: 1 }]);
  expect(await store.append(early)).toBe('expired');
  await store.close();
  reopenDays(folder, DAY);
  expect(counts()).toEqual([
    { day: DAY, ids: 1 },
    { day: DAY + 1, ids: 1 },
  ]);
  const again = await open('pace=fast');
  expect(await Promise.all([early, next, entry('late')].map(again.append))).toEqual(['duplicate', 'duplicate', 'counted']);
  await again.close();
});

test('a store on a disk that is full opens to be read, and takes batches again when there is room, without another start', async () => {
  const full = join(folder, 'full');
  const before = await openSqliteStore(folder, shapes);
  await before.append(entry('before'));
  await before.close();
  const crashing = await open('pace=never');
  expect(await crashing.append(entry('logged'))).toBe('counted');
  const crashed = join(folder, 'crashed');
  const copied = spawnSync('sh', ['-c', `mkdir ${crashed} && cp ${folder}/murmuration* ${crashed}`]); // as a kill would leave it, with a log to fold
  expect(copied.status).toBe(0);
  await crashing.close();
  writeFileSync(full, '');
  process.env['ODD_WRITER'] = new URLSearchParams({ pace: 'fast', full }).toString();
  const store = await openSqliteStore(crashed, shapes, {
    writer: new URL('./odd-writer.ts', import.meta.url),
    onTrouble: (trouble) => troubles.push(trouble),
  });
  expect((await sum(store)).reports).toBe(1);
  expect(await store.totals()).toMatchObject([{ reports: 1 }]);
  await expect(store.append(entry('a'))).rejects.toThrow(StoreFull);
  await expect(store.expire(DAY)).rejects.toThrow(StoreFull);
  expect(troubles.filter((trouble) => trouble.startsWith('the disk is full'))).toHaveLength(1);
  rmSync(full);
  await expect.poll(() => store.append(entry('a')).catch(() => 'full')).toBe('counted');
  expect((await sum(store)).reports).toBe(3);
  expect(await store.append(entry('logged'))).toBe('duplicate');
  await store.close();
  writeFileSync(full, '');
  const stopped = await openSqliteStore(crashed, shapes, { writer: new URL('./odd-writer.ts', import.meta.url) });
  await stopped.close();
});
