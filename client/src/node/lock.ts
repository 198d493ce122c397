/** A lock among processes: a file that names its holder, and that outlives a holder who died without notice. */

import { linkSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { threadId } from 'node:worker_threads';

/** Milliseconds between looks at a lock that another process holds. */
const PAUSE = 250;

const code = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** The locks of this process, for its own number says nothing of them: containers use the same numbers again. */
const held = new Set<string>();

/** Whether the process that the file names is alive, and holds it. */
function isHeld(path: string, holder: number): boolean {
  if (holder === process.pid) return held.has(path) || statSync(path).mtimeMs > Date.now() - process.uptime() * 1_000;
  try {
    return process.kill(holder, 0);
  } catch (error) {
    return code(error) === 'EPERM'; // alive, and another user's
  }
}

/** Creates the lock with its holder's number in it, at once; false where there is one, or the folder was removed meanwhile. */
function create(path: string): boolean {
  const own = `${path}.${process.pid}.${threadId}`;
  try {
    writeFileSync(own, String(process.pid));
    linkSync(own, path);
    return true;
  } catch (error) {
    if (!['EEXIST', 'ENOENT'].includes(code(error) ?? '')) throw error;
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

/**
 * Removes the lock of a process that died. One process at a time looks and removes: nobody removes a lock that was
 * taken since they looked. One that dies between the two leaves a lock that nobody takes: the device falls silent, which
 * is the safe side.
 */
function clear(path: string): void {
  try {
    mkdirSync(`${path}.clearing`);
  } catch {
    return;
  }
  try {
    if (!isHeld(path, Number(readFileSync(path, 'utf8')))) rmSync(path);
  } catch (error) {
    if (code(error) !== 'ENOENT') throw error;
  } finally {
    rmdirSync(`${path}.clearing`);
  }
}

/** Removes a lock, and its folder where nothing else was stored. */
function release(path: string): void {
  if (!held.delete(path)) return;
  try {
    rmSync(path, { force: true });
    rmdirSync(dirname(path));
  } catch {
    // The folder holds something, or is gone.
  }
}

/** A process that ends leaves no lock behind. */
const releaseAll = (): void => {
  for (const path of [...held]) release(path);
};

/** Resolves to a release function once this process holds the lock. Waiting does not keep the process alive. */
export async function lockFile(path: string): Promise<() => void> {
  for (;;) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (create(path)) break;
    clear(path);
    if (create(path)) break;
    await new Promise((resolve) => setTimeout(resolve, PAUSE).unref());
  }
  if (held.size === 0) process.off('exit', releaseAll).on('exit', releaseAll);
  held.add(path);
  return () => release(path);
}
