/** Opens the administration for a command: a folder's `admin.sqlite`, or the tables in the database that collectors share. */

import type { DatabaseSync } from 'node:sqlite';
import { Failure, UsageError } from '../base/usage.ts';
import { ADMIN, hasAdmin, openAdminDatabase, readAdmin } from '../storage/admin/database.ts';
import { Database } from '../storage/postgres/database.ts';
import { UnfitDatabase } from '../storage/postgres/errors.ts';
import { checkStored, prepare } from '../storage/postgres/opening.ts';
import { changeAdmin, replicaOf } from '../storage/postgres/replica.ts';
import { STEPS } from '../storage/postgres/tables.ts';
import { checkNotMoved } from '../storage/sqlite/moved.ts';

/** Where the administration is. */
export interface AdminPlace {
  readonly data: string;
  /** The URL of the database, in place of the folder. */
  readonly postgres?: string;
}

function using<T>(database: DatabaseSync, work: (database: DatabaseSync) => T): T {
  try {
    return work(database);
  } finally {
    database.close();
  }
}

function inFolder<T>(folder: string, work: (database: DatabaseSync) => T): T {
  checkNotMoved(folder);
  if (!hasAdmin(folder)) using(replicaOf(undefined), work); // what is refused creates no file
  return using(openAdminDatabase(folder), work);
}

async function inDatabase<T>(postgres: string, work: (database: DatabaseSync) => T): Promise<T> {
  const database = new Database({ postgres }, { connections: 1, isGuarded: false });
  try {
    return await changeAdmin(database, work);
  } finally {
    await database.close();
  }
}

/** Invalid input is wrong usage, and another error a failure. */
const inOneLine = (error: unknown): Error =>
  error instanceof RangeError || error instanceof UnfitDatabase ? new UsageError(error.message) : new Failure((error as Error).message);

/**
 * Prepares a database for the store and its administration.
 *
 * @param isOnlyCreated whether tables of an older version are refused, in place of being migrated
 * @throws {UsageError} when it can't hold them
 */
export async function prepareAdmin(postgres: string, isLossAllowed: boolean, isOnlyCreated: boolean = false): Promise<void> {
  await prepare({ postgres }, isLossAllowed, STEPS, isOnlyCreated).catch((error: unknown) => {
    throw inOneLine(error);
  });
}

/** Does something with the administration. Creates what it needs where there is nothing yet. */
export async function withAdmin<T>({ data, postgres }: AdminPlace, work: (database: DatabaseSync) => T): Promise<T> {
  // Whether the server may lose anything is for `serve` to ask, and migrating stops older collectors, which is for `serve`, too.
  if (postgres !== undefined) await prepareAdmin(postgres, true, true);
  try {
    if (postgres === undefined) return inFolder(data, work);
    return await inDatabase(postgres, work);
  } catch (error) {
    throw inOneLine(error);
  }
}

/** @throws {UsageError} when a folder has no administration yet */
function checkUsed({ data, postgres }: AdminPlace): void {
  if (postgres === undefined && !hasAdmin(data))
    throw new UsageError(`--data ${data}: expected a folder that serve, keys create or schemas publish has used, got one without ${ADMIN}`);
}

/** The same, for a place that a collector or a command has used before. */
export async function withExistingAdmin<T>(place: AdminPlace, work: (database: DatabaseSync) => T): Promise<T> {
  const { data, postgres } = place;
  checkUsed(place);
  try {
    if (postgres === undefined) return inFolder(data, work);
    await checkStored({ postgres });
    return await inDatabase(postgres, work);
  } catch (error) {
    throw inOneLine(error);
  }
}

/**
 * Reads a list of the administration and changes nothing: a collector of an older version may run beside it.
 *
 * @param since the first version of a folder's file that has the list (admin/database.ts)
 */
export async function readExistingAdmin<T>(
  place: AdminPlace,
  since: number,
  read: (database: DatabaseSync) => readonly T[],
): Promise<readonly T[]> {
  const { data, postgres } = place;
  if (postgres !== undefined) return withExistingAdmin(place, read);
  checkUsed(place);
  try {
    checkNotMoved(data);
    return readAdmin(data, since, read);
  } catch (error) {
    throw inOneLine(error);
  }
}
