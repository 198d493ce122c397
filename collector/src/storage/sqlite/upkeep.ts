/** Upkeep of the embedded store by hand: pruning, deleting, vacuuming, opening days. A collector must not be running on the store. */

import { statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { TIMEOUT, transaction } from '../files/database.ts';
import { lock } from '../files/durable.ts';
import { QUOTA_LIMITS } from '../quota.ts';
import type { RetentionOptions } from '../retention.ts';
import { Writer } from './commit-log.ts';
import { countIds } from './ids.ts';
import { checkNotMigrated, checkNotMigrating } from './migration-mark.ts';
import { checkCurrent, DATABASE, openForWriting } from './schema.ts';

// Opens days again that a wrong clock has closed. A collector must not be running on the store.

function open(folder: string, readOnly: boolean): DatabaseSync {
  const file = join(folder, DATABASE);
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new RangeError(`${folder}: expected a folder with a store, got none`);
  checkCurrent(file);
  return new DatabaseSync(file, { timeout: TIMEOUT, readOnly });
}

/** The day before which a store has closed all days; 0 when it has closed none. @throws {RangeError} when there is no store */
export function closedBefore(folder: string): number {
  const database = open(folder, true);
  try {
    return Number(database.prepare('SELECT before FROM closed').get()?.['before']);
  } finally {
    database.close();
  }
}

/**
 * Opens the days from this one on again.
 *
 * @throws {RangeError} when there is no store, it was moved, or a collector writes it
 */
export function reopenDays(folder: string, from: number): void {
  checkNotMigrated(folder);
  open(folder, true).close(); // before the lock, which would create the folder's lock file
  const unlock = lock(folder);
  try {
    const database = open(folder, false);
    try {
      database.exec('PRAGMA synchronous = FULL');
      transaction(database, () => {
        database.prepare('UPDATE closed SET before = ? WHERE before > ?').run(from, from);
        countIds(database); // of the days that are open again, some ids may be left
      });
    } finally {
      database.close();
    }
  } finally {
    unlock();
  }
}

/** Opens a folder's store alone, folds what is left of its log, and closes it after the work. @throws {RangeError} when it can't */
function alone<T>(folder: string, work: (database: DatabaseSync, writer: Writer) => T): T {
  const file = join(folder, DATABASE);
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new RangeError(`${folder}: expected a folder with a store, got none`);
  const unlock = lock(folder);
  try {
    checkNotMigrating(folder);
    const database = openForWriting(file);
    try {
      const writer = new Writer(database, new Map(), QUOTA_LIMITS);
      const done = work(database, writer);
      writer.erase(); // so that nothing that was deleted stays in the WAL
      return done;
    } finally {
      database.close();
    }
  } finally {
    unlock();
  }
}

const numberOf = (database: DatabaseSync, sql: string, ...parameters: readonly (string | number)[]): number =>
  Number(Object.values(database.prepare(sql).get(...parameters) ?? {})[0]);

const rowsOf = (database: DatabaseSync): number =>
  numberOf(database, 'SELECT (SELECT count(*) FROM tally) + (SELECT count(*) FROM monthly)');

/** Sizes of a store before and after upkeep. */
export interface Upkeep {
  readonly rows: readonly [before: number, after: number];
  readonly reports: readonly [before: number, after: number];
  readonly bytes: readonly [before: number, after: number];
}

function measured(folder: string, work: (database: DatabaseSync, writer: Writer) => void): Upkeep {
  const bytes = (): number => statSync(join(folder, DATABASE)).size;
  return alone(folder, (database, writer) => {
    const look = (): readonly [number, number, number] => {
      return [rowsOf(database), numberOf(database, 'SELECT coalesce(sum(reports), 0) FROM metric'), bytes()];
    };
    const before = look();
    work(database, writer);
    writer.erase();
    const after = look();
    const pair = (i: 0 | 1 | 2): readonly [number, number] => [before[i], after[i]];
    return { rows: pair(0), reports: pair(1), bytes: pair(2) };
  });
}

/**
 * Adds up and deletes what is older than it is kept. Age is counted from today, or from the newest day with reports if that is earlier, so
 * that a clock that is ahead deletes nothing.
 *
 * @param today in days since 1970-01-01
 * @throws {RangeError} when there is no store, or a collector writes it
 */
export const pruneStore = (folder: string, today: number, options: RetentionOptions): Upkeep =>
  measured(folder, (database, writer) => {
    const newest = numberOf(database, 'SELECT coalesce(max(last), -1) FROM metric');
    writer.retain(Math.min(today, newest), options);
    while (!writer.follow());
    while (!writer.forget());
  });

/** Selects metrics to delete: those to which all that is given applies. */
export interface Doomed {
  readonly app?: string;
  /** Wire name. */
  readonly schema?: string;
  readonly metric?: string;
}

/** Deletes the tallies of metrics. Ids stay, so that a replay of what was deleted is not counted as new. @throws {RangeError} as above, and when nothing is selected */
export const deleteMetrics = (folder: string, { app, schema, metric }: Doomed): Upkeep =>
  measured(folder, (database) => {
    const all = database.prepare('SELECT n, schema, name FROM metric').all() as unknown as readonly Found[];
    const found = all.filter(
      (each) =>
        (app === undefined || each.schema.startsWith(`${app}/`)) &&
        (schema === undefined || each.schema === schema) &&
        (metric === undefined || each.name === metric),
    );
    if (found.length === 0) {
      const known = all.map((each) => `${each.schema} ${each.name}`).join(', ');
      throw new RangeError(`expected metrics of the store (${known || 'it has none'}), got none that fits`);
    }
    transaction(database, () => {
      for (const { n } of found) {
        for (const table of ['tally', 'monthly', 'ones', 'total']) database.prepare(`DELETE FROM ${table} WHERE metric = ?`).run(n);
        database.prepare('DELETE FROM metric WHERE n = ?').run(n);
      }
      database.exec(`
        UPDATE change SET n = n + 1;
        DELETE FROM segment WHERE n NOT IN (SELECT segment FROM tally UNION SELECT segment FROM monthly);
      `);
      countRoom(database);
    });
  });

interface Found {
  readonly n: number;
  readonly schema: string;
  readonly name: string;
}

/** Recounts how much room each app has used. */
function countRoom(database: DatabaseSync): void {
  database.exec(`
    DELETE FROM room;
    INSERT INTO room SELECT substr(schema, 1, instr(schema, '/') - 1), day, count(*), sum(length(cells) + 42)
      FROM (SELECT metric, day, cells FROM tally UNION ALL SELECT metric, day, cells FROM monthly) AS held
      JOIN metric ON metric.n = held.metric GROUP BY 1, 2;
  `);
}

/**
 * Gives the space of deleted rows back to the disk.
 *
 * @throws {RangeError} when there is no store, a collector writes it, or the disk has no room for a second copy
 */
export const vacuumStore = (folder: string): Upkeep =>
  measured(folder, (database) => {
    const needed = 2 * statSync(join(folder, DATABASE)).size; // of the copy, and of the log that takes it over
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize < needed) throw new RangeError(`${folder}: expected ${needed} free bytes on the disk, got ${bavail * bsize}`);
    database.exec('VACUUM');
  });
