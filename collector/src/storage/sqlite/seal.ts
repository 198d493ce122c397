/** The files of a backup: the draft that it is written to, and the seal at the end of a copy. */

import { createHash } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmdirSync,
  rmSync,
  truncateSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { LOCK, lock, lockLeft } from '../files/durable.ts';

// Where a backup is written before it gets its name: a folder of its own beside that name, with a lock in it. The system releases the lock
// when the process ends, however it ends. So the next backup can tell the folder of one that was killed, and removes it.

const COPY = 'copy.sqlite';

/** Folders that are tried, in case other backups remove them first. */
const MOST_TRIES = 10;

/** Name of such a folder, and all that can be in it: the lock, the copy, `admin.sqlite` on its way there, and SQLite's files beside them. */
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

/** True if a folder is a draft, by its name and by everything in it. */
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

const WORDS = '\nmurmuration sha256 ';

/** Bytes of the line: its words, 64 hex digits and a newline. */
const LENGTH = WORDS.length + 65;

/** Bytes that are read at once. */
const CHUNK = 2 ** 22;

/** Reads up to so many bytes from a place of a file. */
function readAt(descriptor: number, buffer: Buffer, position: number, length: number): Buffer {
  let read = 0;
  while (read < length) {
    const more = readSync(descriptor, buffer, read, length - read, position + read);
    if (more === 0) break;
    read += more;
  }
  return buffer.subarray(0, read);
}

function hashOf(descriptor: number, bytes: number): string {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafe(CHUNK);
  for (let at = 0; at < bytes; at += CHUNK) hash.update(readAt(descriptor, buffer, at, Math.min(CHUNK, bytes - at)));
  return hash.digest('hex');
}

function using<T>(file: string, work: (descriptor: number, bytes: number) => T): T {
  const descriptor = openSync(file, 'r');
  try {
    return work(descriptor, fstatSync(descriptor).size);
  } finally {
    closeSync(descriptor);
  }
}

/** Puts the line at the end of a file. Nothing may change the file afterwards. */
export function seal(file: string): void {
  appendFileSync(
    file,
    using(file, (descriptor, bytes) => `${WORDS}${hashOf(descriptor, bytes)}\n`),
  );
}

/**
 * True if a file ends with the line.
 *
 * @param name the name of the file in the error
 * @throws {RangeError} when the bytes before it are others than those that were sealed
 */
export const isSealed = (file: string, name: string = file): boolean =>
  using(file, (descriptor, bytes) => {
    if (bytes < LENGTH) return false;
    const line = readAt(descriptor, Buffer.alloc(LENGTH), bytes - LENGTH, LENGTH).toString('latin1');
    if (!line.startsWith(WORDS)) return false;
    if (line === `${WORDS}${hashOf(descriptor, bytes - LENGTH)}\n`) return true;
    throw new RangeError(`${name}: expected a whole copy, got a damaged one: its bytes are not those of its checksum`);
  });

/** Takes the line off a file that has it. */
export const unseal = (file: string): void =>
  truncateSync(
    file,
    using(file, (_descriptor, bytes) => bytes - LENGTH),
  );

/** The error for a copy without the line, when no check has found what else is wrong with it. */
export const unsealed = (name: string): RangeError =>
  new RangeError(`${name}: expected a copy that ends with its checksum, as backup writes it, got one without`);
