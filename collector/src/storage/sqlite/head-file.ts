/**
 * `release.head`: how far the ledger in `admin.sqlite` had come, in a file of its own beside it. A backup does not carry it. So a folder
 * whose ledger is shorter than the file says, or which has a ledger and no such file, holds an older state than the one that was released
 * from.
 */

import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { sync } from '../files/durable.ts';
import type { Head } from '../release-ledger.ts';

const HEAD = 'release.head';
const MOVED = 'moved\n';

/** The last entry that is known, and whether the ledger is on its way to a database, which may have it already. */
interface KnownHead extends Head {
  readonly isMoving: boolean;
}

/** What the file says: the last entry that is known, or that the folder was restored, or that its ledger was moved to a database. */
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
export function markMoving(folder: string): void {
  const known = readHead(folder);
  if (typeof known === 'object') write(folder, `${known.n} ${known.hash} moving\n`);
}

/** Notes that the ledger goes on in a database: what is charged there is not known here, should the folder be used again. */
export const markMoved = (folder: string): void => write(folder, MOVED);
