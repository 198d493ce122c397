/** Backup and restore of the embedded store, also while a collector writes. A copy is a single file, and is checked before it is used. */

import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { ADMIN, checkAdmin, hasAdmin } from '../admin/database.ts';
import { TIMEOUT, versionOf } from '../files/database.ts';
import { checkOwner, lock, makeFolder, makePrivate, sync } from '../files/durable.ts';
import { QUOTA_LIMITS } from '../quota.ts';
import { addCells, cellsIn } from '../tallying/cell-codec.ts';
import { Writer } from './commit-log.ts';
import { markRestored } from './migration-mark.ts';
import { DATABASE, openForWriting, STEPS } from './schema.ts';
import { beginDraft, isSealed, removeAbandoned, seal, unseal, unsealed } from './seal.ts';

// `admin.sqlite` inside a backup of the store: a table of one row with the bytes of the file. One file is one thing to copy, and no copy of
// the store can lose the keys and the published schemas that its reports need.

/** Contents of a copy of `admin.sqlite`. */
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

/** The content of a copy. */
export interface Copy {
  readonly version: number;
  readonly bytes: number;
}

const SQLITE_CORRUPT = 11;

/** Endings of a database's files. */
const RESTS = ['', '-journal', '-wal', '-shm'];

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

/** The error for a damaged file, or the error itself. */
function damagedOr(error: unknown, source: string): unknown {
  return (error as { readonly errcode?: number }).errcode === SQLITE_CORRUPT
    ? new RangeError(`${source}: expected a whole store, got a damaged one`)
    : error;
}

/**
 * Checks a finished draft, and renames it to its final name, durably.
 *
 * @param finish the last change of the draft
 */
function publish(draft: string, name: string, source: string, finish: (draft: string) => void): Copy {
  const database = new DatabaseSync(draft);
  let version: number;
  try {
    version = check(database, source);
    database.exec('PRAGMA journal_mode = DELETE'); // a single file, without a WAL beside it
  } catch (error) {
    throw damagedOr(error, source);
  } finally {
    database.close();
  }
  finish(draft);
  sync(draft);
  renameSync(draft, name);
  sync(dirname(name));
  return { version, bytes: statSync(name).size };
}

/** The bytes of a store, with those that are still in its log. @throws {RangeError} when there is no room for as many */
function checkRoom(file: string, out: string): void {
  const bytes = ['', '-wal'].reduce((sum, rest) => sum + (statSync(`${file}${rest}`, { throwIfNoEntry: false })?.size ?? 0), 0);
  const { bavail, bsize } = statfsSync(dirname(out));
  const needed = 2 * bytes; // the copy, and what folding it writes beside it
  if (bavail * bsize < needed) throw new RangeError(`${out}: expected ${needed} free bytes on the disk, got ${bavail * bsize}`);
}

const hasLog = (database: DatabaseSync): boolean =>
  database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'log'").get() !== undefined &&
  database.prepare('SELECT 1 FROM log').get() !== undefined;

/** Folds what the log of a store holds that nobody writes, so that no report is left in it. @throws {RangeError} when an older program wrote it */
export function foldLog(draft: string, source: string): void {
  const database = new DatabaseSync(draft);
  const [version, isLogged] = [versionOf(database, draft, STEPS.length), hasLog(database)];
  database.close();
  if (!isLogged) return;
  if (version < STEPS.length)
    throw new RangeError(
      `${source}: expected a store that version ${version} has closed, got one with reports in its log; stop its collector`,
    );
  new Writer(openForWriting(draft), new Map(), QUOTA_LIMITS).close();
}

/**
 * Copies a store as of one moment, and adds the log of the copy to its tallies: it holds sums only. Collectors may keep writing meanwhile.
 * Removes what is left beside it of copies that were cut off.
 *
 * @param folder the store's folder
 * @param out a file that does not exist yet
 * @param add puts more into the copy, before it is checked and gets its name
 * @throws {RangeError} when there is no store, `out` exists, or the disk has no room for it
 */
