/** The embedded backend: a folder with the store, `admin.sqlite` and the ledger of releases, for one collector. */

import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Administration } from '../admin/administration.ts';
import {
  ADMIN,
  COMMAND_LINE,
  emptyAdmin,
  hasAdmin,
  isFull,
  KEYS_SINCE,
  logAction,
  openAdminDatabase,
  readAdmin,
  SECRETS_SINCE,
} from '../admin/database.ts';
import type { Backend } from '../backend.ts';
import { transaction } from '../files/database.ts';
import { freeBytes } from '../files/durable.ts';
import { checkNotMigrated } from './migration-mark.ts';
import { openSqliteLedger } from './release-ledger.ts';
import { checkCurrent, checkMigratable, DATABASE } from './schema.ts';
import { openSqliteStore } from './sqlite.ts';
import { closedBefore, reopenDays } from './upkeep.ts';

function using<T>(database: DatabaseSync, work: (database: DatabaseSync) => T): T {
  try {
    return work(database);
  } finally {
    database.close();
  }
}

/** @throws {RangeError} when a folder is on a mount that nobody can write: SQLite says only that it can't open a file then */
function checkWritable(folder: string): void {
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EROFS') return; // what else is wrong has words of its own
    throw new RangeError(`${folder}: expected a folder that can be written, since readers of SQLite do, too, got a read-only mount`);
  }
}

// Whether a folder has had a store, which the log of actions says. Otherwise an empty store would silently replace one that is gone, and count
// again what devices send a second time. Keys may be made before the first start; they are no such record.

const CREATED = 'created a store in this folder';

/** When a store was created in a folder, if the log of actions knows. */
function createdIn(folder: string): string | undefined {
  if (!hasAdmin(folder)) return undefined;
  const found = readAdmin(folder, KEYS_SINCE, (database) =>
    database.prepare('SELECT at FROM action WHERE what = ? ORDER BY n DESC LIMIT 1').all(CREATED),
  );
  return found[0] && String(found[0]['at']);
}

/** @throws {RangeError} when a folder has had a store and has none */
function checkNotGone(folder: string): void {
  const created = createdIn(folder);
  if (created === undefined || existsSync(join(folder, DATABASE))) return;
  throw new RangeError(
    `${folder}: expected ${DATABASE}, since a store was created here on ${created.slice(0, 10)}, got none; restore it from a backup, or begin an empty one with serve --new`,
  );
}

/**
 * Comes before the keys are migrated: the two files have versions of their own, and where one can't be brought forward, an older collector
 * must still be able to use both. On a full disk, the store itself says what it lacks.
 *
 * @throws {RangeError}
 */
function checkStore(folder: string): void {
  const file = join(folder, DATABASE);
  try {
    if (existsSync(file)) checkMigratable(file);
  } catch (error) {
    if (!isFull(error)) throw error;
  }
}

/** Writes into the log of actions that a folder has a store. Without room for that, a later start does it. */
function recordStore(folder: string): void {
  if (!hasAdmin(folder)) return;
  try {
    using(openAdminDatabase(folder), (database) => transaction(database, () => logAction(database, COMMAND_LINE, CREATED)));
  } catch (error) {
    if (!isFull(error)) throw error;
  }
}

function checkUsed(folder: string): void {
  checkWritable(folder);
  if (!hasAdmin(folder))
    throw new RangeError(
      `--data ${folder}: expected a folder that serve, keys create or schemas publish has used, got one without ${ADMIN}`,
    );
}

/** Options of the embedded backend. */
export interface SqliteChoice {
  /** True if an empty store may begin in a folder that has had one. Default: false. */
  readonly isNew?: boolean;
}

/** Everything in a folder, which is created when something is first written. */
export function sqlite(folder: string, { isNew = false }: SqliteChoice = {}): Backend {
  const change = async <T>(work: (database: DatabaseSync) => T): Promise<T> => {
    checkWritable(folder);
    checkNotMigrated(folder);
    if (!hasAdmin(folder)) using(emptyAdmin(), work); // what is refused creates no file
    return using(openAdminDatabase(folder), work);
  };
  return {
    words: { option: `--data ${folder}`, place: folder, address: folder, admin: ADMIN },
    admin: {
      open: async (onTrouble) => {
        checkWritable(folder);
        checkStore(folder);
        return new Administration(folder, onTrouble);
      },
      exists: () => hasAdmin(folder),
      change,
      changeExisting: async (work) => {
        checkUsed(folder);
        return change(work);
      },
      read: async (since, read) => {
        checkUsed(folder);
        checkNotMigrated(folder);
        return readAdmin(folder, since, read);
      },
    },
    prepare: async () => undefined,
    openStore: async (shapes, options) => {
      if (!isNew) checkNotGone(folder);
      const isRecorded = existsSync(join(folder, DATABASE)) && createdIn(folder) !== undefined;
      const store = await openSqliteStore(folder, shapes, options);
      if (!isRecorded) recordStore(folder);
      return store;
    },
    free: () => freeBytes(folder),
    openLedger: () => openSqliteLedger(folder),
    openExistingLedger: async () => {
      checkUsed(folder);
      checkNotMigrated(folder);
      return openSqliteLedger(folder);
    },
    mayKeepSecrets: () =>
      hasAdmin(folder) &&
      readAdmin(folder, SECRETS_SINCE, (database) => database.prepare('SELECT 1 FROM release_secret LIMIT 1').all()).length > 0,
    mayHaveStore: () => existsSync(join(folder, DATABASE)),
    findTallies: async () => {
      const file = join(folder, DATABASE);
      checkWritable(folder);
      if (!existsSync(file)) throw new RangeError(`${folder}: expected a folder with a store, got none`);
      checkCurrent(file);
      return { file };
    },
    closedBefore: async () => closedBefore(folder),
    reopenDays: async (from) => reopenDays(folder, from),
  };
}
