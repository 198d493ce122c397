/**
 * `admin.sqlite` inside a backup of the store: a table of one row with the bytes of the file. One file is one thing to copy, and no copy of
 * the store can lose the keys and the published schemas that its reports need.
 */

import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ADMIN, checkAdmin, hasAdmin } from '../admin/database.ts';
import { TIMEOUT } from '../files/database.ts';
import { checkOwner, makePrivate, sync } from '../files/durable.ts';
import { markRestored } from './head-file.ts';

const SQLITE_CORRUPT = 11;

/** What a copy of `admin.sqlite` holds. */
export interface Carried {
  /** Write keys and tokens, revoked ones included. */
  readonly keys: number;
  /** Schemas that were published or retired. */
  readonly schemas: number;
}

/** Works on a database, and closes it. */
function using<T>(file: string, readOnly: boolean, work: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file, { readOnly, timeout: TIMEOUT });
  try {
    return work(database);
  } finally {
    database.close();
  }
}

const hasCarried = (database: DatabaseSync): boolean =>
  database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'carried'").get() !== undefined;

/** The bytes that a copy carries. Empty if it was made of a folder without `admin.sqlite`, or by an older program. */
const bytesIn = (copy: string): Uint8Array | undefined =>
  using(copy, true, (database) =>
    hasCarried(database) ? (database.prepare('SELECT bytes FROM carried').get()?.['bytes'] as Uint8Array) : undefined,
  );

/**
 * Takes the secrets of streams out of a copy. A stream can't go on from a copy, which may lack hard answers: there would be more of them with
 * the same threshold than were charged.
 */
function dropSecrets(database: DatabaseSync): void {
  const hasSecrets = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'release_secret'").get() !== undefined;
  if (hasSecrets) database.exec('PRAGMA secure_delete = ON; DELETE FROM release_secret');
}

/** Checks a file that holds carried bytes. @throws {RangeError} when it is damaged, something else, or of a later version */
function look(file: string, source: string): Carried {
  const name = `${source}: ${ADMIN}`;
  try {
    return using(file, false, (database) => {
      const tables = checkAdmin(database, name);
      return { keys: tables.credential, schemas: tables.schema };
    });
  } catch (error) {
    if ((error as { readonly errcode?: number }).errcode !== SQLITE_CORRUPT) throw error;
    throw new RangeError(`${name}: expected a whole file, got a damaged one`);
  }
}

/**
 * Puts a folder's `admin.sqlite`, as of one moment, into a copy of the store. Call it after the store was copied: a schema is published
 * before its reports come, and so it is in the copy if they are.
 */
export function carryAdmin(folder: string, copy: string): Carried | undefined {
  using(copy, false, (database) => database.exec('DROP TABLE IF EXISTS carried')); // of a copy that was put in place by hand
  if (!hasAdmin(folder)) return undefined;
  const file = `${copy}.admin`;
  makePrivate(file);
  try {
    checkOwner(join(folder, ADMIN));
    using(join(folder, ADMIN), false, (database) => database.prepare('VACUUM INTO ?').run(file));
    using(file, false, dropSecrets);
    const carried = look(file, folder);
    using(copy, false, (database) => {
      database.exec('CREATE TABLE carried (bytes BLOB NOT NULL)');
      database.prepare('INSERT INTO carried VALUES (?)').run(readFileSync(file));
    });
    return carried;
  } finally {
    rmSync(file, { force: true });
  }
}

/** Checks what a copy carries. @throws {RangeError} when it is damaged, or of a later version */
export function verifyCarried(copy: string): Carried | undefined {
  const bytes = bytesIn(copy);
  if (bytes === undefined) return undefined;
  const place = mkdtempSync(join(tmpdir(), 'murmuration-verify-'));
  try {
    writeFileSync(join(place, ADMIN), bytes, { mode: 0o600 });
    return look(join(place, ADMIN), copy);
  } finally {
    rmSync(place, { recursive: true });
  }
}

/**
 * Takes what a copy carries out of it, and puts it into a folder as `admin.sqlite`.
 *
 * @throws {RangeError} when it is damaged or of a later version, or the folder has such a file: its keys may be newer
 */
export function unpackAdmin(copy: string, folder: string, source: string): Carried | undefined {
  const bytes = bytesIn(copy);
  if (bytes === undefined) return undefined;
  const present = readdirSync(folder).find((name) => name.startsWith(ADMIN)); // SQLite would replay even a log that is left alone
  if (present !== undefined)
    throw new RangeError(`${folder}: expected a folder without ${ADMIN}, because its keys may be newer, got one with ${present}`);
  const draft = join(resolve(folder), `unfinished-${ADMIN}`);
  try {
    writeFileSync(draft, bytes, { mode: 0o600 });
    const carried = look(draft, source);
    sync(draft);
    markRestored(folder); // before the ledger of releases is there: its charges may be older than what was released
    renameSync(draft, join(resolve(folder), ADMIN));
    sync(folder);
    using(copy, false, (database) => database.exec('PRAGMA secure_delete = ON; DROP TABLE carried'));
    return carried;
  } finally {
    rmSync(draft, { force: true });
  }
}
