/**
 * Writes the embedded store. The ids and reports of a group enter the log in one transaction, so each batch is counted exactly once or not
 * at all. A fold moves ids and sums out of the log in one transaction. After a crash, opening first folds the log that was left.
 */

import type { DatabaseSync } from 'node:sqlite';
import { type Packing, packingOf } from '@murmuration/shared';
import { InternalFault } from '../../base/fault.ts';
import type { PackedMetric, Shapes } from '../../schemas/catalog.ts';
import { keepShapes, TIMEOUT, transaction } from '../files/database.ts';
import { batchesOf, bytesOf, type Group, HASH, HEAD, ID, only, type Partition, wordsOf } from '../group-commit.ts';
import { AppIds, appOf, createGrowthWriter, type Growth, type IdUsage, type QuotaLimits, RowQuota } from '../quota.ts';
import { bordersOf, type RetentionOptions } from '../retention.ts';
import type { Appended, StoreSizes } from '../store.ts';
import { RecentWrites } from '../tallying/recent-writes.ts';
import { IdSet, Ids, type Known } from './ids.ts';
import { RESULTS } from './protocol.ts';
import { createFold, createRetention, reachedDay, type Slice } from './tallies.ts';

// Decides for each batch of a group whether it is counted, known already, or refused: too late, or without room for what is new in it.

const APPENDED: { readonly [known in Known]: Appended } = { new: 'counted', same: 'duplicate', other: 'conflict', unread: 'unread' };

/** The fewest words of a report: its metric, its cohort, and one for its symbol or bits. */
const LEAST_WORDS = 3;

/** State of the store when a group arrives. */
export interface Held {
  readonly ids: Ids;
  readonly appIds: AppIds;
  readonly rowQuota: RowQuota;
  readonly pending: RecentWrites;
  /** Batches of days before this one are refused. */
  readonly closed: number;
}

/** The result for each batch of a group, and the words at which the batches that are counted begin. */
export interface Judged {
  readonly results: Uint8Array;
  readonly counted: readonly number[];
}

const sameWords = (words: Int32Array, a: number, b: number, from: number, to: number): boolean => {
  for (let i = from; i < to; i++) if (words[a + i] !== words[b + i]) return false;
  return true;
};

/** Returns the function that decides. It writes nothing. */
export function createAdmission(database: DatabaseSync, shapes: Shapes): (group: Group, held: Held) => Judged {
  const isRow = database.prepare(
    `SELECT 1 FROM tally WHERE metric = (SELECT n FROM metric WHERE schema = ? AND name = ?) AND day = ?
      AND segment = (SELECT n FROM segment WHERE json = ?) AND cohort = ?`,
  );
  const packings = new Map<string, readonly Packing[]>();
  const packingsOf = (schema: string): readonly Packing[] => {
    const known = packings.get(schema) ?? (shapes.get(schema) ?? []).map(({ shape }) => packingOf(shape));
    packings.set(schema, known);
    return known;
  };

  /** True if each report of a batch has its row already. */
  const opensNothing = (words: Int32Array, start: number, [schema, day, segment]: Partition, pending: RecentWrites): boolean => {
    const end = start + HEAD + (words[start + 1] as number);
    for (let at = start + HEAD; at < end; ) {
      const [number, cohort] = [words[at] as number, words[at + 1] as number];
      const isPending = pending.has([schema, day, segment], number, cohort);
      if (!isPending && isRow.get(schema, shapes.get(schema)?.[number]?.name ?? '', day, segment, cohort) === undefined) return false;
      at += 1 + (packingsOf(schema)[number] as Packing).words;
    }
    return true;
  };

  return ({ words, partitions }, { ids, appIds, rowQuota, pending, closed }) => {
    const all = batchesOf(words);
    const here = new IdSet();
    const dayAt = (start: number): number => (partitions[words[start] as number] as Partition)[1];
    /** The rows that batches of each partition may still open. Partitions of one app and day share them. */
    const places = new Map<string, { left: number }>();
    const quota = appIds.quota(ids.count);
    const usages = partitions.map(([schema]) => quota.usageOf(appOf(schema)));
    const lefts = partitions.map(([schema, day]) => {
      const app = appOf(schema);
      const place = places.get(`${app}\n${day}`) ?? { left: rowQuota.leftOf(app, day) - pending.rowsOf(app, day) };
      places.set(`${app}\n${day}`, place);
      return place;
    });
    const judgeNew = (start: number, i: number, partition: Partition): Appended => {
      const isSame = (number: number): boolean =>
        dayAt(all[number] as number) === partition[1] && sameWords(words, all[number] as number, start, ID, HASH);
      const first = here.find(words, start + ID, isSame);
      if (first >= 0) return sameWords(words, all[first] as number, start, HASH, HEAD) ? 'duplicate' : 'conflict';
      const usage = usages[words[start] as number] as IdUsage;
      if (!quota.hasRoom(usage)) return 'full';
      const place = lefts[words[start] as number] as { left: number };
      const most = Math.floor((words[start + 1] as number) / LEAST_WORDS);
      if (most <= place.left) place.left -= most;
      else if (!opensNothing(words, start, partition, pending)) return 'full';
      here.add(words, start + ID, i);
      quota.take(usage);
      return 'counted';
    };
    const judge = (start: number, i: number): Appended => {
      const partition = partitions[words[start] as number] as Partition;
      if (partition[1] < closed) return 'expired';
      const known = ids.known(words, start, partition[1]);
      return known === 'new' ? judgeNew(start, i, partition) : APPENDED[known];
    };
    const appended = all.map(judge);
    return {
      results: Uint8Array.from(appended, (each) => RESULTS.indexOf(each)),
      counted: all.filter((_, i) => appended[i] === 'counted'),
    };
  };
}

