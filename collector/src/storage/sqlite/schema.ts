/** The tables of the embedded store, and the settings that make an acknowledged batch durable. */

import { DatabaseSync } from 'node:sqlite';
import { migrate, type Step, TIMEOUT, versionOf } from '../files/database.ts';
import { checkOwner, makePrivate } from '../files/durable.ts';
import { hashIds } from './hash-ids.ts';
import { numberMetrics } from './metrics.ts';

/** The name of the database in the store's folder. */
export const DATABASE = 'murmuration.sqlite';

/** Packs ids as words, a row for each day: 128 bits of the id, 64 of the body's hash, the day. */
function packIds(database: DatabaseSync): void {
  const insert = database.prepare('INSERT INTO ids (first, day, words) VALUES (?, ?, ?)');
  let first = 1;
  for (const { day } of database.prepare('SELECT DISTINCT day FROM batch ORDER BY day').all()) {
    const rows = database.prepare('SELECT id, hash FROM batch WHERE day = ?').all(day as number);
    const words = new Int32Array(7 * rows.length);
    const bytes = Buffer.from(words.buffer);
    for (const [i, { id, hash }] of rows.entries()) {
      bytes.write(String(id), 28 * i, 'hex');
      bytes.set(Buffer.from(String(hash), 'base64url').subarray(0, 8), 28 * i + 16);
      words[7 * i + 6] = day as number;
    }
    insert.run(first, day as number, bytes);
    first += rows.length;
  }
}

/** The migrations, in order. Deployed stores have had some of them, so steps are only appended and never changed. */
export const STEPS: readonly Step[] = [
  (database) =>
    database.exec(`
      CREATE TABLE batch (id TEXT PRIMARY KEY, day INTEGER NOT NULL, hash TEXT NOT NULL) WITHOUT ROWID;
      CREATE INDEX batch_day ON batch (day);
      CREATE TABLE tally (
        schema TEXT NOT NULL, metric TEXT NOT NULL, day INTEGER NOT NULL, segment TEXT NOT NULL, cohort INTEGER NOT NULL,
        reports INTEGER NOT NULL, cells BLOB NOT NULL,
        PRIMARY KEY (schema, metric, day, segment, cohort)
      ) WITHOUT ROWID;
    `),
  (database) => {
    database.exec(`
      CREATE TABLE log (n INTEGER PRIMARY KEY, places TEXT NOT NULL, words BLOB NOT NULL);
      CREATE TABLE ids (first INTEGER PRIMARY KEY, day INTEGER NOT NULL, words BLOB NOT NULL);
      CREATE TABLE shape (schema TEXT PRIMARY KEY, metrics TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE weight (
        schema TEXT NOT NULL, metric TEXT NOT NULL, day INTEGER NOT NULL, ones INTEGER NOT NULL, reports INTEGER NOT NULL,
        PRIMARY KEY (schema, metric, day, ones)
      ) WITHOUT ROWID;
    `);
    packIds(database);
    database.exec('DROP TABLE batch');
  },
  (database) => {
    database.exec('CREATE TABLE closed (before INTEGER NOT NULL); INSERT INTO closed VALUES (0)');
    hashIds(database);
  },
  (database) => database.exec('ALTER TABLE log RENAME COLUMN places TO partitions; ALTER TABLE weight RENAME TO ones'),
  numberMetrics,
  (database) =>
    database.exec(`
      CREATE TABLE room (
        app TEXT NOT NULL, day INTEGER NOT NULL, rows INTEGER NOT NULL, bytes INTEGER NOT NULL,
        PRIMARY KEY (app, day)
      ) WITHOUT ROWID;
      INSERT INTO room SELECT substr(schema, 1, instr(schema, '/') - 1), day, count(*), sum(length(cells) + 42)
        FROM tally JOIN metric ON metric.n = tally.metric GROUP BY 1, 2;
    `),
  (database) =>
    database.exec(`
      CREATE TABLE border (rolled INTEGER NOT NULL, kept INTEGER NOT NULL);
      INSERT INTO border VALUES (0, 0);
      CREATE TABLE monthly (
        metric INTEGER NOT NULL, day INTEGER NOT NULL, segment INTEGER NOT NULL, cohort INTEGER NOT NULL,
        reports INTEGER NOT NULL, cells BLOB NOT NULL
      );
      CREATE UNIQUE INDEX monthly_key ON monthly (metric, day, segment, cohort);
    `),
  (database) =>
    database.exec(`
      CREATE TABLE app_ids (app TEXT NOT NULL, day INTEGER NOT NULL, ids INTEGER NOT NULL, PRIMARY KEY (app, day)) WITHOUT ROWID;
    `),
];

const pragma = (database: DatabaseSync, name: string): unknown => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];

/**
 * Opens the store's file for its only writer, and migrates it to the newest version.
 *
 * @throws {RangeError} when the file is not a store, or is a later version
 * @throws {Error} when SQLite does not sync each commit
 */
export function openForWriting(file: string, steps: readonly Step[] = STEPS): DatabaseSync {
  makePrivate(file); // SQLite gives the files beside it the same rights
  const database = new DatabaseSync(file, { timeout: TIMEOUT });
  try {
    versionOf(database, file, steps.length);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
    const [journal, synchronous] = [pragma(database, 'journal_mode'), pragma(database, 'synchronous')];
    if (journal !== 'wal' || synchronous !== 2) {
      throw new Error(`${file}: expected journal mode wal with synchronous 2 (FULL), got ${journal} with ${synchronous}`);
    }
    migrate(database, file, steps);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Whether a file is a store of the newest version, which can be read as it is. @throws {RangeError} when it is no store, or another user's */
export function isCurrent(file: string): boolean {
  checkOwner(file);
  const database = new DatabaseSync(file, { readOnly: true, timeout: TIMEOUT });
  try {
    return versionOf(database, file, STEPS.length) === STEPS.length;
  } finally {
    database.close();
  }
}
