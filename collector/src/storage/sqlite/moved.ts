/**
 * The mark that `murmuration migrate` leaves in a store's folder: while its tallies are copied to a database, and for good once they are
 * there. A collector refuses a folder that was moved, because what it took would be missing in the database.
 */

import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sync } from '../files/durable.ts';

const MARK = 'moved.json';

/** A move from a folder to a database. */
export interface Move {
  /** Drawn at random. The database has the same while it is filled. */
  readonly id: string;
  /** Where to, without a password. */
  readonly to: string;
  readonly isOver: boolean;
}

/** The move that a folder is marked with. @throws {RangeError} when the mark can't be read */
export function readMove(folder: string): Move | undefined {
  const file = join(folder, MARK);
  if (!existsSync(file)) return undefined;
  try {
    const { id, to, isOver } = JSON.parse(readFileSync(file, 'utf8')) as Move;
    if (typeof id === 'string' && typeof to === 'string' && typeof isOver === 'boolean') return { id, to, isOver };
  } catch {
    // It is no JSON.
  }
  throw new RangeError(`${file}: expected the mark of a move, got another file`);
}

/** Marks a folder, durably. */
export function writeMove(folder: string, move: Move): void {
  const file = join(folder, MARK);
  writeFileSync(`${file}.new`, `${JSON.stringify(move)}\n`, { mode: 0o600 });
  sync(`${file}.new`);
  renameSync(`${file}.new`, file);
  sync(folder);
}

/** Takes the mark away. */
export function removeMove(folder: string): void {
  rmSync(join(folder, MARK), { force: true });
  sync(folder);
}

/** @throws {RangeError} when the folder's store was moved */
export function checkNotMoved(folder: string): void {
  const move = readMove(folder);
  if (move?.isOver === true)
    throw new RangeError(
      `${folder}: expected a store that is in use, got one that was moved to ${move.to}; if that database is lost, remove ${join(folder, MARK)} to use this one again, whose releases then wait for an override`,
    );
}

/** @throws {RangeError} when the folder's store was moved, or is being copied, which goes by tallies that only grow */
export function checkNotMoving(folder: string): void {
  checkNotMoved(folder);
  const move = readMove(folder);
  if (move !== undefined)
    throw new RangeError(
      `${folder}: expected a store that is not being moved, got one on its way to ${move.to}; end that move, or remove ${join(folder, MARK)} and begin it again with an empty database`,
    );
}
