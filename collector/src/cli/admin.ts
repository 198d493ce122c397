/** Opens the backend of a command, and its administration. */

import type { DatabaseSync } from 'node:sqlite';
import { inOneLine } from '../base/fault.ts';
import type { Backend } from '../storage/backend.ts';
import { type PostgresChoice, postgres as postgresAt } from '../storage/postgres/backend.ts';
import { sqlite } from '../storage/sqlite/backend.ts';

/** Where a command works. */
export interface AdminPlace {
  readonly data: string;
  /** The URL of the database, in place of the folder. */
  readonly postgres?: string;
  /** True if an empty store may begin in a folder that has had one. */
  readonly new?: true;
}

/** The backend that the options of a command choose. */
export const backendOf = ({ data, postgres, new: isNew }: AdminPlace, choice?: PostgresChoice): Backend =>
  postgres === undefined ? sqlite(data, { isNew: isNew === true }) : postgresAt(postgres, choice);

/** Does something with the administration. Creates what it needs where there is nothing yet. */
export const withAdmin = <T>(place: AdminPlace, work: (database: DatabaseSync) => T): Promise<T> =>
  inOneLine(() => backendOf(place).admin.change(work));

/** The same, for a place that a collector or a command has used before. */
export const withExistingAdmin = <T>(place: AdminPlace, work: (database: DatabaseSync) => T): Promise<T> =>
  inOneLine(() => backendOf(place).admin.changeExisting(work));

/**
 * Reads a list of the administration and changes nothing: a collector of an older version may run beside it.
 *
 * @param since the first version of a folder's file that has the list (admin/database.ts)
 */
export const readExistingAdmin = <T>(
  place: AdminPlace,
  since: number,
  read: (database: DatabaseSync) => readonly T[],
): Promise<readonly T[]> => inOneLine(() => backendOf(place).admin.read(since, read));
