/** Files and folders that survive a power loss. Anything that is not synced may be lost then, including the entries of folders. */

import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

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
