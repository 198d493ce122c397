/** Files of another user, as a restore by root leaves them: the error says whose they are, and what to do. */

import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openAdminDatabase, readAdmin } from '#collector/storage/admin/database.ts';
import { backupSqliteStore } from '#collector/storage/sqlite/backup.ts';
import { isCurrent } from '#collector/storage/sqlite/schema.ts';
import { openSqliteStore } from '#collector/storage/sqlite/sqlite.ts';
import { closedBefore } from '#collector/storage/sqlite/upkeep.ts';
import { shapes } from '../entries.ts';

let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-owner-'));
  openAdminDatabase(folder).close();
  await (await openSqliteStore(folder, shapes)).close();
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

test('whatever opens them says so, and changes nothing', async () => {
  const mine = process.geteuid?.() ?? 0;
  const own = mine + 1;
  vi.spyOn(process as Required<typeof process>, 'geteuid').mockReturnValue(own);
  const errorOf = (name: string): string =>
    `${join(folder, name)}: expected a file of this user (uid ${own}), got one of uid ${mine}; chown it`;
  const before = readdirSync(folder);
  const file = join(folder, 'murmuration.sqlite');
  expect(() => openAdminDatabase(folder)).toThrow(errorOf('admin.sqlite'));
  expect(() => readAdmin(folder, 1, () => [])).toThrow(errorOf('admin.sqlite'));
  expect(() => isCurrent(file)).toThrow(errorOf('murmuration.sqlite'));
  expect(() => closedBefore(folder)).toThrow(errorOf('murmuration.sqlite'));
  await expect(backupSqliteStore(folder, join(folder, 'copy'), () => {})).rejects.toThrow(errorOf('murmuration.sqlite'));
  await expect(openSqliteStore(folder, shapes)).rejects.toThrow(errorOf('murmuration.lock'));
  expect(readdirSync(folder)).toEqual(before);
});
