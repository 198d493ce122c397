/** Backup and restore: a copy taken under load is one moment of the store; a restore never overwrites and never trusts. */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lock } from '#collector/storage/files/durable.ts';
import { seal, unseal } from '#collector/storage/sqlite/seal.ts';
import { openSqliteStore } from '#collector/storage/sqlite/sqlite.ts';
import type { Store } from '#collector/storage/store.ts';
import { bin, runCommand as run } from '../../../setup/command.ts';
import { DAY, entry, SCHEMA, shapes, sum } from '../entries.ts';

const LOCK = 'murmuration.lock';
let folder: string;
let data: string;
let copy: string;
let restored: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-'));
  [data, copy, restored] = [join(folder, 'data'), join(folder, 'copy.sqlite'), join(folder, 'restored')];
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A command in a process of its own, beside this one, which goes on working. */
async function runBeside(...args: string[]): Promise<number | null> {
  const child = spawn(process.execPath, [bin, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [status] = (await once(child, 'exit')) as [number | null];
  return status;
}

const open = (location: string): Promise<Store> => openSqliteStore(location, shapes);

/** Changes a copy before it got its checksum, as a faulty program would. */
function changeCopy(file: string, sql: string): void {
  unseal(file);
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
  seal(file);
}

/** A store with one batch, closed. */
async function small(): Promise<void> {
  const store = await open(data);
  await store.append(entry('a'));
  await store.close();
}

/** Batches that are written beside copies. */
const BATCHES = 4_000;

test('a copy taken while a collector writes holds each batch with exactly its counts, or not at all', async () => {
  const store = await open(data);
  const of = (cell: number): Parameters<Store['append']>[0] =>
    entry(cell, {
      reports: ['wide', 'wider'].map((metric) => ({ metric, cells: [cell] })), // a cell of its own, in two metrics
      day: DAY + (cell % 4),
    });
  let [next, quota] = [0, 0];
  const acknowledged: number[] = [];
  // A quarter for each copy and one for afterwards, at a pace that lasts as long as a copy takes.
  const writers = Array.from({ length: 8 }, async () => {
    for (; next < BATCHES; await sleep(5)) {
      if (next >= quota) continue;
      const cell = next++;
      if ((await store.append(of(cell))) === 'counted') acknowledged.push(cell);
    }
  });
  const copies = [];
  for (const name of ['first', 'second', 'third']) {
    quota += BATCHES / 4;
    const before = acknowledged.length;
    const out = join(folder, `${name}.sqlite`);
    expect(await runBeside('backup', '--data', data, '--out', out)).toBe(0);
    copies.push({ out, sure: acknowledged.slice(0, before) });
  }
  quota = BATCHES;
  await Promise.all(writers);
  expect(acknowledged.length).toBeGreaterThan(copies[2]?.sure.length ?? 0);
  await store.close();

  for (const { out, sure } of copies) {
    const location = `${out}.data`;
    expect(run('restore', '--from', out, '--data', location).status).toBe(0);
    const again = await open(location);
    const counts = async (metric: string): Promise<number[]> => [
      ...((await again.read({ schemas: [SCHEMA], metric })).tallies.get(0)?.cells ?? []),
    ];
    const wide = await counts('wide');
    expect(await counts('wider')).toEqual(wide);
    expect(wide.filter((count) => count > 1)).toEqual([]);
    expect(sure.filter((cell) => wide[cell] !== 1)).toEqual([]);
    const results = await Promise.all(acknowledged.map((cell) => again.append(of(cell))));
    expect(results.every((result, i) => result === (wide[acknowledged[i] as number] === 1 ? 'duplicate' : 'counted'))).toBe(true);
    const whole = await counts('wide');
    expect(acknowledged.every((cell) => whole[cell] === 1)).toBe(true);
    await again.close();
  }
});

test('a copy is one file that holds all of a store whose collector was killed', async () => {
  await small();
  const holder = new DatabaseSync(join(data, 'murmuration.sqlite')); // the log stays beside the database, as after a crash
  holder.prepare('SELECT * FROM tally').all();
  const store = await open(data);
  await store.append(entry('b'));
  await store.close();
  const crashed = join(folder, 'crashed');
  expect(spawnSync('cp', ['-r', data, crashed]).status).toBe(0);
  holder.close();
  expect(readdirSync(crashed)).toContain('murmuration.sqlite-wal');
  rmSync(join(crashed, 'murmuration.sqlite-shm'), { force: true });
  expect(run('backup', '--data', crashed, '--out', copy)).toMatchObject({
    status: 0,
    stdout: expect.stringContaining('a store of version '),
  });
  expect(readdirSync(folder).filter((name) => name.startsWith('copy'))).toEqual(['copy.sqlite']);
  expect(run('restore', '--from', copy, '--data', restored).status).toBe(0);
  expect(readdirSync(restored)).toEqual([LOCK, 'murmuration.sqlite']);
  const again = await open(restored);
  expect((await sum(again)).reports).toBe(2);
  await again.close();
});

test('a copy of a store whose log is not folded holds its sums and none of its reports, in a file for its owner only', async () => {
  process.env['ODD_WRITER'] = 'pace=never'; // the log is never folded on its own
  const store = await openSqliteStore(data, shapes, { writer: new URL('./odd-writer.ts', import.meta.url) });
  const reports = [{ metric: 'plan', cohort: 5, cells: [0, 1, 2, 3, 4, 5, 6, 7] }];
  for (let name = 0; name < 80; name++) await store.append(entry(name, { reports }));
  const packed = Buffer.from(Int32Array.of(0, 5, 255).buffer); // number of the metric, cohort, bits
  const seen = join(folder, 'seen'); // read in this process, the files of the store would lose its locks
  expect(spawnSync('cp', ['-r', data, seen]).status).toBe(0);
  expect(readdirSync(seen).some((name) => readFileSync(join(seen, name)).includes(packed))).toBe(true);
  expect(await runBeside('backup', '--data', data, '--out', copy)).toBe(0);
  expect(readFileSync(copy).includes(packed)).toBe(false);
  expect(readdirSync(folder)).toEqual(['copy.sqlite', 'data', 'seen']);
  const { status, stdout } = run('backup', '--verify', copy);
  expect([status, stdout]).toEqual([
    0,
    expect.stringMatching(
      /copy\.sqlite: whole, a store of version \d+, \d+ bytes, 1 metrics, 80 reports, no keys and no published schemas\n$/,
    ),
  ]);
  expect((await store.read({ schemas: [SCHEMA], metric: 'plan' })).reports).toBe(80);
  await store.close();
  expect(run('restore', '--from', copy, '--data', restored).status).toBe(0);
  const again = await open(restored);
  expect(await Promise.all([entry(3, { reports }), entry('new')].map(again.append))).toEqual(['duplicate', 'counted']);
  expect((await sum(again)).reports).toBe(81);
  const modes = (path: string): string => (statSync(path).mode & 0o777).toString(8);
  for (const place of [data, restored]) {
    expect(modes(place)).toBe('700');
    for (const name of readdirSync(place)) expect([name, modes(join(place, name))]).toEqual([name, '600']);
  }
  expect(modes(copy)).toBe('600');
  await again.close();
});

test('a store whose files others may read is theirs no more after a start', async () => {
  await small();
  const file = join(data, 'murmuration.sqlite');
  chmodSync(file, 0o644);
  await small();
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

describe('is refused in one sentence, and changes nothing:', () => {
  const refuses = (args: string[], message: string | RegExp): void => {
    const tree = (): string[] => (readdirSync(folder, { recursive: true }) as string[]).sort();
    const before = tree();
    const { status, stdout, stderr } = run(...args);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(tree()).toEqual(before);
  };

  test('a backup of a folder without a store, or over a file', async () => {
    refuses(['backup', '--data', join(folder, 'nothing'), '--out', copy], 'expected a folder with a store, got none');
    await small();
    writeFileSync(copy, 'something dear');
    refuses(['backup', '--data', data, '--out', copy], 'expected a path where no file exists');
    expect(readFileSync(copy, 'utf8')).toBe('something dear');
  });

  test('a backup that there is no room for, or into no folder', async () => {
    await small();
    const wal = join(data, 'murmuration.sqlite-wal');
    writeFileSync(wal, '');
    truncateSync(wal, 8e12); // takes no room
    refuses(['backup', '--data', data, '--out', copy], /expected 16\d{12} free bytes on the disk, got \d+/);
    rmSync(wal);
    refuses(['backup', '--data', data, '--out', join(folder, 'nowhere', 'copy')], 'expected a file in a folder that exists, got none such');
    refuses(['backup', '--data', data], 'expected --out or --verify, got neither');
    refuses(['backup', '--verify', copy, '--out', copy], 'expected --out or --verify, got both');
  });

  test('the check of no copy, of a damaged one, and of one whose tallies are not what their totals say', async () => {
    await small();
    expect(run('backup', '--data', data, '--out', copy).status).toBe(0);
    const verify = ['backup', '--verify', copy];
    refuses(['backup', '--verify', join(folder, 'nothing')], 'expected a copy of a store, got no such file');
    const change = (sql: string): void => changeCopy(copy, sql);
    change('UPDATE tally SET reports = 2');
    refuses(verify, `expected 1 reports of ${SCHEMA} plan, got 2`);
    change("UPDATE tally SET reports = 1, cells = x'0308ff'");
    refuses(verify, 'bits a cell, got 3 with 3');
    change("DELETE FROM metric; INSERT INTO log (partitions, words) VALUES ('[]', x'00')");
    refuses(verify, 'expected a copy without reports in its log');
    unseal(copy);
    refuses(verify, 'expected a copy that ends with its checksum');
    truncateSync(copy, 8_192);
    refuses(verify, 'got a damaged one');
  });

  test('a restore over a store, or over what is left of one', async () => {
    await small();
    expect(run('backup', '--data', data, '--out', copy).status).toBe(0);
    refuses(['restore', '--from', copy, '--data', data], 'expected a folder without a store, got one with murmuration.sqlite');
    rmSync(join(data, 'murmuration.sqlite'));
    writeFileSync(join(data, 'murmuration.sqlite-wal'), '');
    refuses(['restore', '--from', copy, '--data', data], 'got one with murmuration.sqlite-wal');
  });

  test('a restore into a folder that a collector is about to use, or another restore', async () => {
    await small();
    expect(run('backup', '--data', data, '--out', copy).status).toBe(0);
    mkdirSync(restored);
    const unlock = lock(restored);
    refuses(['restore', '--from', copy, '--data', restored], 'expected a store that no other process writes, got one that is in use');
    unlock();
    writeFileSync(join(restored, 'unfinished-murmuration.sqlite-wal'), 'what a restore left that was cut off');
    expect(run('restore', '--from', copy, '--data', restored).status).toBe(0);
    expect(readdirSync(restored)).toEqual([LOCK, 'murmuration.sqlite']);
  });

  test('a restore of no copy: missing, of another kind, cut short, changed, or of a later version', async () => {
    const store = await open(data);
    for (let day = 0; day < 200; day++) await store.append(entry(day, { day: DAY + day }));
    await store.close();
    expect(run('backup', '--data', data, '--out', copy).status).toBe(0);
    const damaged = join(folder, 'damaged.sqlite');
    const restore = ['restore', '--from', damaged, '--data', restored];
    refuses(restore, 'got no such file');
    refuses(['restore', '--from', folder, '--data', restored], 'expected a file that backup wrote, got something that is no file');
    writeFileSync(damaged, 'no database at all '.repeat(300));
    refuses(restore, 'no SQLite database');
    writeFileSync(damaged, '');
    refuses(restore, 'an empty database');
    copyFileSync(copy, damaged);
    truncateSync(damaged, Math.floor(readFileSync(copy).length / 4096 / 2) * 4096);
    refuses(restore, 'got a damaged one');
    copyFileSync(copy, damaged);
    unseal(damaged);
    refuses(restore, 'expected a copy that ends with its checksum');
    const bytes = readFileSync(damaged);
    for (let page = 4096; page < bytes.length; page += 4096) bytes.fill(0x5a, page + 8, page + 200);
    writeFileSync(damaged, bytes);
    refuses(restore, 'got a damaged one');
    copyFileSync(copy, damaged);
    changeCopy(damaged, 'PRAGMA user_version = 99');
    refuses(restore, 'got version 99, which a newer murmuration wrote');
  });
});
