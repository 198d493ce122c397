/** The embedded backend: a folder with the store, `admin.sqlite` and the ledger of releases, for one collector. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Administration } from '../admin/administration.ts';
import { ADMIN, emptyAdmin, hasAdmin, openAdminDatabase, readAdmin, SECRETS_SINCE } from '../admin/database.ts';
import type { Backend } from '../backend.ts';
import { freeBytes } from '../files/durable.ts';
import { checkNotMigrated } from './migration-mark.ts';
import { openSqliteLedger } from './release-ledger.ts';
import { DATABASE, isCurrent } from './schema.ts';
import { openSqliteStore } from './sqlite.ts';
import { closedBefore, reopenDays } from './upkeep.ts';

function using<T>(database: DatabaseSync, work: (database: DatabaseSync) => T): T {
  try {
    return work(database);
  } finally {
    database.close();
  }
}

function checkUsed(folder: string): void {
  if (!hasAdmin(folder))
    throw new RangeError(
      `--data ${folder}: expected a folder that serve, keys create or schemas publish has used, got one without ${ADMIN}`,
    );
}

/** Everything in a folder, which is created when something is first written. */
export function sqlite(folder: string): Backend {
  const change = async <T>(work: (database: DatabaseSync) => T): Promise<T> => {
    checkNotMigrated(folder);
    if (!hasAdmin(folder)) using(emptyAdmin(), work); // what is refused creates no file
    return using(openAdminDatabase(folder), work);
  };
  return {
    words: { option: `--data ${folder}`, place: folder, address: folder, admin: ADMIN },
    admin: {
      open: async (onTrouble) => new Administration(folder, onTrouble),
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
    openStore: (shapes, options) => openSqliteStore(folder, shapes, options),
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
      if (!existsSync(file)) throw new RangeError(`${folder}: expected a folder with a store, got none`);
      if (!isCurrent(file))
        throw new RangeError(`${folder}: expected a store of the newest version, got an older one; start the collector once`);
      return { file };
    },
    closedBefore: async () => closedBefore(folder),
    reopenDays: async (from) => reopenDays(folder, from),
  };
}
