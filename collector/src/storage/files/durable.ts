/** Files and folders that survive a power loss. Anything that is not synced may be lost then, including the entries of folders. */

import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

/** The free bytes of the disk that holds a folder. */
export async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Syncs the content of a file, or the entries of a folder. */
export function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Only the user who runs the collector may read what it stores. */
const PRIVATE = 0o600;
const PRIVATE_FOLDER = 0o700;

/**
 * Checks that a database, and the files that SQLite keeps beside it, are not another user's private ones. SQLite says of such a file only
 * that it can't open one.
 *
 * @throws {RangeError} when one of them is
 */
export function checkOwner(file: string): void {
  const own = process.geteuid?.() ?? 0;
  if (own === 0) return; // root may use every file
  for (const name of ['', '-wal', '-shm'].map((rest) => file + rest)) {
    const { uid = own, mode = 0 } = statSync(name, { throwIfNoEntry: false }) ?? {};
    if (uid !== own && (mode & 0o077) === 0)
      throw new RangeError(`${name}: expected a file of this user (uid ${own}), got one of uid ${uid}; chown it`);
  }
}

/**
 * Creates an empty file that only its owner may read, or takes the rights of others from the file that is there. Such a file is not opened:
 * closing it would release every lock that this process holds on it.
 *
 * @throws {RangeError} when it is another user's
 */
export function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', PRIVATE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    checkOwner(file);
    chmodSync(file, PRIVATE);
  }
}

/**
 * Creates a folder and its parents, for their owner only, and syncs the entry of each folder that it created.
 *
 * @throws {RangeError} where a file is in its place
 */
export function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false)
    throw new RangeError(`${folder}: expected a folder, got a file`);
  const first = mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
  if (first === undefined) return;
  for (let made = resolve(folder); ; made = dirname(made)) {
    sync(dirname(made));
    if (made === resolve(first)) return;
  }
}

// The lock of the embedded store: one process at a time. The store keeps its ids in memory, so a second writer would count the same batches
// again. The lock is SQLite's own, on an empty database beside the store. The system releases it when the process ends, even after a crash.

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
