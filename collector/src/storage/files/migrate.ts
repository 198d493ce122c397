/**
 * Schema versions of the embedded store. The first n steps turn an empty file into version n. The file's own `user_version` says how many
 * steps it has had, and is updated in the transaction of each step.
 */

import type { DatabaseSync } from 'node:sqlite';
import { transaction } from './transaction.ts';

/** Migrates a store from one version to the next. */
export type Step = (database: DatabaseSync) => void;

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
 * Applies the steps that a store has not had. When a step fails, the store keeps the result of the steps before it.
 *
 * @throws {RangeError} when the file is not a store, or is a later version
 */
export function migrate(database: DatabaseSync, file: string, steps: readonly Step[]): void {
  for (const last = steps.length; versionOf(database, file, last) < last; ) {
    transaction(database, () => {
      const version = versionOf(database, file, last); // read again inside the transaction: another process may have migrated first
      steps[version]?.(database);
      if (version < last) database.exec(`PRAGMA user_version = ${version + 1}`);
    });
  }
}
