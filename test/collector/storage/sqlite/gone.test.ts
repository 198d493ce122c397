/** A folder whose store is gone, or that nobody can write: both are said in one sentence, and no empty store takes its place unasked. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCollector, sqlite } from '@murmuration/collector';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWriteKey } from '#collector/storage/admin/credentials.ts';
import { listActions } from '#collector/storage/admin/database.ts';
import { schema } from '../../../kit/senders.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'murmuration-gone-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const start = async (storage = sqlite(folder)): Promise<void> =>
  (await createCollector({ schemas: [schema.document], storage, leastFree: 0 })).close();

/** Removes the store, as a wrong mount or a careless hand does. */
const lose = (): void => {
  for (const name of readdirSync(folder).filter((each) => each.startsWith('murmuration.'))) rmSync(join(folder, name));
};

test('a store that is gone is missed; keys that are made before the first start are no record of one', async () => {
  await sqlite(folder).admin.change((database) => createWriteKey(database, 'test', 'abuse'));
  await start();
  await start();
  const created = await sqlite(folder).admin.read(1, (database) => listActions(database, 10).filter(({ what }) => /store/.test(what)));
  expect(created).toHaveLength(1);
  lose();
  await expect(start()).rejects.toThrow(
    /expected murmuration.sqlite, since a store was created here on \d{4}-\d\d-\d\d, got none; restore/,
  );
  expect(readdirSync(folder).filter((each) => each.startsWith('murmuration.'))).toEqual([]);
  await start(sqlite(folder, { isNew: true }));
  await start();
});

const canMount = (): boolean => {
  if (process.platform !== 'linux' || process.geteuid?.() !== 0) return false;
  const place = mkdtempSync(join(tmpdir(), 'murmuration-mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', place], { stdio: 'ignore' });
    execFileSync('umount', [place]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(place, { recursive: true });
  }
};

test.runIf(canMount())('a read-only mount says that it is one, to whatever opens it', async () => {
  execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', folder]);
  try {
    await start();
    execFileSync('mount', ['-o', 'remount,ro', folder]);
    const words = `${folder}: expected a folder that can be written, since readers of SQLite do, too, got a read-only mount`;
    const { admin, findTallies, openExistingLedger } = sqlite(folder);
    await expect(start()).rejects.toThrow(words);
    await expect(admin.read(1, (database) => listActions(database, 1))).rejects.toThrow(words);
    await expect(admin.change(() => 0)).rejects.toThrow(words);
    await expect(findTallies()).rejects.toThrow(words);
    await expect(openExistingLedger()).rejects.toThrow(words);
  } finally {
    execFileSync('umount', [folder]);
  }
});
