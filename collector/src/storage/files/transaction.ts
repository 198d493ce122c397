/** Write transactions of the embedded store. */

import type { DatabaseSync } from 'node:sqlite';

/** Runs the work in a transaction: all of it takes effect, or none. */
export function transaction(database: DatabaseSync, work: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    work();
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}
