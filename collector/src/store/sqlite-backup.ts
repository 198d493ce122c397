/** Backup and restore of the embedded store, also while a collector writes. A copy is a single file, and is checked before it is used. */

import { copyFileSync, existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { makeFolder, sync } from './durable.ts';
import { lock } from './lock.ts';
import { versionOf } from './migrate.ts';
import { DATABASE, STEPS } from './sqlite-schema.ts';

/** The content of a copy. */
export interface Copy {
  readonly version: number;
  readonly bytes: number;
}

/** SQLite pages (4 KiB) that are copied before this process does other work. */
const PAGES_AT_ONCE = 1_000;

/** The version of a store. @throws {RangeError} when a file is not an intact store of a version that this program reads */
function check(database: DatabaseSync, file: string): number {
  const version = versionOf(database, file, STEPS.length);
  if (version === 0) throw new RangeError(`${file}: expected a store, got an empty database`);
  const integrity = Object.values(database.prepare('PRAGMA integrity_check(1)').get() ?? {})[0];
  if (integrity !== 'ok')
    throw new RangeError(`${file}: expected a whole store, got a damaged one (${String(integrity).split('\n').at(-1)})`);
  return version;
}

/** Checks a finished copy and renames it to its final name, durably. */
function publish(draft: string, name: string, source: string): Copy {
  const database = new DatabaseSync(draft);
  let version: number;
  try {
    version = check(database, source);
    database.exec('PRAGMA journal_mode = DELETE'); // a single file, without a WAL beside it
  } catch (error) {
    if ((error as { readonly errcode?: number }).errcode !== 11) throw error; // SQLITE_CORRUPT
    throw new RangeError(`${source}: expected a whole store, got a damaged one`);
  } finally {
    database.close();
  }
  sync(draft);
  renameSync(draft, name);
  sync(dirname(name));
  return { version, bytes: statSync(name).size };
}

/**
 * Copies a store as of one moment. Collectors may keep writing meanwhile.
 *
 * @param folder the store's folder
 * @param out a file that does not exist yet
 * @throws {RangeError} when there is no store, or `out` exists
 */
export async function backupSqliteStore(folder: string, out: string): Promise<Copy> {
  const file = join(folder, DATABASE);
  if (!existsSync(file)) throw new RangeError(`${folder}: expected a folder with a store, got none`);
  if (existsSync(out)) throw new RangeError(`${out}: expected a path where no file exists, got an existing file`);
  const draft = `${resolve(out)}.unfinished`;
  const database = new DatabaseSync(file, { timeout: 5_000 }); // a read-only connection would leave a stray WAL behind
  try {
    // One read transaction around the copy. Without it, the copy would start over at each commit of the collector and might never finish.
    database.exec('BEGIN');
    versionOf(database, file, STEPS.length);
    await backup(database, draft, { rate: PAGES_AT_ONCE });
    return publish(draft, resolve(out), file);
  } finally {
    database.close();
    for (const rest of ['', '-journal', '-wal', '-shm']) rmSync(`${draft}${rest}`, { force: true });
  }
}

/**
 * Restores a copy into a folder without a store. The next collector migrates it to the newest version.
 *
 * @throws {RangeError} when the copy is missing, damaged, not a store or too new, when the folder has a store, or when a collector is about
 * to create one
 */
export function restoreSqliteStore(from: string, folder: string): Copy {
  if (!existsSync(from)) throw new RangeError(`${from}: expected a copy of a store, got no such file`);
  makeFolder(folder);
  const unlock = lock(folder);
  const draft = join(resolve(folder), `unfinished-${DATABASE}`);
  const clear = (): void => {
    for (const rest of ['', '-journal', '-wal', '-shm']) rmSync(`${draft}${rest}`, { force: true });
  };
  try {
    const present = readdirSync(folder).find((name) => name.startsWith(DATABASE));
    if (present !== undefined) throw new RangeError(`${folder}: expected a folder without a store, got one with ${present}`);
    clear(); // left by an interrupted restore
    copyFileSync(from, draft);
    return publish(draft, join(resolve(folder), DATABASE), from);
  } finally {
    clear();
    unlock();
  }
}
