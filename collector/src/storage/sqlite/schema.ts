/** The tables of the embedded store with their migrations, and the settings that make an acknowledged batch durable. */

import { DatabaseSync } from 'node:sqlite';
import { checkMigration, migrate, rewriting, type Step, TIMEOUT, versionOf } from '../files/database.ts';
import { checkOwner, makePrivate } from '../files/durable.ts';
import { batchesOf, bytesOf, ID, wordsOf, writeHashOf } from '../group-commit.ts';
import { encodeCells } from '../tallying/cell-codec.ts';
import { countIds, ROW, WORDS } from './ids.ts';

// The migration to version 3 of the embedded store: ids are stored as hashes, a thousand to a row.

/** Overwrites the id at this word with its hash. */
function hashAt(words: Int32Array, at: number): void {
  const bytes = Buffer.from(words.buffer, words.byteOffset + 4 * at, 16);
  writeHashOf(bytes.toString('hex'), bytes, 0);
}

/** Hashes all ids in a store, including those that are only in its log. */
function hashIds(database: DatabaseSync): void {
  database.exec('CREATE TABLE hashed (first INTEGER PRIMARY KEY, day INTEGER NOT NULL, words BLOB NOT NULL)');
  const insert = database.prepare('INSERT INTO hashed (first, day, words) VALUES (?, ?, ?)');
  for (const row of database.prepare('SELECT first, day, words FROM ids').iterate()) {
    const words = wordsOf(row['words']);
    for (let at = 0; at < words.length; at += WORDS) hashAt(words, at);
    for (let at = 0; at < words.length; at += ROW * WORDS)
      insert.run(Number(row['first']) + at / WORDS, Number(row['day']), bytesOf(words.subarray(at, at + ROW * WORDS)));
  }
  database.exec('DROP TABLE ids; ALTER TABLE hashed RENAME TO ids');
  const update = database.prepare('UPDATE log SET words = ? WHERE n = ?');
  for (const { n, words: blob } of database.prepare('SELECT n, words FROM log').all()) {
    const words = wordsOf(blob);
    for (const start of batchesOf(words)) hashAt(words, start + ID);
    update.run(bytesOf(words), Number(n));
  }
}

// The migration to version 5 of the embedded store: metrics and segments get numbers, tallies short rows, and each metric the totals of its
// days. A row of 128 cells took 4,681 bytes before, because SQLite keeps long rows of tables without a rowid on pages of their own.

const countsOf = (blob: unknown): Float64Array => new Float64Array((blob as Uint8Array).slice().buffer);

