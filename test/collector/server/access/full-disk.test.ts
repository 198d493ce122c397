/** A disk without room: what was decided before still holds, nothing is written, and the file is opened once there is room. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { StoreFull } from '#collector/base/fault.ts';
import { Administration } from '#collector/storage/admin/administration.ts';
import { createToken, createWriteKey } from '#collector/storage/admin/credentials.ts';
import { openAdminDatabase, openOnFullDisk, readAdmin } from '#collector/storage/admin/database.ts';

const folderOf = (): string => mkdtempSync(join(tmpdir(), 'murmuration-full-'));

test('what commands have written since is read without the memory that connections share', () => {
  const [folder, crashed] = [folderOf(), folderOf()];
  const database = openAdminDatabase(folder);
  createToken(database, 'test', 'ann', 'viewer', []);
  expect(spawnSync('sh', ['-c', `cp ${folder}/admin.sqlite ${folder}/admin.sqlite-wal ${crashed}`]).status).toBe(0); // as a kill leaves it
  const read = openOnFullDisk(crashed);
  expect(read?.prepare('SELECT name FROM credential').all()).toEqual([{ name: 'ann' }]);
  expect(existsSync(join(crashed, 'admin.sqlite-shm'))).toBe(false);
  for (const each of [read, database]) each?.close();
  expect(openOnFullDisk(folderOf())).toBeUndefined();
  for (const each of [folder, crashed]) rmSync(each, { recursive: true });
});

test('a collector that starts on a full disk knows its keys, and follows commands again once there is room', () => {
  const folder = folderOf();
  const database = openAdminDatabase(folder);
  const { secret } = createWriteKey(database, 'test', 'notes');
  database.close();
  let isFull = true;
  const admin = new Administration(
    folder,
    () => {},
    () => {
      if (isFull) throw Object.assign(new Error('database or disk is full'), { errcode: 13 });
      return openAdminDatabase(folder);
    },
  );
  expect(admin.writeKey(secret)).toMatchObject({ app: 'notes' });
  expect(() => admin.credentials()).toThrow(StoreFull);
  admin.look();
  expect(() => admin.actions(1, undefined, [])).toThrow(StoreFull);
  isFull = false;
  admin.look();
  expect(admin.credentials()).toHaveLength(1);
  admin.close();
  rmSync(folder, { recursive: true });
});

test('a list is read where there is no room for the memory that connections share, as by serve when it starts', () => {
  const folder = folderOf();
  const database = openAdminDatabase(folder);
  createWriteKey(database, 'test', 'notes');
  database.close();
  let asked = 0;
  const names = readAdmin(folder, 1, (read) => {
    if (++asked === 1) throw Object.assign(new Error('disk I/O error'), { errcode: 4_874 });
    return read.prepare('SELECT name FROM credential').all();
  });
  expect([asked, names]).toEqual([2, [{ name: 'notes' }]]);
  rmSync(folder, { recursive: true });
});
