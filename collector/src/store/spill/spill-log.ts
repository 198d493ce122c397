/**
 * Batches that a collector has acknowledged while its database did not answer: groups as they would have been flushed, in an SQLite file of
 * this collector alone. Each commit is synced, so what is acknowledged survives a power loss. What is forwarded is deleted and overwritten.
 */

import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { makeFolder, makePrivate } from '../durable.ts';
import type { Group, Partition } from '../group.ts';
import { lock } from '../lock.ts';
import { migrate, type Step } from '../migrate.ts';
import { bytesOf, wordsOf } from '../sqlite-ids.ts';
import { TIMEOUT } from '../sqlite-schema.ts';
import { keepShapes } from '../sqlite-tallies.ts';
import { type Shapes, StoreAway } from '../store.ts';
import { transaction } from '../transaction.ts';

const FILE = 'spill.sqlite';

/** Bytes of the disk that stay free: what is forwarded can't be deleted without room for the WAL, so a full disk would never empty. */
const RESERVE = 2 ** 23;

/** Bytes of a row: its batches, what they are counted in, and what SQLite keeps with it. */
const ROW_BYTES = 40;
const SIZE = `length(words) + octet_length(partitions) + ${ROW_BYTES}`;

const freeIn = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};

const STEPS: readonly Step[] = [
  (database) =>
    database.exec(`
      CREATE TABLE spilled (n INTEGER PRIMARY KEY AUTOINCREMENT, partitions TEXT NOT NULL, words BLOB NOT NULL);
      CREATE TABLE shape (schema TEXT PRIMARY KEY, metrics TEXT NOT NULL) WITHOUT ROWID;
    `),
];

/** A group that waits to be forwarded. */
export interface Spilled {
  readonly n: number;
  readonly group: Group;
}

/** The log of one collector. */
export class SpillLog {
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
    try {
      makePrivate(file);
      this.#database = new DatabaseSync(file, { timeout: TIMEOUT });
      try {
        migrate(this.#database, file, STEPS);
        this.#database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
        this.#insert = this.#database.prepare('INSERT INTO spilled (partitions, words) VALUES (?, ?)');
        this.#bytes = Number(this.#database.prepare(`SELECT coalesce(sum(${SIZE}), 0) AS bytes FROM spilled`).get()?.['bytes']);
      } catch (error) {
        this.#database.close();
        throw error;
      }
    } catch (error) {
      this.#unlock();
      throw error;
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
    const bytes = words.byteLength + Buffer.byteLength(text) + ROW_BYTES;
    if (this.#bytes + bytes > this.#mostBytes) throw new StoreAway('the database does not answer, and the spill is full');
    if (this.#free() < RESERVE) throw new StoreAway('the database does not answer, and the disk of the spill is full');
    try {
      this.#insert.run(text, bytesOf(words));
    } catch (error) {
      throw new StoreAway(`the database does not answer, and the spill takes nothing: ${(error as Error).message}`);
    }
    this.#bytes += bytes;
  }

  /** The first group after a number. */
  after(n: number): Spilled | undefined {
    const row = this.#database.prepare('SELECT n, partitions, words FROM spilled WHERE n > ? ORDER BY n LIMIT 1').get(n);
    if (row === undefined) return undefined;
    return {
      n: Number(row['n']),
      group: { partitions: JSON.parse(String(row['partitions'])) as Partition[], words: wordsOf(row['words']) },
    };
  }

  /** Deletes a group that was forwarded, but for what is left of it. */
  done({ n }: Spilled, left: Int32Array): void {
    let freed = 0;
    transaction(this.#database, () => {
      freed = this.#sizeOf(n);
      if (left.length === 0) this.#database.prepare('DELETE FROM spilled WHERE n = ?').run(n);
      else this.#database.prepare('UPDATE spilled SET words = ? WHERE n = ?').run(bytesOf(left), n);
      freed -= this.#sizeOf(n);
    });
    this.#bytes -= freed;
    if (this.#isEmpty()) this.#database.exec('VACUUM; PRAGMA wal_checkpoint(TRUNCATE)'); // so that no report is left in the files
  }

  close(): void {
    this.#database.close();
    this.#unlock();
  }

  /** The bytes of a row; 0 when it is gone. */
  #sizeOf(n: number): number {
    return Number(this.#database.prepare(`SELECT ${SIZE} AS bytes FROM spilled WHERE n = ?`).get(n)?.['bytes'] ?? 0);
  }

  #isEmpty(): boolean {
    return this.#database.prepare('SELECT 1 FROM spilled LIMIT 1').get() === undefined;
  }
}
