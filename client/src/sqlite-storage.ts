/** Storage in a SQLite database that answers at once, such as expo-sqlite's. Each step is one transaction of SQLite. */

import type { Storage } from './adapters/storage.ts';
import { attempt } from './maybe.ts';

/** The part of expo-sqlite's `SQLiteDatabase` that is used here. */
export interface DatabaseLike {
  execSync(source: string): void;
  getFirstSync<T>(source: string, ...params: string[]): T | null;
  runSync(source: string, ...params: string[]): unknown;
}

/**
 * A commit then survives a power loss: `EXTRA` also syncs the folder from which the journal is deleted, and `fullfsync` empties the drive's
 * cache where `fsync` does not (Apple's systems). Another connection's step takes milliseconds.
 */
const SETTINGS = 'PRAGMA synchronous = EXTRA; PRAGMA fullfsync = ON; PRAGMA busy_timeout = 1000';
const TABLE = 'CREATE TABLE IF NOT EXISTS murmuration (key TEXT PRIMARY KEY, value TEXT)';

/**
 * Keeps everything in a database of its own. A step is on the disk before `transact` returns, as a whole or not at all, whenever the app is
 * killed. Opening a database creates an empty file, and nothing else is created until something is to be stored.
 *
 * @param open called at the first step
 * @example createTelemetry({ schema, endpoint, storage: sqliteStorage(() => openDatabaseSync('telemetry.db')), rng: getRandomValues });
 */
export function sqliteStorage(open: () => DatabaseLike): Storage {
  let opened: DatabaseLike | undefined;
  const opening = (): DatabaseLike => {
    const database = open();
    database.execSync(SETTINGS);
    return database;
  };
  return {
    transact: (key, update) => {
      opened ??= opening();
      const database = opened;
      database.execSync('BEGIN IMMEDIATE'); // fails where the app has a transaction of its own open, which must not be rolled back
      try {
        database.execSync(TABLE);
        const stored = database.getFirstSync<{ readonly value: string }>('SELECT value FROM murmuration WHERE key = ?', key);
        const { next, result } = update(stored?.value);
        if (next !== undefined) database.runSync('INSERT OR REPLACE INTO murmuration VALUES (?, ?)', key, next);
        database.execSync(next === undefined ? 'ROLLBACK' : 'COMMIT');
        return result;
      } catch (error) {
        attempt(() => database.execSync('ROLLBACK')); // SQLite may have done so
        throw error;
      }
    },
  };
}
