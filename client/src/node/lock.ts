/**
 * A lock between processes and threads, held during one write: a folder that contains the draft of the file to be written.
 *
 * To take the lock, a process moves a folder with a draft of its own into place. This fails if another's folder is there. To commit a
 * write, it moves the draft out of the folder into place. A process that has lost the lock meanwhile no longer has a draft and can't write.
 * Safety therefore does not depend on guesses about which processes are alive: a lock may be cleared if its holder is dead, was a
 * terminated thread, or is just slow.
 *
 * `proper-lockfile` was considered. It regards a holder as dead if its lock has not been renewed for some seconds. A stopped process or a
 * machine that slept looks the same, and then two processes write. After a kill the next program waits for those seconds, and its
 * synchronous form can't wait at all.
 */

import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** A lock that is held. */
export interface Lock {
  /** The holder's own empty file. It exists as long as the lock does. */
  readonly draft: string;
  readonly release: () => void;
}

/**
 * The error codes for a folder that is in the way; Windows reports EPERM. ENOENT: another process that can't see this one took it for dead.
 */
const TAKEN = ['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES', 'ENOENT'];

/** The code of a file system error. */
export const code = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';

/**
 * Removes the lock that this draft belongs to; a lock that someone else holds stays. The next process that wants the lock clears what can't
 * be removed.
 */
function remove(path: string, draft: string): void {
  try {
    rmSync(draft, { recursive: true, force: true });
    rmdirSync(path);
  } catch {
    // The lock is gone or belongs to another.
  }
}

/** Takes the lock; undefined if another holds it. The folder that contains it must exist. */
export function takeLock(path: string): Lock | undefined {
  const name = `${process.pid}-${randomUUID()}`;
  const own = `${path}.${name}`;
  mkdirSync(own, { mode: 0o700 });
  try {
    writeFileSync(join(own, name), '', { mode: 0o600 });
    renameSync(own, path);
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    if (!TAKEN.includes(code(error))) throw error;
    return undefined;
  }
  const draft = join(path, name);
  return { draft, release: () => remove(path, draft) };
}

/** The name of the lock's holder; empty if there is none. */
export function holderOf(path: string): string {
  try {
    return readdirSync(path)[0] ?? '';
  } catch (error) {
    if (code(error) === 'ENOENT') return '';
    throw error;
  }
}

/**
 * True if a holder's process is gone. For a process in another container or on another machine this may be wrong, which costs the holder a
 * second attempt.
 */
export function isDead(holder: string): boolean {
  try {
    process.kill(Number.parseInt(holder, 10), 0);
    return false;
  } catch (error) {
    return code(error) === 'ESRCH';
  }
}

/** Removes what programs left behind that died while taking the lock. */
export function sweep(path: string): void {
  const prefix = `${basename(path)}.`;
  try {
    for (const name of readdirSync(dirname(path))) {
      if (name.startsWith(prefix) && isDead(name.slice(prefix.length))) rmSync(join(dirname(path), name), { recursive: true, force: true });
    }
  } catch {
    // There is no folder yet, or an owner is alive after all and is writing there.
  }
}

/** Takes the lock away from a holder, and removes what others left behind. */
export function clearLock(path: string, holder: string): void {
  remove(path, join(path, holder || 'nobody'));
  sweep(path);
}
