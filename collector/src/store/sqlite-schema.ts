/** The tables of the embedded store, and the settings without which an acknowledgement would promise too much. */

import { DatabaseSync } from 'node:sqlite';

const VERSION = 2;

const TABLES = `
  CREATE TABLE IF NOT EXISTS log (n INTEGER PRIMARY KEY, places TEXT NOT NULL, words BLOB NOT NULL);
  CREATE TABLE IF NOT EXISTS ids (first INTEGER PRIMARY KEY, day INTEGER NOT NULL, words BLOB NOT NULL);
  CREATE TABLE IF NOT EXISTS shape (schema TEXT PRIMARY KEY, metrics TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS weight (
    schema TEXT NOT NULL, metric TEXT NOT NULL, day INTEGER NOT NULL, ones INTEGER NOT NULL, reports INTEGER NOT NULL,
    PRIMARY KEY (schema, metric, day, ones)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS tally (
    schema TEXT NOT NULL, metric TEXT NOT NULL, day INTEGER NOT NULL, segment TEXT NOT NULL, cohort INTEGER NOT NULL,
    reports INTEGER NOT NULL, cells BLOB NOT NULL,
    PRIMARY KEY (schema, metric, day, segment, cohort)
  ) WITHOUT ROWID;
`;

const pragma = (database: DatabaseSync, name: string): unknown => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];

/**
 * Opens the store's file for its one writer.
 *
 * @throws {Error} when the file is of another version, or SQLite does not sync each commit
 */
export function openForWriting(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
  const [journal, synchronous] = [pragma(database, 'journal_mode'), pragma(database, 'synchronous')];
  if (journal !== 'wal' || synchronous !== 2) {
    throw new Error(`${file}: expected journal mode wal with synchronous 2 (FULL), got ${journal} with ${synchronous}`);
  }
  const version = pragma(database, 'user_version');
  if (version !== 0 && version !== VERSION) throw new Error(`${file}: expected a store of version ${VERSION}, got ${version}`);
  database.exec(`BEGIN; ${TABLES} PRAGMA user_version = ${VERSION}; COMMIT`);
  return database;
}
