/**
 * One process at a time: the embedded store knows its ids in memory, so a second writer would count what the first has
 * counted. The lock is SQLite's own, on an empty database beside the store: the system lifts it when the process ends, however it ends.
 */

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const SQLITE_BUSY = 5;
/** Milliseconds that a process waits for the one before it to end. */
const PATIENCE = 5_000;

/**
 * Takes a folder's lock, and gives what lets it go.
 *
 * @throws {RangeError} when another process has it
 */
export function lock(folder: string): () => void {
  const database = new DatabaseSync(join(folder, 'murmuration.lock'), { timeout: PATIENCE });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { readonly errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new RangeError(`${folder}: expected a store that no other process writes, got one that is in use`);
  }
  return () => database.close();
}
