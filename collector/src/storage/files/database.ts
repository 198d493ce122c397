/** SQLite files of any kind: write transactions, the versions of their tables, and the shapes that several of them keep. */

import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { count as inWords } from '../../base/numbers.ts';
import type { Shapes } from '../../schemas/catalog.ts';

/** Milliseconds to wait while another process holds the database. */
export const TIMEOUT = 5_000;

/** Runs the work in a transaction: all of it takes effect, or none. */
export function transaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

// Schema versions of the embedded store. The first n steps turn an empty file into version n. The file's own `user_version` says how many
// steps it has had, and is updated in the transaction of each step.

/** Migrates a store from one version to the next. */
export interface Step {
  (database: DatabaseSync): void;
  /** True if it rewrites most rows, so that it needs as much room as they have, and as much again in the log beside the file. */
  readonly rewrites?: true;
}

/** A step that rewrites most rows. */
export const rewriting = (step: (database: DatabaseSync) => void): Step => Object.assign(step, { rewrites: true } as const);

/** The free bytes of the disk that holds a file. */
function freeBeside(file: string): number {
  const { bavail, bsize } = statfsSync(dirname(file));
  return bavail * bsize;
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/** Room for the pages that every step writes. */
const LITTLE = 2 ** 24;

const mebibytes = (bytes: number): string => inWords(Math.ceil(bytes / 2 ** 20));

/** @throws {RangeError} when a file may not be brought forward on the room that its disk has; nothing has been changed then */
function checkRoom(file: string, version: number, steps: readonly Step[], free: (file: string) => number): void {
  const size = sizeOf(file) + sizeOf(`${file}-wal`);
  const needed = LITTLE + (steps.slice(version).some(({ rewrites }) => rewrites) ? 2 * size : 0);
  const found = free(file);
  if (found < needed)
    throw new RangeError(
      `${file}: expected ${mebibytes(needed)} MiB of free disk, to bring it from version ${version} to ${steps.length}, got ${mebibytes(found)}; nothing has been changed`,
    );
}

const count = (database: DatabaseSync, sql: string): number => Number(Object.values(database.prepare(sql).get() ?? {})[0]);

/**
 * The number of steps that a file has had: 0 for an empty one.
 *
 * @param newest the version that this program writes
 * @throws {RangeError} when the file is not a store, or is a later version
 */
export function versionOf(database: DatabaseSync, file: string, newest: number): number {
  let version: number;
  let tables: number;
  try {
    version = count(database, 'PRAGMA user_version');
    tables = count(database, 'SELECT count(*) FROM sqlite_schema');
  } catch (error) {
    if ((error as { readonly errcode?: number }).errcode !== 26) throw error; // SQLITE_NOTADB
    throw new RangeError(`${file}: expected a store, got a file that is no SQLite database`);
  }
  if ((version === 0) !== (tables === 0)) throw new RangeError(`${file}: expected a store, got another SQLite database`);
  if (version > newest) {
    throw new RangeError(
      `${file}: expected a store of version ${newest} or older, got version ${version}, which a newer murmuration wrote`,
    );
  }
  return version;
}

/**
 * Checks that a store can be brought to the newest version.
 *
 * @param free returns the free bytes of a file's disk
 * @throws {RangeError} when the file is not a store, or is a later version, or its disk has too little room
 */
export function checkMigration(
  database: DatabaseSync,
  file: string,
  steps: readonly Step[],
  free: (file: string) => number = freeBeside,
): void {
  const version = versionOf(database, file, steps.length);
  if (version > 0 && version < steps.length) checkRoom(file, version, steps, free);
}

/**
 * Applies the steps that a store has not had, each in a transaction: one that is interrupted is begun again at the next start. The log beside
 * the file is emptied after each step.
 *
 * @param free returns the free bytes of a file's disk
 * @throws {RangeError} as `checkMigration` does
 */
export function migrate(database: DatabaseSync, file: string, steps: readonly Step[], free?: (file: string) => number): void {
  const last = steps.length;
  checkMigration(database, file, steps, free);
  while (versionOf(database, file, last) < last) {
    transaction(database, () => {
      const version = versionOf(database, file, last); // read again inside the transaction: another process may have migrated first
      steps[version]?.(database);
      if (version < last) database.exec(`PRAGMA user_version = ${version + 1}`);
    });
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  }
}

/**
 * Stores the shapes that the indices in the log refer to, and returns all stored shapes. A schema may be withdrawn before the log of its
 * batches is added up.
 */
export function keepShapes(database: DatabaseSync, published: Shapes): Shapes {
  const put = database.prepare('INSERT OR REPLACE INTO shape (schema, metrics) VALUES (?, ?)');
  const all = database.prepare('SELECT schema, metrics FROM shape');
  const stored = new Map(all.all().map(({ schema, metrics }) => [schema as string, metrics as string]));
  const texts = [...published].map(([schema, metrics]) => [schema, JSON.stringify(metrics)] as const);
  const changed = texts.filter(([schema, metrics]) => stored.get(schema) !== metrics);
  // A start that changes nothing writes nothing, so that a full disk does not prevent it.
  if (changed.length > 0)
    transaction(database, () => {
      for (const each of changed) put.run(...each);
    });
  return new Map([...stored, ...changed].map(([schema, metrics]) => [schema, JSON.parse(metrics)]));
}
