/**
 * A lock among processes and threads, held for the moments of one write: a folder that holds the draft of what is written.
 *
 * Taking it moves a folder with a draft of one's own into place, which fails where another's is. What was written is put into place by
 * moving the draft out of it. Whoever lost the lock meanwhile has no draft any more and can't write. So safety does not rest on guesses about
 * who is alive: a lock may be cleared when its holder is dead, or a thread that was terminated, or just slow.
 *
 * `proper-lockfile` was considered. It takes a holder for dead whose lock has not been renewed for some seconds. A process that was stopped, or a
 * machine that slept, looks the same, and then two write. After a kill the next program waits for those seconds, and its synchronous
 * form can't wait at all.
 */

import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** A lock that is held. */
export interface Lock {
  /** An empty file of one's own, there as long as the lock is. */
  readonly draft: string;
  readonly release: () => void;
}

/** What a file system says of a folder that is in the way; Windows says EPERM. ENOENT: someone who can't see this process took it for dead. */
const TAKEN = ['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES', 'ENOENT'];

/** The code of an error of the file system. */
export const code = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';

/** Removes a lock whose draft this is; one that someone else holds stays. What can't be removed is cleared by who wants the lock next. */
function remove(path: string, draft: string): void {
  try {
    rmSync(draft, { recursive: true, force: true });
    rmdirSync(path);
  } catch {
    // It is gone, or another's.
  }
}

/** Takes the lock, or says that another has it. The folder that it is in must exist. */
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

/** The name of who holds the lock; empty where nobody does. */
export function holderOf(path: string): string {
  try {
    return readdirSync(path)[0] ?? '';
  } catch (error) {
    if (code(error) === 'ENOENT') return '';
    throw error;
  }
}

/** Whether a holder's process is gone. Of another container or machine the answer may be wrong, which costs the holder a second try. */
export function isDead(holder: string): boolean {
  try {
    process.kill(Number.parseInt(holder, 10), 0);
    return false;
  } catch (error) {
    return code(error) === 'ESRCH';
  }
}

/** Removes what programs left that died while they took the lock. */
export function sweep(path: string): void {
  const prefix = `${basename(path)}.`;
  try {
    for (const name of readdirSync(dirname(path))) {
      if (name.startsWith(prefix) && isDead(name.slice(prefix.length))) rmSync(join(dirname(path), name), { recursive: true, force: true });
    }
  } catch {
    // There is no folder yet; or an owner lives after all, and is writing there.
  }
}

/** Takes the lock away from a holder, and removes what others left. */
export function clearLock(path: string, holder: string): void {
  remove(path, join(path, holder || 'nobody'));
  sweep(path);
}
