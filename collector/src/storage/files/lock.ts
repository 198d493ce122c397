/**
 * The lock of the embedded store: one process at a time. The store keeps its ids in memory, so a second writer would count the same batches
 * again. The lock is SQLite's own, on an empty database beside the store. The system releases it when the process ends, even after a crash.
 */

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { makePrivate } from './durable.ts';

/** The name of the lock in its folder. */
export const LOCK = 'murmuration.lock';

const SQLITE_BUSY = 5;
/** Milliseconds to wait for the previous process to end. */
const PATIENCE = 5_000;

/** Folders whose lock this process holds. */
const held = new Set<string>();

/** Takes the lock of an open file, and returns the function that releases it. */
function take(database: DatabaseSync, folder: string): () => void {
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((error as { readonly errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    throw new RangeError(
      `${folder}: expected a store that no other process writes, got one that is in use; stop the collector that runs on it`,
    );
  }
  const name = resolve(folder);
  held.add(name);
  return () => {
    held.delete(name);
    database.close();
  };
}

/**
 * Takes a folder's lock, and returns the function that releases it.
 *
 * @throws {RangeError} when another process holds it
 */
export function lock(folder: string): () => void {
  const file = join(folder, LOCK);
  makePrivate(file);
  return take(new DatabaseSync(file, { timeout: PATIENCE }), folder);
}

/**
 * Works alone on a folder: no other process may hold its lock meanwhile. Where this process holds it already, or none ever did, there is
 * nothing to wait for.
 *
 * @param otherwise the message of the error when another process holds it
 * @throws {RangeError} when another process holds it
 */
export function alone(folder: string, otherwise: string, work: () => void): void {
  if (held.has(resolve(folder)) || !existsSync(join(folder, LOCK))) return work();
  let unlock: () => void;
  try {
    unlock = lock(folder);
  } catch (error) {
    throw error instanceof RangeError ? new RangeError(otherwise) : error;
  }
  try {
    work();
  } finally {
    unlock();
  }
}

/**
 * Takes the lock that a process left in a folder. Neither creates one nor waits.
 *
 * @throws {Error} when there is none, or a process holds it
 */
export function lockLeft(folder: string): () => void {
  const file = pathToFileURL(join(folder, LOCK));
  file.searchParams.set('mode', 'rw');
  return take(new DatabaseSync(file, { timeout: 0 }), folder);
}
