/** Files and folders that survive a power loss. Anything that is not synced may be lost then, including the entries of folders. */

import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

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
 * Creates an empty file that only its owner may read, or takes the rights of others from the file that is there. Such a file is not opened:
 * closing it would release every lock that this process holds on it.
 */
export function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', PRIVATE));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    chmodSync(file, PRIVATE);
  }
}

/** Creates a folder and its parents, for their owner only, and syncs the entry of each folder that it created. */
export function makeFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
  if (first === undefined) return;
  for (let made = resolve(folder); ; made = dirname(made)) {
    sync(dirname(made));
    if (made === resolve(first)) return;
  }
}