/**
 * Limits that trigger a fold: the words in the log, and the bytes of its sums in memory, which is a thousand rows or two. A commit waits for
 * a fold. (Measured with 8 times as many: under a flood of batches that each open a row, honest ones waited twice as long, and no more
 * batches were taken.)
 */
const MOST_WORDS = 1_000_000;
const MOST_BYTES = 2 ** 20;

/** The sums in memory no longer match the log. A restart reads the log again. */
export class LogAndMemoryDiffer extends InternalFault {}

/**
 * Another writer has opened the store, although this one had not closed it. Its memory no longer says what is in the store, so it must stop.
 * What it has acknowledged is in the log, which the other has read.
 */
export class Superseded extends InternalFault {
  constructor() {
    super('another collector has opened this store, so this one stops; a folder is for one collector, and its murmuration.lock must stay');
  }
}

/** The only writer of a database. */
export class Writer {
  readonly #database: DatabaseSync;
  readonly #epochNow;
  /** The number of this writer among all that have opened the store. */
  readonly #epoch: number;
  readonly #ids: Ids;
  readonly #appIds: AppIds;
  readonly #shapes: Map<string, readonly PackedMetric[]>;
  readonly #log;
  readonly #clear;
  readonly #clearTo;
  readonly #close;
  readonly #fold: ReturnType<typeof createFold>;
  readonly #writeGrowth: ReturnType<typeof createGrowthWriter>;
  readonly #judge: ReturnType<typeof createAdmission>;
  readonly #rowQuota: RowQuota;
  readonly #retention;
  #pending: RecentWrites;
  #words = 0;
  /** Batches of days before this one are refused, because their ids were deleted. */
  #closed: number;

  constructor(database: DatabaseSync, published: Shapes, limits: QuotaLimits) {
    this.#database = database;
    this.#epochNow = database.prepare('SELECT epoch FROM owner');
    transaction(database, () => database.exec('UPDATE owner SET epoch = epoch + 1'));
    this.#epoch = Number(this.#epochNow.get()?.['epoch']);
    this.#shapes = new Map(keepShapes(database, published));
    this.#pending = new RecentWrites(this.#shapes);
    this.#closed = Number(database.prepare('SELECT before FROM closed').get()?.['before']);
    this.#ids = new Ids(database, this.#closed);
    this.#appIds = new AppIds(database, limits.mostIds);
    this.#appIds.share(appsOf(published));
    this.#log = database.prepare('INSERT INTO log (partitions, words) VALUES (?, ?)');
    this.#clear = database.prepare('DELETE FROM log'); // deletes all rows, which SQLite does by dropping the table's pages whole
    this.#clearTo = database.prepare('DELETE FROM log WHERE n <= ?');
    this.#close = database.prepare('UPDATE closed SET before = ?');
    this.#fold = createFold(database);
    this.#writeGrowth = createGrowthWriter(database);
    this.#judge = createAdmission(database, this.#shapes);
    this.#rowQuota = new RowQuota(database, limits);
    this.#retention = createRetention(database);
    const next = database.prepare('SELECT n, partitions, words FROM log WHERE n > ? ORDER BY n LIMIT 1');
    for (let row = next.get(0); row !== undefined; row = next.get(row['n'] as number)) {
      const group = { partitions: JSON.parse(row['partitions'] as string) as Partition[], words: wordsOf(row['words']) };
      this.#take(group, batchesOf(group.words));
      this.#foldIfFull(row['n'] as number);
    }
    this.fold();
  }

