/**
 * `admin.sqlite`: write keys, access tokens, roles of users, published schemas, annotations, the log of actions, the ledger of releases and
 * the secrets of its streams. The collector and the commands open it at the same time, and SQLite's locks keep them apart. It lies beside the store in
 * a file of its own, because it changes rarely and by other hands.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { migrate, type Step, TIMEOUT, versionOf } from '../files/database.ts';
import { alone, checkOwner, makeFolder, makePrivate, sync } from '../files/durable.ts';

/** The name of the file in the collector's folder. */
export const ADMIN = 'admin.sqlite';

/**
 * The migrations, in order; only ever appended to.
 *
 * A write key is public and stored as it is. A token is stored as its SHA-256 only: it is 256 random bits, so nobody can find it by trying
 * candidates, and a slow password hash would add nothing. Triggers refuse to change or delete rows of the log.
 */
const STEPS: readonly Step[] = [
  (database) =>
    database.exec(`
      CREATE TABLE credential (
        name TEXT PRIMARY KEY, role TEXT NOT NULL, apps TEXT NOT NULL, per_minute INTEGER,
        key TEXT UNIQUE, hash BLOB UNIQUE, created INTEGER NOT NULL, revoked INTEGER
      ) WITHOUT ROWID;
      CREATE TABLE action (n INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, who TEXT NOT NULL, what TEXT NOT NULL, app TEXT);
      CREATE TRIGGER action_is_final BEFORE UPDATE ON action BEGIN SELECT RAISE(ABORT, 'the log of actions is append-only'); END;
      CREATE TRIGGER action_stays BEFORE DELETE ON action BEGIN SELECT RAISE(ABORT, 'the log of actions is append-only'); END;
    `),
  (database) =>
    database.exec('CREATE TABLE schema (schema TEXT PRIMARY KEY, document TEXT, published INTEGER, retired INTEGER) WITHOUT ROWID'),
  (database) => database.exec('CREATE TABLE user (name TEXT PRIMARY KEY, role TEXT NOT NULL, apps TEXT NOT NULL) WITHOUT ROWID'),
  (database) =>
    database.exec(`
      CREATE TABLE release_entry (
        n INTEGER PRIMARY KEY, at TEXT NOT NULL, who TEXT NOT NULL, kind TEXT NOT NULL, app TEXT NOT NULL, analyst TEXT NOT NULL,
        question TEXT NOT NULL, body TEXT NOT NULL, hash TEXT NOT NULL
      );
      CREATE INDEX release_question ON release_entry (question, app, analyst);
      CREATE INDEX release_kind ON release_entry (kind, app);
      CREATE TRIGGER release_is_final BEFORE UPDATE ON release_entry BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
      CREATE TRIGGER release_stays BEFORE DELETE ON release_entry BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
    `),
  (database) => database.exec('CREATE TABLE release_secret (stream INTEGER PRIMARY KEY, secret TEXT NOT NULL)'),
  // Answers of a stream are found and counted by what their question begins with. Streams that name theirs otherwise go on no more.
  (database) =>
    database.exec(`
      DROP INDEX release_question;
      CREATE INDEX release_question ON release_entry (question, app, analyst, kind);
      DELETE FROM release_secret;
    `),
  (database) =>
    database.exec(
      'CREATE TABLE annotation (n INTEGER PRIMARY KEY, app TEXT NOT NULL, metric TEXT, day INTEGER NOT NULL, text TEXT NOT NULL)',
    ),
  (database) =>
    database.exec(`
      CREATE TABLE schema_log (n INTEGER PRIMARY KEY, entry TEXT NOT NULL, fingerprint TEXT UNIQUE, document TEXT);
      CREATE TRIGGER schema_log_is_final BEFORE UPDATE ON schema_log BEGIN SELECT RAISE(ABORT, 'the log of schemas is append-only'); END;
      CREATE TRIGGER schema_log_stays BEFORE DELETE ON schema_log BEGIN SELECT RAISE(ABORT, 'the log of schemas is append-only'); END;
      CREATE TRIGGER schema_log_grows BEFORE INSERT ON schema_log
        WHEN (NEW.n IS NOT (SELECT count(*) FROM schema_log) OR EXISTS (SELECT 1 FROM schema_log WHERE fingerprint = NEW.fingerprint))
          AND NOT EXISTS (SELECT 1 FROM schema_log WHERE n = NEW.n AND entry = NEW.entry AND document IS NEW.document)
        BEGIN SELECT RAISE(ABORT, 'the log of schemas is append-only'); END;
      CREATE TABLE log_key (name TEXT PRIMARY KEY, secret TEXT NOT NULL) WITHOUT ROWID;
      CREATE TRIGGER log_key_is_final BEFORE UPDATE ON log_key BEGIN SELECT RAISE(ABORT, 'the log of schemas has one key'); END;
      CREATE TRIGGER log_key_stays BEFORE DELETE ON log_key BEGIN SELECT RAISE(ABORT, 'the log of schemas has one key'); END;
      CREATE TRIGGER log_key_is_one BEFORE INSERT ON log_key
        WHEN EXISTS (SELECT 1 FROM log_key WHERE name <> NEW.name OR secret <> NEW.secret)
        BEGIN SELECT RAISE(ABORT, 'the log of schemas has one key'); END;
    `),
];

