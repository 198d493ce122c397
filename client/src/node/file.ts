/** Storage in a folder: one file per key, replaced as a whole by one process and one thread at a time. */

import { randomInt } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Storage, Updated } from '../adapters/storage.ts';
import type { Maybe } from '../maybe.ts';
import { clearLock, code, holderOf, isDead, sweep, takeLock } from './lock.ts';

/** The longest random pause, in milliseconds, between two attempts to take a lock that another holds; the shortest is 1. */
const PAUSE = 10;
/** Milliseconds after which a live holder is overridden: it was stopped, or was a thread that no longer exists. A write takes about 10. */
const STALLED = 5_000;
/** Milliseconds after which a step gives up, with nothing written. */
const PATIENCE = 20_000;

/** A name that is valid and unique on every file system, including those that ignore case. */
const fileName = (key: string): string =>
  [...Buffer.from(key)]
    .map((byte) => (/[a-z0-9_-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`))
    .join('');

/** The text of a file; undefined if it does not exist. Bytes that are not UTF-8 are left for the caller to judge. */
function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (code(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Flushes a folder's entries to the disk, if the platform can. Windows can't open folders and does not need this. */
function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch {
    // The entries have been changed already, so failing now would be misleading.
  }
}

/** Writes an existing file and flushes it to the disk. */
function write(file: string, text: string): void {
  const handle = openSync(file, 'r+');
  try {
    writeFileSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Creates a folder that only this user of the machine can access. */
function makeFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let parent = folder; first !== undefined && parent.length > dirname(first).length; ) {
    parent = dirname(parent);
    syncFolder(parent);
  }
}

/** One attempt; undefined if another process or thread holds the lock or took it away. */
function tryStep<T>(
  file: string,
  lockPath: string,
  update: (stored: string | undefined) => Updated<T>,
): { readonly result: T } | undefined {
  if (read(file) === undefined) {
    const { next, result } = update(undefined);
    if (next === undefined) return { result };
    makeFolder(dirname(file));
  }
  const lock = takeLock(lockPath);
  if (!lock) return undefined;
  try {
    const { next, result } = update(read(file));
    if (next !== undefined) {
      try {
        write(lock.draft, next);
        renameSync(lock.draft, file);
      } catch (error) {
        if (code(error) === 'ENOENT') return undefined;
        throw error;
      }
      syncFolder(dirname(file));
    }
    return { result };
  } finally {
    lock.release();
  }
}

/** Takes the lock away from a holder. The holder's last write may not be on the disk yet. */
function pass(lockPath: string, holder: string): void {
  clearLock(lockPath, holder);
  syncFolder(dirname(lockPath));
}

/** Tries until it has the lock. */
async function wait<T>(file: string, lockPath: string, update: (stored: string | undefined) => Updated<T>): Promise<T> {
  const start = performance.now();
  let holder = '';
  let seen = start;
  while (performance.now() - start < PATIENCE) {
    const done = tryStep(file, lockPath, update);
    if (done) return done.result;
    const now = holderOf(lockPath);
    if (now !== holder) seen = performance.now();
    holder = now;
    if (isDead(holder) || performance.now() - seen > STALLED) pass(lockPath, holder);
    else await pause(1 + randomInt(PAUSE));
  }
  throw new Error(`expected the lock ${lockPath}, got none in ${PATIENCE / 1_000} s`);
}

/** This thread's waiting steps, by file. Later steps queue behind them. */
const waiting = new Map<string, Promise<unknown>>();

/**
 * Keeps everything in a folder that only this user of the machine can read. A step is on the disk before `transact` returns, as a whole or
 * not at all, whenever the process dies. If another process or thread is writing at that moment, `transact` returns a promise. A program
 * with nothing else to do stays alive for it: some milliseconds, 20 seconds at most. A program that calls `process.exit` before loses the
 * step, and nothing is written. Processes of one machine may share a folder. Use a folder of the person's own for a program that one person
 * uses, and one folder per person on a server.
 *
 * @example createTelemetry({ schema, endpoint, storage: fileStorage(join(homedir(), '.notes')) });
 */
export function fileStorage(folder: string): Storage {
  const root = resolve(folder);
  const swept = new Set<string>();
  return {
    transact: <T>(key: string, update: (stored: string | undefined) => Updated<T>): Maybe<T> => {
      const name = join(root, fileName(key));
      const [file, lock] = [`${name}.json`, `${name}.lock`];
      if (!swept.has(lock)) sweep(lock); // once: crashes are rare and leave at worst an empty folder
      swept.add(lock);
      const before = waiting.get(file);
      if (!before) {
        let done = tryStep(file, lock, update);
        const holder = done ? '' : holderOf(lock);
        if (isDead(holder)) {
          pass(lock, holder);
          done = tryStep(file, lock, update);
        }
        if (done) return done.result;
      }
      const run = (): Promise<T> => wait(file, lock, update);
      const work: Promise<T> = Promise.resolve(before)
        .then(run, run)
        .finally(() => {
          if (waiting.get(file) === work) waiting.delete(file);
        });
      waiting.set(file, work);
      return work;
    },
  };
}