  /** Makes the shapes of further schemas known. */
  publish(shapes: Shapes): void {
    keepShapes(this.#database, shapes);
    for (const [schema, metrics] of shapes) this.#shapes.set(schema, metrics);
    this.#appIds.share(appsOf(shapes));
  }

  /** Commits a group, and returns the result for each batch. */
  commit(group: Group): Uint8Array {
    this.#foldIfFull(); // when this fails, nothing more is accepted, so the size of the log stays bounded
    const { words, partitions } = group;
    const held = { ids: this.#ids, appIds: this.#appIds, rowQuota: this.#rowQuota, pending: this.#pending, closed: this.#closed };
    const { results, counted } = this.#judge(group, held);
    if (counted.length === 0) return results;
    const kept = counted.length === results.length ? words : only(words, counted);
    this.#own(() => this.#log.run(JSON.stringify(partitions), bytesOf(kept)));
    try {
      this.#take(group, counted);
    } catch (error) {
      throw new LogAndMemoryDiffer('the log has what could not be added up', { cause: error });
    }
    return results;
  }

  /**
   * Adds the log to the tallies and empties it. At startup, `row` limits this to the rows that were read so far. Returns true: no work is
   * left.
   */
  fold(row?: number): true {
    if (this.#words === 0) return true;
    const fresh = new RecentWrites(this.#shapes);
    let growth: readonly Growth[] = [];
    this.#own(() => {
      growth = this.#fold(this.#pending.deltas());
      this.#writeGrowth(growth);
      this.#ids.write();
      this.#appIds.write();
      if (row === undefined) this.#clear.run();
      else this.#clearTo.run(row);
    });
    this.#ids.written();
    this.#appIds.written();
    this.#rowQuota.grow(growth);
    this.#pending = fresh;
    this.#words = 0;
    return true;
  }

  /** Truncates the WAL, so that nothing of the folded log is left in it. Returns false when a reader, such as a backup, prevents that. */
  erase(): boolean {
    this.fold();
    this.#own(() => undefined);
    this.#database.exec('PRAGMA busy_timeout = 0');
    try {
      return this.#database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] === 0;
    } finally {
      this.#database.exec(`PRAGMA busy_timeout = ${TIMEOUT}`);
    }
  }

  expire(day: number): void {
    this.fold();
    const before = Math.max(day, this.#closed);
    this.#own(() => this.#close.run(before));
    this.#closed = before;
    this.#expireIds(before);
  }

  /** Reads a part of the ids that a start has left. Returns whether that was all. */
  readIds(): boolean {
    return this.#ids.readSome();
  }

  /** Deletes a part of the ids of days that have passed. Returns whether that was all. */
  forget(): boolean {
    let isDone = true;
    try {
      this.#own(() => {
        isDone = this.#ids.deleteSome();
      });
    } catch (error) {
      this.#ids.expire(this.#closed); // the rows of this slice are there again
      throw error;
    }
    return isDone;
  }

  /**
   * Moves the borders of retention to where they are on a day. What lies before them is closed, and read as months or not at all.
   */
  retain(today: number, options: RetentionOptions): void {
    this.fold();
    const borders = bordersOf(today, options);
    let moved = borders;
    this.#own(() => {
      moved = this.#retention.move(borders);
    });
    const before = Math.max(this.#closed, moved.rolled, moved.kept);
    if (before > this.#closed) this.#expireIds(before);
    this.#closed = before;
  }

  /** Adds up or deletes some of the rows that are older than they are kept. Returns whether that was all. */
  follow(): boolean {
    let slice: Slice = { isDone: true, growth: [] };
    this.#own(() => {
      slice = this.#retention.follow();
    });
    this.#rowQuota.grow(slice.growth);
    return slice.isDone;
  }

  /** The newest day that has been reached. */
  get reached(): number {
    return reachedDay(this.#database);
  }

  get sizes(): StoreSizes {
    const { count, unread } = this.#ids;
    return {
      ids: count,
      unread,
      ...this.#appIds.sizes(count),
      rows: Number(this.#database.prepare('SELECT sum(rows) AS rows FROM room').get()?.['rows'] ?? 0),
    };
  }

  close(): void {
    this.fold();
    try {
      this.erase();
    } catch {
      // The data is still in the WAL, and the next start recovers it from there.
    }
    this.#database.close();
  }

  /** Works in a transaction, as the owner of the store. @throws {Superseded} when another writer has opened it meanwhile */
  #own(work: () => void): void {
    transaction(this.#database, () => {
      if (Number(this.#epochNow.get()?.['epoch']) !== this.#epoch) throw new Superseded();
      work();
    });
  }

  /** Forgets the ids of days before this one. Comes after a fold. */
  #expireIds(before: number): void {
    this.#ids.expire(before);
    this.#appIds.expire(before);
  }

  #foldIfFull(row?: number): void {
    if (this.#words >= MOST_WORDS || this.#pending.bytes >= MOST_BYTES) this.fold(row);
  }

  /** Adds batches of a row of the log to the sums in memory. */
  #take(group: Group, starts: readonly number[]): void {
    const batches = group.partitions.map(() => 0);
    for (const start of starts) {
      const partition = group.words[start] as number;
      this.#ids.add(group.words, start, (group.partitions[partition] as Partition)[1]);
      batches[partition] = (batches[partition] ?? 0) + 1;
    }
    for (const [i, [schema, day]] of group.partitions.entries()) this.#appIds.add(appOf(schema), day, batches[i] ?? 0);
    this.#pending.add(group, starts);
    this.#words += group.words.length;
  }
}

const appsOf = (shapes: Shapes): readonly string[] => [...shapes.keys()].map(appOf);