/** The first versions that have the tables of keys, of schemas, of roles, of secrets of streams and of annotations. */
export const KEYS_SINCE = 1;
export const SCHEMAS_SINCE = 2;
export const ROLES_SINCE = 3;
export const SECRETS_SINCE = 5;
export const ANNOTATIONS_SINCE = 7;

/** The tables in a new database in memory. */
export function emptyAdmin(): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  for (const step of STEPS) step(database);
  return database;
}

/** True if a folder has the file. */
export const hasAdmin = (folder: string): boolean => existsSync(join(folder, ADMIN));

/** The rows of a copy of the file. @throws {RangeError} when it is damaged, something else, or of a later version */
export function checkAdmin(database: DatabaseSync, file: string): { readonly credential: number; readonly schema: number } {
  const version = versionOf(database, file, STEPS.length);
  const integrity = Object.values(database.prepare('PRAGMA integrity_check(1)').get() ?? {})[0];
  if (version === 0 || integrity !== 'ok') throw new RangeError(`${file}: expected a whole file, got a damaged one`);
  const rows = (table: string): number => Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.['n']);
  return { credential: rows('credential'), schema: version < SCHEMAS_SINCE ? 0 : rows('schema') };
}

/** True if an error says that the disk is full; the second code, that there is no room for the memory that connections share. */
export const isFull = (error: unknown): boolean => [13, 4_874].includes((error as { readonly errcode?: number }).errcode ?? 0);

/**
 * Opens the file on a full disk, for one reading. With an exclusive lock, SQLite needs no shared memory, which is a file. Empty where there
 * is no file of this version yet.
 */
export function openOnFullDisk(folder: string): DatabaseSync | undefined {
  if (!hasAdmin(folder)) return undefined;
  const database = new DatabaseSync(join(folder, ADMIN), { timeout: TIMEOUT });
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    if (versionOf(database, join(folder, ADMIN), STEPS.length) === STEPS.length) return database;
  } catch (error) {
    database.close();
    throw error;
  }
  database.close();
  return undefined;
}

/**
 * Reads a list from the file of a folder and changes nothing, not even the version: an older collector may run on it.
 *
 * @param since the first version that has what is listed; the list of an older file is empty
 * @throws {RangeError} when the file is something else, of a later version, or another user's
 */
export function readAdmin<T>(folder: string, since: number, read: (database: DatabaseSync) => readonly T[]): readonly T[] {
  const file = join(folder, ADMIN);
  checkOwner(file);
  let database = new DatabaseSync(file, { timeout: TIMEOUT, readOnly: true });
  try {
    return versionOf(database, file, STEPS.length) < since ? [] : read(database);
  } catch (error) {
    if (!isFull(error)) throw error;
    database.close();
    database = openOnFullDisk(folder) ?? database;
    return database.isOpen ? read(database) : [];
  } finally {
    if (database.isOpen) database.close();
  }
}

/** Migrates the file, unless a collector of an older version runs on the folder: it could neither read nor write the file any more. */
function migrateAlone(database: DatabaseSync, folder: string, file: string): void {
  const version = versionOf(database, file, STEPS.length);
  if (version === 0 || version === STEPS.length) return migrate(database, file, STEPS);
  const otherwise = `${folder}: a collector of an older version runs on this folder; use its own command, or stop it first`;
  alone(folder, otherwise, () => migrate(database, file, STEPS));
}

/**
 * Opens the file, and creates it and its folder where they don't exist. Only the user of this process may read it.
 *
 * @throws {RangeError} when the file is something else, or of a later version, or of an earlier one that another process uses
 */
export function openAdminDatabase(folder: string): DatabaseSync {
  makeFolder(folder);
  const file = join(folder, ADMIN);
  const isNew = !existsSync(file);
  makePrivate(file); // SQLite gives its other files the permissions of this one
  if (isNew) sync(folder);
  const database = new DatabaseSync(file, { timeout: TIMEOUT });
  try {
    versionOf(database, file, STEPS.length);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
    migrateAlone(database, folder, file);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

// The log of who changed what. It is append-only, and holds actions of operators; nothing in it comes from a device.

/** One action. */
export interface Action {
  readonly n: number;
  /** When, as `2026-11-20T12:00:00.000Z`. */
  readonly at: string;
  /** The name of a token, or where the action came from. */
  readonly who: string;
  readonly what: string;
  /** The app that it concerns; null where it concerns all of them, or several. */
  readonly app: string | null;
}

/** The name of whoever uses a command. */
export const COMMAND_LINE = 'command line';

/** Writes an action, and returns its number. Call it in the transaction that carries the action out. */
export function logAction(database: DatabaseSync, who: string, what: string, app?: string): number {
  const at = new Date().toISOString();
  const insert = database.prepare('INSERT INTO action (at, who, what, app) VALUES (?, ?, ?, ?)');
  return Number(insert.run(at, who, what, app ?? null).lastInsertRowid);
}

/** The newest actions first: at most `most`, only those before number `before`, and only of these apps unless the list is empty. */
export function listActions(
  database: DatabaseSync,
  most: number,
  before: number = Number.MAX_SAFE_INTEGER,
  apps: readonly string[] = [],
): readonly Action[] {
  const concerned = apps.length === 0 ? '' : `AND app IN (${apps.map(() => '?').join()})`;
  return database
    .prepare(`SELECT n, at, who, what, app FROM action WHERE n < ? ${concerned} ORDER BY n DESC LIMIT ?`)
    .all(before, ...apps, most)
    .map((row) => ({ ...row }) as unknown as Action);
}
