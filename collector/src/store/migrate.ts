/**
 * Versions of the embedded store. Version n is what the first n steps make of an empty file; the file's own `user_version`
 * says how many it has seen, and changes in the transaction of the step.
 */

import type { DatabaseSync } from 'node:sqlite';
import { transaction } from './transaction.ts';

/** What leads from one version to the next. */
export type Step = (database: DatabaseSync) => void;

const count = (database: DatabaseSync, sql: string): number => Number(Object.values(database.prepare(sql).get() ?? {})[0]);

/**
 * How many steps a file has seen: 0 for an empty one.
 *
 * @param newest the version that this program writes
 * @throws {RangeError} when the file is no store, or one of a later version
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
 * Takes a store through the steps that it has not seen. When one fails the store stays as the steps before it left it.
 *
 * @throws {RangeError} when the file is no store, or one of a later version
 */
export function migrate(database: DatabaseSync, file: string, steps: readonly Step[]): void {
  for (const last = steps.length; versionOf(database, file, last) < last; ) {
    transaction(database, () => {
      const version = versionOf(database, file, last); // again: another process may have been first
      steps[version]?.(database);
      if (version < last) database.exec(`PRAGMA user_version = ${version + 1}`);
    });
  }
}