/** Gives metrics and segments numbers, and rewrites each tally. */
function numberMetrics(database: DatabaseSync): void {
  database.exec(`
    CREATE TABLE change (n INTEGER NOT NULL);
    INSERT INTO change VALUES (1);
    CREATE TABLE metric (
      n INTEGER PRIMARY KEY, schema TEXT NOT NULL, name TEXT NOT NULL,
      reports INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, version INTEGER NOT NULL,
      UNIQUE (schema, name)
    );
    CREATE TABLE segment (n INTEGER PRIMARY KEY, json TEXT NOT NULL UNIQUE);
    CREATE TABLE total (
      metric INTEGER NOT NULL, day INTEGER NOT NULL, reports INTEGER NOT NULL,
      PRIMARY KEY (metric, day)
    ) WITHOUT ROWID;
    ALTER TABLE tally RENAME TO former;
    ALTER TABLE ones RENAME TO former_ones;
    CREATE TABLE tally (
      metric INTEGER NOT NULL, day INTEGER NOT NULL, segment INTEGER NOT NULL, cohort INTEGER NOT NULL,
      reports INTEGER NOT NULL, cells BLOB NOT NULL
    );
    CREATE TABLE ones (
      metric INTEGER NOT NULL, day INTEGER NOT NULL, ones INTEGER NOT NULL, reports INTEGER NOT NULL,
      PRIMARY KEY (metric, day, ones)
    ) WITHOUT ROWID;
    INSERT INTO metric (schema, name, reports, first, last, version)
      SELECT schema, metric, sum(reports), min(day), max(day), 1 FROM former GROUP BY schema, metric;
    INSERT INTO segment (json) SELECT DISTINCT segment FROM former;
    INSERT INTO total SELECT n, day, sum(former.reports) FROM former
      JOIN metric ON metric.schema = former.schema AND name = former.metric GROUP BY n, day;
    INSERT INTO ones SELECT n, day, ones, former_ones.reports FROM former_ones
      JOIN metric ON metric.schema = former_ones.schema AND name = former_ones.metric;
  `);
  const insert = database.prepare('INSERT INTO tally (metric, day, segment, cohort, reports, cells) VALUES (?, ?, ?, ?, ?, ?)');
  const rows = database.prepare(`
    SELECT metric.n AS metric, day, segment.n AS segment, cohort, former.reports AS reports, cells FROM former
      JOIN metric ON metric.schema = former.schema AND name = former.metric JOIN segment ON json = former.segment
  `);
  for (const { metric, day, segment, cohort, reports, cells } of rows.iterate())
    insert.run(Number(metric), Number(day), Number(segment), Number(cohort), Number(reports), encodeCells(countsOf(cells)));
  database.exec(`
    CREATE UNIQUE INDEX tally_key ON tally (metric, day, segment, cohort);
    DROP TABLE former;
    DROP TABLE former_ones;
  `);
}

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
  rewriting((database) => {
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
  }),
  rewriting((database) => {
    database.exec('CREATE TABLE closed (before INTEGER NOT NULL); INSERT INTO closed VALUES (0)');
    hashIds(database);
  }),
  (database) => database.exec('ALTER TABLE log RENAME COLUMN places TO partitions; ALTER TABLE weight RENAME TO ones'),
  rewriting(numberMetrics),
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
  // The writer that opened the store last is its owner. An earlier one finds another number in its next transaction (commit-log.ts).
  (database) => database.exec('CREATE TABLE owner (epoch INTEGER NOT NULL); INSERT INTO owner VALUES (0)'),
  // A start reads the newest ids first, and these counts say when it has all of a day (ids.ts).
  (database) => {
    database.exec('CREATE TABLE day_ids (day INTEGER PRIMARY KEY, ids INTEGER NOT NULL)');
    countIds(database);
  },
];

const pragma = (database: DatabaseSync, name: string): unknown => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0];

/**
 * Opens the store's file for its only writer, and migrates it to the newest version.
 *
 * @throws {RangeError} when the file is not a store, or is a later version
 * @throws {Error} when SQLite does not sync each commit
 */
export function openForWriting(file: string, steps: readonly Step[] = STEPS, free?: (file: string) => number): DatabaseSync {
  makePrivate(file); // SQLite gives the files beside it the same rights
  const database = new DatabaseSync(file, { timeout: TIMEOUT });
  try {
    versionOf(database, file, steps.length);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
    const [journal, synchronous] = [pragma(database, 'journal_mode'), pragma(database, 'synchronous')];
    if (journal !== 'wal' || synchronous !== 2) {
      throw new Error(`${file}: expected journal mode wal with synchronous 2 (FULL), got ${journal} with ${synchronous}`);
    }
    migrate(database, file, steps, free);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Looks at a file and changes nothing. @throws {RangeError} when it is another user's */
function looking<T>(file: string, look: (database: DatabaseSync) => T): T {
  checkOwner(file);
  const database = new DatabaseSync(file, { readOnly: true, timeout: TIMEOUT });
  try {
    return look(database);
  } finally {
    database.close();
  }
}

/** The version of a file. @throws {RangeError} when it is no store, or another user's */
const versionIn = (file: string): number => looking(file, (database) => versionOf(database, file, STEPS.length));

/** @throws {RangeError} when a file is a store that this program can't bring to the newest version, or no store */
export const checkMigratable = (file: string): void => looking(file, (database) => checkMigration(database, file, STEPS));

/** True if a file is a store of the newest version. @throws {RangeError} when it is no store, or another user's */
export const isCurrent = (file: string): boolean => versionIn(file) === STEPS.length;

/** @throws {RangeError} unless a file is a store of the newest version, which can be read as it is */
export function checkCurrent(file: string): void {
  const version = versionIn(file);
  if (version < STEPS.length)
    throw new RangeError(
      `${file}: expected a store of version ${STEPS.length}, got one of version ${version}, which an older murmuration wrote; start the collector once, which brings it forward`,
    );
}
