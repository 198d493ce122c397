/** Transactions of the embedded store that write. */

import type { DatabaseSync } from 'node:sqlite';

/** All of the work, or none of it. */
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
