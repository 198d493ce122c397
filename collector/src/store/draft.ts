/**
 * Where a backup is written before it gets its name: a folder of its own beside that name, with a lock in it. The system releases the lock
 * when the process ends, however it ends. So the next backup can tell the folder of one that was killed, and removes it.
 */

import { existsSync, mkdtempSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LOCK, lock } from './lock.ts';

const COPY = 'copy.sqlite';

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
  for (const name of readdirSync(folder)) if (name !== LOCK) rmSync(join(folder, name));
  rmSync(join(folder, LOCK)); // the last file: without it, nobody knows whose folder this is
  rmdirSync(folder);
  unlock();
}

/** Begins a draft beside a file's later place. */
export function beginDraft(target: string): Draft {
  for (;;) {
    const folder = mkdtempSync(`${target}.unfinished-`);
    const unlock = lock(folder);
    // Another backup may have taken the folder for one that was left, between its creation and its lock.
    if (existsSync(join(folder, LOCK))) return { file: join(folder, COPY), remove: () => removeFolder(folder, unlock) };
    unlock();
  }
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
      if (entry.isDirectory() && isDraft(folder)) removeFolder(folder, lock(folder, 0));
    } catch {
      // A process works on it, or it is another user's.
    }
  }
}
