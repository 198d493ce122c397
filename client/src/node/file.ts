/** A folder as storage: a file for each key, replaced whole, by one process and one thread at a time. */

import { randomInt } from 'node:crypto';
import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Storage, Updated } from '../adapters/storage.ts';
import type { Maybe } from '../maybe.ts';
import { clearLock, code, holderOf, isDead, sweep, takeLock } from './lock.ts';

/** Milliseconds between two tries for a lock that another holds: at least 1, at random up to this. */
const PAUSE = 10;
/** Milliseconds after which a holder that lives is passed over: it was stopped, or was a thread that is gone. A write takes some 10. */
const STALLED = 5_000;
/** Milliseconds after which a step gives up, with nothing written. */
const PATIENCE = 20_000;

/** A name that every file system takes and tells apart, also those that ignore case. */
const fileName = (key: string): string =>
  [...Buffer.from(key)]
    .map((byte) => (/[a-z0-9_-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`))
    .join('');

/** The text of a file, undefined where there is none. Bytes that are no UTF-8 are for the reader to judge. */
function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (code(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Writes a folder's entries through to the disk, where the platform can: Windows opens no folders, and needs no such call. */
function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, 'r');
    try {
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
  } catch {
    // The entries are changed already: to fail now would say that they are not.
  }
}

/** Writes a file that exists through to the disk. */
function write(file: string, text: string): void {
  const handle = openSync(file, 'r+');
  try {
    writeFileSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}

/** Creates a folder for this user of the machine alone. */
function makeFolder(folder: string): void {
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let parent = folder; first !== undefined && parent.length > dirname(first).length; ) {
    parent = dirname(parent);
    syncFolder(parent);
  }
}

/** One try: undefined where another holds the lock, or took it away. */
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

/** Takes the lock from a holder, whose last write may not be on the disk yet. */
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

/** The steps of this thread that wait, by file: whoever comes later waits behind them. */
const waiting = new Map<string, Promise<unknown>>();

/**
 * Keeps everything in a folder that only this user of the machine can read. A step is done before `transact` returns, on the disk, whole or
 * not at all, whenever the process dies; where another process or thread is writing at that moment, it returns a promise. A program that
 * has nothing else to do stays for it, some milliseconds, 20 seconds at most; one that calls `process.exit` before loses
 * the step, and nothing was written. Processes of one machine may share a folder. For a program that one person uses, a folder of theirs; for a
 * server, a folder for each person.
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
      if (!swept.has(lock)) sweep(lock); // once: programs that die are rare, and leave an empty folder at worst
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
