/**
 * The mark that `murmuration migrate` leaves in a store's folder: while its tallies are copied to a database, and for good once they are
 * there. A collector refuses a folder that was moved, because what it took would be missing in the database.
 */

import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { sync } from '../files/durable.ts';
import type { Head } from '../release-ledger.ts';

const MARK = 'moved.json';

/** A move from a folder to a database. */
export interface Migration {
  /** Drawn at random. The database has the same while it is filled. */
  readonly id: string;
  /** Where to, without a password. */
  readonly to: string;
  readonly isOver: boolean;
}

/** The move that a folder is marked with. @throws {RangeError} when the mark can't be read */
export function readMigration(folder: string): Migration | undefined {
  const file = join(folder, MARK);
  if (!existsSync(file)) return undefined;
  try {
    const { id, to, isOver } = JSON.parse(readFileSync(file, 'utf8')) as Migration;
    if (typeof id === 'string' && typeof to === 'string' && typeof isOver === 'boolean') return { id, to, isOver };
  } catch {
    // It is no JSON.
  }
  throw new RangeError(`${file}: expected the mark of a move, got another file`);
}

/** Marks a folder, durably. */
export function writeMigration(folder: string, move: Migration): void {
  const file = join(folder, MARK);
  writeFileSync(`${file}.new`, `${JSON.stringify(move)}\n`, { mode: 0o600 });
  sync(`${file}.new`);
  renameSync(`${file}.new`, file);
  sync(folder);
}

/** Takes the mark away. */
export function removeMigration(folder: string): void {
  rmSync(join(folder, MARK), { force: true });
  sync(folder);
}

/** @throws {RangeError} when the folder's store was moved */
export function checkNotMigrated(folder: string): void {
  const move = readMigration(folder);
  if (move?.isOver === true)
    throw new RangeError(
      `${folder}: expected a store that is in use, got one that was moved to ${move.to}; if that database is lost, remove ${join(folder, MARK)} to use this one again, whose releases then wait for an override`,
    );
}

/** @throws {RangeError} when the folder's store was moved, or is being copied, which goes by tallies that only grow */
export function checkNotMigrating(folder: string): void {
  checkNotMigrated(folder);
  const move = readMigration(folder);
  if (move !== undefined)
    throw new RangeError(
      `${folder}: expected a store that is not being moved, got one on its way to ${move.to}; end that move, or remove ${join(folder, MARK)} and begin it again with an empty database`,
    );
}

// `release.head`: how far the ledger in `admin.sqlite` had come, in a file of its own beside it. A backup does not carry it. So a folder
// whose ledger is shorter than the file says, or which has a ledger and no such file, holds an older state than the one that was released
// from.

const HEAD = 'release.head';
const MOVED = 'moved\n';

/** The last entry that is known, and whether the ledger is on its way to a database, which may have it already. */
interface KnownHead extends Head {
  readonly isMoving: boolean;
}

/** Content of the file: the last entry that is known, or that the folder was restored, or that its ledger was moved to a database. */
export type Known = KnownHead | 'restored' | 'moved';

/** Reads the file; undefined if there is none. @throws {RangeError} when it is damaged */
export function readHead(folder: string): Known | undefined {
  const file = join(folder, HEAD);
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, 'utf8');
  if (text === MOVED) return 'moved';
  const [, n, hash, moving] = /^(\d+) ([0-9a-f]{64})( moving)?\n$/.exec(text) ?? [];
  return n === undefined || hash === undefined ? 'restored' : { n: Number(n), hash, isMoving: moving !== undefined };
}

/** Writes the file. When this returns, it is on the disk. */
function write(folder: string, text: string): void {
  const draft = join(folder, `unfinished-${HEAD}`);
  const descriptor = openSync(draft, 'w', 0o600);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(draft, join(folder, HEAD));
  sync(folder);
}

export const writeHead = (folder: string, { n, hash }: Head): void => write(folder, `${n} ${hash}\n`);

/** Notes that a folder was restored, so that nothing is released from it until an admin has looked. Keeps a head that is there. */
export function markRestored(folder: string): void {
  if (readHead(folder) === undefined) write(folder, 'restored\n');
}

/**
 * Notes that the ledger is about to be handed over to a database. From now on it is in doubt without the mark of the move: that the move
 * failed does not tell that the database has nothing.
 */
export function markMigrating(folder: string): void {
  const known = readHead(folder);
  if (typeof known === 'object') write(folder, `${known.n} ${known.hash} moving\n`);
}

/** Notes that the ledger goes on in a database: what is charged there is not known here, should the folder be used again. */
export const markMigrated = (folder: string): void => write(folder, MOVED);
