/** Files and folders that outlive a power loss: what is not synced, entries of folders included, may be gone after one. */

import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Syncs a file's content, or a folder's entries. */
export function sync(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Makes a folder, with those above it, and syncs the entry of each that was made. */
export function makeFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = resolve(folder); ; made = dirname(made)) {
    sync(dirname(made));
    if (made === resolve(first)) return;
  }
}
