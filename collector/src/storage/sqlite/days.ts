/** Opens days again that a wrong clock has closed. A collector must not be running on the store. */

import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { TIMEOUT, versionOf } from '../files/database.ts';
import { checkOwner } from '../files/durable.ts';
import { lock } from '../files/lock.ts';
import { checkNotMoved } from './moved.ts';
import { DATABASE, STEPS } from './schema.ts';

function open(folder: string, readOnly: boolean): DatabaseSync {
  const file = join(folder, DATABASE);
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new RangeError(`${folder}: expected a folder with a store, got none`);
  checkOwner(file);
  const database = new DatabaseSync(file, { timeout: TIMEOUT, readOnly });
  const version = versionOf(database, file, STEPS.length);
  if (version === STEPS.length) return database;
  database.close();
  throw new RangeError(`${file}: expected a store of version ${STEPS.length}, got ${version}; start the collector once to migrate it`);
}

/** The day before which a store has closed all days; 0 when it has closed none. @throws {RangeError} when there is no store */
export function closedBefore(folder: string): number {
  const database = open(folder, true);
  try {
    return Number(database.prepare('SELECT before FROM closed').get()?.['before']);
  } finally {
    database.close();
  }
}

/**
 * Opens the days from this one on again.
 *
 * @throws {RangeError} when there is no store, it was moved, or a collector writes it
 */
export function reopenDays(folder: string, from: number): void {
  checkNotMoved(folder);
  open(folder, true).close(); // before the lock, which would create the folder's lock file
  const unlock = lock(folder);
  try {
    const database = open(folder, false);
    try {
      database.exec('PRAGMA synchronous = FULL');
      database.prepare('UPDATE closed SET before = ? WHERE before > ?').run(from, from);
    } finally {
      database.close();
    }
  } finally {
    unlock();
  }
}