export async function backupSqliteStore(folder: string, out: string, add: (draft: string) => void): Promise<Copy> {
  const file = join(folder, DATABASE);
  if (!existsSync(file)) throw new RangeError(`${folder}: expected a folder with a store, got none`);
  if (existsSync(out)) throw new RangeError(`${out}: expected a path where no file exists, got an existing file`);
  checkOwner(file);
  const target = resolve(out);
  if (!existsSync(dirname(target))) throw new RangeError(`${out}: expected a file in a folder that exists, got none such`);
  removeAbandoned(target);
  checkRoom(file, target);
  const { file: draft, remove } = beginDraft(target);
  const database = new DatabaseSync(file, { timeout: 5_000 }); // a read-only connection would leave a stray WAL behind
  try {
    makePrivate(draft);
    // One read transaction around the copy. Without it, the copy would start over at each commit of the collector and might never finish.
    database.exec('BEGIN');
    versionOf(database, file, STEPS.length);
    await backup(database, draft, { rate: PAGES_AT_ONCE });
    database.exec('COMMIT');
    foldLog(draft, file);
    add(draft);
    return publish(draft, target, file, seal);
  } finally {
    database.close();
    remove();
  }
}

/** Contents of a copy. */
export interface Verified extends Copy {
  readonly metrics: number;
  readonly reports: number;
}

/**
 * Checks a copy without restoring it: its checksum, each page, each tally, and that each metric's tallies have as many reports as its total.
 *
 * @throws {RangeError} when it is missing, damaged, not a store, too new or too old
 */
export function verifyCopy(file: string): Verified {
  if (!existsSync(file)) throw new RangeError(`${file}: expected a copy of a store, got no such file`);
  checkOwner(file);
  const isWhole = isSealed(file);
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const version = check(database, file);
    if (!isWhole) throw unsealed(file);
    if (version < STEPS.length)
      throw new RangeError(
        `${file}: expected a copy of version ${STEPS.length}, got version ${version}, which is whole; restore it to read more`,
      );
    const metrics = database.prepare('SELECT n, schema, name, reports FROM metric').all();
    const rows = database.prepare(
      'SELECT reports, cells FROM tally WHERE metric = ? UNION ALL SELECT reports, cells FROM monthly WHERE metric = ?',
    );
    let reports = 0;
    for (const { n, schema, name, reports: total } of metrics) {
      let found = 0;
      for (const row of rows.iterate(n as number, n as number)) {
        addCells(row['cells'] as Uint8Array, new Float64Array(cellsIn(row['cells'] as Uint8Array)));
        found += Number(row['reports']);
      }
      if (found !== total) throw new RangeError(`${file}: expected ${total} reports of ${schema} ${name}, got ${found}`);
      reports += found;
    }
    if (hasLog(database)) throw new RangeError(`${file}: expected a copy without reports in its log, got one with some`);
    return { version, bytes: statSync(file).size, metrics: metrics.length, reports };
  } catch (error) {
    throw damagedOr(error, file);
  } finally {
    database.close();
  }
}

/**
 * Checks a copy before anything is created for it. Its pages are checked when it has been copied.
 *
 * @throws {RangeError} when it is missing, damaged, not a store or too new
 */
export function assertRestorable(from: string): void {
  if (!existsSync(from)) throw new RangeError(`${from}: expected a copy of a store, got no such file`);
  checkOwner(from);
  const isWhole = isSealed(from);
  const url = pathToFileURL(from);
  url.searchParams.set('immutable', '1'); // no WAL beside it
  const database = new DatabaseSync(url, { readOnly: true });
  try {
    if (isWhole) return void versionOf(database, from, STEPS.length);
    check(database, from);
    throw unsealed(from);
  } catch (error) {
    throw damagedOr(error, from);
  } finally {
    database.close();
  }
}

/**
 * Restores a copy into a folder without a store. The next collector migrates it to the newest version.
 *
 * @param take takes out of the copy what is not the store's, before the store gets its name
 * @throws {RangeError} when the copy is damaged, not a store or too new, when the folder has a store, or when a collector is about
 * to create one
 */
export function restoreSqliteStore(from: string, folder: string, take: (draft: string) => void): Copy {
  makeFolder(folder);
  const unlock = lock(folder);
  const draft = join(resolve(folder), `unfinished-${DATABASE}`);
  const clear = (): void => {
    for (const rest of RESTS) rmSync(`${draft}${rest}`, { force: true });
  };
  try {
    const present = readdirSync(folder).find((name) => name.startsWith(DATABASE));
    if (present !== undefined) throw new RangeError(`${folder}: expected a folder without a store, got one with ${present}`);
    clear(); // left by an interrupted restore
    copyFileSync(from, draft);
    makePrivate(draft);
    const isWhole = isSealed(draft, from);
    if (isWhole) unseal(draft);
    return publish(draft, join(resolve(folder), DATABASE), from, () => {
      if (!isWhole) throw unsealed(from);
      take(draft);
    });
  } finally {
    clear();
    unlock();
  }
}
