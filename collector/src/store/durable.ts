/** Files and folders that survive a power loss. Anything that is not synced may be lost then, including the entries of folders. */

import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
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

/** Creates a folder and its parents, and syncs the entry of each folder that it created. */
export function makeFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = resolve(folder); ; made = dirname(made)) {
    sync(dirname(made));
    if (made === resolve(first)) return;
  }
}
