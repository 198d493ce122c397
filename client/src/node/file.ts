/** A folder as storage: a file for each key, replaced whole, one process at a time. */

import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Storage } from '../adapters/storage.ts';
import { lockFile } from './lock.ts';

/** A name that every file system takes and tells apart, also those that ignore case. */
const fileName = (key: string): string =>
  [...Buffer.from(key)]
    .map((byte) => (/[a-z0-9_-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`))
    .join('');

/** Writes a file or a folder's entries through to the disk. */
function sync(path: string, flags: string, value?: string): void {
  const file = openSync(path, flags, 0o600);
  try {
    if (value !== undefined) writeFileSync(file, value);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Keeps everything in a folder that only this user of the machine can read. A value is on the disk when `setItem`
 * returns, whole or not at all, whenever the process dies. Processes of one machine may share it. For a program that one person uses, a folder of theirs; for a
 * server, a folder for each person.
 *
 * @example createTelemetry({ schema, endpoint, storage: fileStorage(join(homedir(), '.notes')) });
 */
export function fileStorage(folder: string): Storage {
  const path = (key: string): string => join(folder, `${fileName(key)}.json`);
  const syncFolder = (): void => {
    if (process.platform !== 'win32') sync(folder, 'r'); // Windows opens no folders, and needs no such call
  };
  return {
    getItem: (key) => {
      try {
        return readFileSync(path(key), 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
        throw error;
      }
    },
    setItem: (key, value) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const next = `${path(key)}.${process.pid}`;
      sync(next, 'w', value);
      renameSync(next, path(key));
      syncFolder();
    },
    lock: (key) => lockFile(`${path(key)}.lock`),
  };
}
