/** Opens a folder's `admin.sqlite` for a command. */

import type { DatabaseSync } from 'node:sqlite';
import { ADMIN, hasAdmin, openAdminDatabase } from '../admin/database.ts';
import { Failure, UsageError } from './usage.ts';

/** Does something with a folder's `admin.sqlite`. Invalid input is wrong usage, and another error a failure. */
export function withAdmin<T>(data: string, work: (database: DatabaseSync) => T): T {
  let database: DatabaseSync | undefined;
  try {
    database = openAdminDatabase(data);
    return work(database);
  } catch (error) {
    throw error instanceof RangeError ? new UsageError(error.message) : new Failure((error as Error).message);
  } finally {
    database?.close();
  }
}

/** The same, for a folder that a collector or a command has used before. */
export function withExistingAdmin<T>(data: string, work: (database: DatabaseSync) => T): T {
  if (!hasAdmin(data))
    throw new UsageError(`--data ${data}: expected a folder that serve, keys create or schemas publish has used, got one without ${ADMIN}`);
  return withAdmin(data, work);
}
