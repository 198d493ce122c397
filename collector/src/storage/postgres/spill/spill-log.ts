/**
 * Batches that a collector has acknowledged while its database did not answer: groups as they would have been flushed, in an SQLite file of
 * this collector alone. Each commit is synced, so what is acknowledged survives a power loss. What is forwarded is deleted and overwritten.
 */

import { hash } from 'node:crypto';
import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { StoreAway } from '../../../base/fault.ts';
import type { Shapes } from '../../../schemas/catalog.ts';
import { keepShapes, migrate, type Step, TIMEOUT, transaction } from '../../files/database.ts';
import { lock, makeFolder, makePrivate } from '../../files/durable.ts';
import { bytesOf, type Group, type Partition, wordsOf } from '../../group-commit.ts';

const FILE = 'spill.sqlite';

/** Bytes of the disk that stay free: what is forwarded can't be deleted without room for the WAL, so a full disk would never empty. */
const RESERVE = 2 ** 23;

/** Bytes of a row: its batches, what they are counted in, and its hash with what SQLite keeps. */
const ROW_BYTES = 40;
const SIZE = `length(words) + octet_length(partitions) + ${ROW_BYTES}`;

/** Words of groups that are forwarded together. */
const MOST_WORDS = 65_536;

/** A checksum of a row, which tells bytes that have flipped on the disk. */
const hashOf = (partitions: string, words: Uint8Array): string =>
  hash('sha256', Buffer.concat([Buffer.from(`${partitions}\n`), words]), 'hex').slice(0, 24);

const freeIn = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};

const STEPS: readonly Step[] = [
  (database) =>
    database.exec(`
      CREATE TABLE spilled (n INTEGER PRIMARY KEY AUTOINCREMENT, partitions TEXT NOT NULL, words BLOB NOT NULL, hash TEXT NOT NULL);
      CREATE TABLE shape (schema TEXT PRIMARY KEY, metrics TEXT NOT NULL) WITHOUT ROWID;
    `),
];

/** Remainder of a group that was forwarded: nothing, or the batches that there is no room for. */
export interface Left {
  readonly n: number;
  readonly words: Int32Array;
}

/** The log of one collector. */
export class SpillLog {
  /** The path of the file. */
  readonly file: string;
  readonly #database: DatabaseSync;
  readonly #unlock: () => void;
  readonly #mostBytes: number;
  readonly #free: () => number;
  readonly #insert: StatementSync;
  #bytes: number;

  /**
   * @param mostBytes what it may hold
   * @param free bytes that are free on the disk of a folder
   * @throws {RangeError} when the file is something else, or another process uses it
   */
  constructor(folder: string, mostBytes: number, free: (folder: string) => number = freeIn) {
    makeFolder(folder);
    this.#unlock = lock(folder);
    const file = join(folder, FILE);
    this.file = file;
    try {
      makePrivate(file);
      this.#database = new DatabaseSync(file, { timeout: TIMEOUT });
      try {
        migrate(this.#database, file, STEPS);
        this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
        this.#insert = this.#database.prepare('INSERT INTO spilled (partitions, words, hash) VALUES (?, ?, ?)');
        this.#bytes = Number(this.#database.prepare(`SELECT coalesce(sum(${SIZE}), 0) AS bytes FROM spilled`).get()?.['bytes']);
      } catch (error) {
        this.#database.close();
        throw error;
      }
    } catch (error) {
      this.#unlock();
      const { message } = error as Error;
      throw message.includes(file) ? error : new RangeError(`${file}: expected a spill, got a file that can't be used: ${message}`);
    }
    this.#mostBytes = mostBytes;
    this.#free = () => free(folder);
  }

  /** Bytes of batches that wait, and of their rows. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Keeps shapes, and returns those of all batches that wait: a schema may be withdrawn before they are forwarded. */
  publish(shapes: Shapes): Shapes {
    return keepShapes(this.#database, shapes);
  }

  /** Keeps a group, durably. @throws {StoreAway} when there is no room */
  put({ partitions, words }: Group): void {
    const text = JSON.stringify(partitions);
    const blob = bytesOf(words);
    const bytes = blob.length + Buffer.byteLength(text) + ROW_BYTES;
    if (this.#bytes + bytes > this.#mostBytes) throw new StoreAway('the database does not answer, and the spill is full');
    if (this.#free() < RESERVE) throw new StoreAway('the database does not answer, and the disk of the spill is full');
    try {
      this.#insert.run(text, blob, hashOf(text, blob));
    } catch (error) {
      throw new StoreAway(`the database does not answer, and the spill takes nothing: ${(error as Error).message}`);
    }
    this.#bytes += bytes;
  }

  /** The numbers of the next groups after a number, of which all but the last hold less than is forwarded together. */
  after(n: number): readonly number[] {
    const found: number[] = [];
    let words = 0;
    for (const row of this.#database.prepare('SELECT n, length(words) AS bytes FROM spilled WHERE n > ? ORDER BY n').iterate(n)) {
      found.push(Number(row['n']));
      words += Number(row['bytes']) / 4;
      if (words >= MOST_WORDS) break;
    }
    return found;
  }

  /** A group that waits. @throws {RangeError} when it isn't what was written */
  read(n: number): Group {
    const row = this.#database.prepare('SELECT partitions, words, hash FROM spilled WHERE n = ?').get(n);
    if (row === undefined) throw new RangeError('expected a row, got none');
    const [text, words] = [String(row['partitions']), row['words'] as Uint8Array];
    if (hashOf(text, words) !== row['hash']) throw new RangeError('its bytes have changed on the disk');
    return { partitions: JSON.parse(text) as Partition[], words: wordsOf(words) };
  }

  /** Deletes groups that were forwarded, except for what is left of them. */
  done(groups: readonly Left[]): void {
    let freed = 0;
    transaction(this.#database, () => {
      for (const { n, words } of groups) {
        freed += this.#sizeOf(n);
        if (words.length === 0) this.#database.prepare('DELETE FROM spilled WHERE n = ?').run(n);
        else this.#keep(n, bytesOf(words));
        freed -= this.#sizeOf(n);
      }
    });
    this.#bytes -= freed;
    if (this.#isEmpty()) this.#database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)'); // so that no report is left in the files
  }

  close(): void {
    this.#database.close();
    this.#unlock();
  }

  #keep(n: number, words: Uint8Array): void {
    const text = this.#database.prepare('SELECT partitions FROM spilled WHERE n = ?').get(n)?.['partitions'];
    this.#database.prepare('UPDATE spilled SET words = ?, hash = ? WHERE n = ?').run(words, hashOf(String(text), words), n);
  }

  /** The bytes of a row; 0 when it is gone. */
  #sizeOf(n: number): number {
    return Number(this.#database.prepare(`SELECT ${SIZE} AS bytes FROM spilled WHERE n = ?`).get(n)?.['bytes'] ?? 0);
  }

  #isEmpty(): boolean {
    return this.#database.prepare('SELECT 1 FROM spilled LIMIT 1').get() === undefined;
  }
}
