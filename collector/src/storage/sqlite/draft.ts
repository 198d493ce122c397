/**
 * Where a backup is written before it gets its name: a folder of its own beside that name, with a lock in it. The system releases the lock
 * when the process ends, however it ends. So the next backup can tell the folder of one that was killed, and removes it.
 */

import { existsSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LOCK, lock, lockLeft } from '../files/lock.ts';

const COPY = 'copy.sqlite';

/** Folders that are tried, in case other backups remove them first. */
const MOST_TRIES = 10;

/** What such a folder is called, and all that can be in it: the lock, the copy, `admin.sqlite` on its way there, and SQLite's files beside them. */
const FOLDER = /.\.unfinished-[A-Za-z0-9]{6}$/;
const FILE = /^(murmuration\.lock|copy\.sqlite|copy\.sqlite\.admin)(-journal|-wal|-shm)?$/;

/** A backup that is being written. */
export interface Draft {
  readonly file: string;
  /** Removes what is left of it. */
  readonly remove: () => void;
}

function removeFolder(folder: string, unlock: () => void): void {
  try {
    for (const name of readdirSync(folder)) if (name !== LOCK) rmSync(join(folder, name));
    rmSync(join(folder, LOCK)); // the last file: without it, nobody knows whose folder this is
    rmdirSync(folder);
  } finally {
    unlock();
  }
}

/**
 * Locks a new folder. Until it is locked, another backup may take it for one that was left, and remove it: then there is no lock in it.
 * Nobody else ever puts one there, so a lock that is held and still there is this one.
 *
 * @param take takes the lock
 * @returns undefined when the folder was removed
 */
export function lockNew(folder: string, take: (folder: string) => () => void = lock): (() => void) | undefined {
  const isThere = (): boolean => existsSync(join(folder, LOCK));
  let unlock: () => void;
  try {
    unlock = take(folder);
  } catch (error) {
    if (isThere()) throw error;
    return undefined;
  }
  if (isThere()) return unlock;
  unlock();
  return undefined;
}

/** Begins a draft beside a file's later place. @throws {RangeError} when no folder there can be locked */
export function beginDraft(target: string): Draft {
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const folder = mkdtempSync(`${target}.unfinished-`);
    const unlock = lockNew(folder);
    if (unlock !== undefined) return { file: join(folder, COPY), remove: () => removeFolder(folder, unlock) };
  }
  throw new RangeError(`${target}: expected a place where a folder can be locked, got none in ${MOST_TRIES} tries`);
}

/** Whether a folder is a draft, by its name and by everything in it. */
function isDraft(folder: string): boolean {
  const entries = FOLDER.test(basename(folder)) ? readdirSync(folder, { withFileTypes: true }) : [];
  return entries.some(({ name }) => name === LOCK) && entries.every((each) => each.isFile() && FILE.test(each.name));
}

/** Removes the drafts beside a file's later place that no process works on. Leaves whatever it may not touch. */
export function removeAbandoned(target: string): void {
  for (const entry of readdirSync(dirname(target), { withFileTypes: true })) {
    const folder = join(dirname(target), entry.name);
    try {
      if (entry.isDirectory() && isDraft(folder)) removeFolder(folder, lockLeft(folder));
    } catch {
      // A process works on it, or it is another user's.
    }
  }
}
