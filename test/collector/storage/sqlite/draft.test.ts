/** What a backup that was killed leaves is removed by the next one; what a process works on, or anybody else's, is not. */

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lock } from '#collector/storage/files/durable.ts';
import { backupSqliteStore } from '#collector/storage/sqlite/backup.ts';
import { lockNew, removeAbandoned } from '#collector/storage/sqlite/seal.ts';
import { openSqliteStore } from '#collector/storage/sqlite/sqlite.ts';
import { runProcess } from '../../../setup/command.ts';
import { entry, shapes } from '../entries.ts';

let folder: string;
let data: string;
let out: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-draft-'));
  [data, out] = [join(folder, 'data'), join(folder, 'backups')];
  mkdirSync(out);
  const store = await openSqliteStore(data, shapes);
  await store.append(entry('a'));
  await store.close();
});
afterEach(() => rmSync(folder, { recursive: true }));

const backUp = (name: string): number | null => runProcess('backup', '--data', data, '--out', join(out, name)).status;

/** Runs a backup in a process that is killed when the copy is whole except for `admin.sqlite`, or while it is carried. */
function killed(name: string): void {
  const program = `
    import { writeFileSync } from 'node:fs';
    import { backupSqliteStore } from ${JSON.stringify(new URL('../../../../collector/src/storage/sqlite/backup.ts', import.meta.url).href)};
    await backupSqliteStore(${JSON.stringify(data)}, ${JSON.stringify(join(out, name))}, (draft) => {
      for (const rest of ['-wal', '.admin', '.admin-journal']) writeFileSync(draft + rest, 'half');
      process.kill(process.pid, 'SIGKILL');
    });`;
  const { signal } = spawnSync(process.execPath, ['--input-type=module', '--eval', program]);
  expect(signal).toBe('SIGKILL');
}

test('the next backup removes what killed ones left, whatever their names, and leaves nothing itself', () => {
  killed('first');
  killed('second');
  const [left = '', ...others] = readdirSync(out);
  expect([left, others]).toEqual([expect.stringMatching(/^second\.unfinished-\w{6}$/), []]);
  const files = ['murmuration.lock', 'copy.sqlite', 'copy.sqlite-wal', 'copy.sqlite.admin', 'copy.sqlite.admin-journal'];
  expect(readdirSync(join(out, left))).toEqual(expect.arrayContaining(files));
  cpSync(join(out, left), join(out, 'first.unfinished-aaaaaa'), { recursive: true });
  expect(backUp('third')).toBe(0);
  expect(readdirSync(out)).toEqual(['third']);
  expect(backUp('second')).toBe(0);
  expect(readdirSync(out).sort()).toEqual(['second', 'third']);
});

test('a backup that fails leaves nothing', async () => {
  const failing = backupSqliteStore(data, join(out, 'copy'), () => {
    throw new Error('no keys today');
  });
  await expect(failing).rejects.toThrow('no keys today');
  expect(readdirSync(out)).toEqual([]);
});

test('a backup that another process is at work on is left alone, and gets its name', async () => {
  killed('dead');
  await backupSqliteStore(data, join(out, 'slow'), (draft) => {
    expect(backUp('quick')).toBe(0); // begins and ends while this one is at work
    expect(existsSync(draft)).toBe(true);
  });
  expect(readdirSync(out).sort()).toEqual(['quick', 'slow']);
  for (const name of ['quick', 'slow']) expect(runProcess('backup', '--verify', join(out, name)).status).toBe(0);
});

test('backups of one process into one folder do not disturb each other', async () => {
  const names = ['a', 'b', 'c', 'd'];
  await Promise.all(names.map((name) => backupSqliteStore(data, join(out, name), () => {})));
  expect(readdirSync(out).sort()).toEqual(names);
});

test('a folder that another backup removes before it is locked is not used', () => {
  const folders = ['a', 'b', 'c'].map((name) => join(out, `copy.unfinished-${name.repeat(6)}`));
  const sweep = (): void => removeAbandoned(join(out, 'other'));
  const [late, early, neither] = folders as [string, string, string];
  for (const each of folders) mkdirSync(each);
  const removedAfterwards = (folder: string): (() => void) => {
    lock(folder)();
    sweep(); // the folder is gone when the lock would be taken
    return lock(folder);
  };
  expect(lockNew(early, removedAfterwards)).toBeUndefined();
  expect(existsSync(early)).toBe(false);
  const removedWhileWaiting = (folder: string): (() => void) => {
    const unlock = lock(folder);
    rmSync(folder, { recursive: true }); // as by a backup that had the lock first
    return unlock;
  };
  expect(lockNew(late, removedWhileWaiting)).toBeUndefined();
  const unlock = lockNew(neither);
  sweep();
  expect([unlock, existsSync(neither)]).toEqual([expect.any(Function), true]);
  unlock?.();
  sweep();
  expect(existsSync(neither)).toBe(false);
});

test('nothing is removed that is not known to be a draft, or is locked', () => {
  const dear = (...path: readonly string[]): void => {
    mkdirSync(join(out, ...path.slice(0, -1)), { recursive: true });
    writeFileSync(join(out, ...path), 'something dear');
  };
  dear('copy.unfinished');
  dear('copy.unfinished-aaaaaa');
  dear('copy.unfinished-bbbbbb', 'copy.sqlite'); // no lock
  dear('copy.unfinished-cccccc', 'murmuration.lock');
  dear('copy.unfinished-cccccc', 'notes.txt');
  dear('copy.unfinished-dddddd', 'murmuration.lock');
  dear('copy.unfinished-jjjjjj', 'murmuration.lock-journal'); // no lock beside it
  mkdirSync(join(out, 'copy.unfinished-dddddd', 'copy.sqlite'));
  dear('copy.unfinished-eeeeee-more', 'murmuration.lock');
  dear('.unfinished-ffffff', 'murmuration.lock');
  dear('other', 'murmuration.lock');
  dear('copy.unfinished-gggggg', 'murmuration.lock'); // no SQLite file, so nobody's lock
  mkdirSync(join(folder, 'elsewhere'));
  writeFileSync(join(folder, 'elsewhere', 'murmuration.lock'), '');
  symlinkSync(join(folder, 'elsewhere'), join(out, 'copy.unfinished-hhhhhh'));
  mkdirSync(join(out, 'copy.unfinished-iiiiii'));
  const unlock = lock(join(out, 'copy.unfinished-iiiiii'));
  const tree = (): readonly string[] => (readdirSync(folder, { recursive: true }) as string[]).sort();
  const before = tree();
  expect(backUp('copy')).toBe(0);
  expect(tree()).toEqual([...before, join('backups', 'copy')].sort());
  unlock();
  expect(backUp('copy-2')).toBe(0);
  expect(readdirSync(out)).not.toContain('copy.unfinished-iiiiii');
});
