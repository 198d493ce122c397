/**
 * The writer thread: it owns the database, because a commit waits for the disk and must not block the event loop. The ids and reports of a
 * group enter the log in one transaction, so each batch is counted exactly once or not at all. The log is added to the tallies ("folded")
 * when it is large enough, after a second, or before a read. A fold moves ids and sums out of the log in one transaction. After a crash,
 * startup first folds the log that was left.
 */

import type { DatabaseSync } from 'node:sqlite';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { createAdmission } from './admission.ts';
import { createDeferred } from './deferred.ts';
import { batchesOf, type Group, HEAD, type Partition } from './group.ts';
import { createGrowthWriter, type Growth, Room, type RoomLimits } from './room.ts';
import { bytesOf, Ids, wordsOf } from './sqlite-ids.ts';
import type { Reply, Request, Trouble, WriterData } from './sqlite-protocol.ts';
import { openForWriting, TIMEOUT } from './sqlite-schema.ts';
import { createFold, keepShapes } from './sqlite-tallies.ts';
import type { Shapes, StoreSizes } from './store.ts';
import { transaction } from './transaction.ts';
import { UnfoldedReports } from './unfolded.ts';

/** Limits that trigger a fold: the words in the log, the bytes of its sums in memory, and its age in milliseconds. */
const MOST_WORDS = 1_000_000;
const MOST_BYTES = 2 ** 23;
const LONGEST = 1_000;
/**
 * Every `TRACES` milliseconds, the writer truncates the WAL, which still holds rows that folds have deleted. While batches arrive this is
 * postponed up to `MOST_PUT_OFF` times, because new commits overwrite the WAL anyway.
 */
const TRACES = 10_000;
const MOST_PUT_OFF = 30;

const SQLITE_FULL = 13;

/** The sums in memory no longer match the log. A restart reads the log again. */
class LogAndMemoryDiffer extends Error {}

class Writer {
  readonly #database: DatabaseSync;
  readonly #ids: Ids;
  readonly #shapes: Shapes;
  readonly #log;
  readonly #clear;
  readonly #clearTo;
  readonly #close;
  readonly #fold: ReturnType<typeof createFold>;
  readonly #writeGrowth: ReturnType<typeof createGrowthWriter>;
  readonly #judge: ReturnType<typeof createAdmission>;
  readonly #room: Room;
  #pending: UnfoldedReports;
  #words = 0;
  /** Batches of days before this one are refused, because their ids were deleted. */
  #closed: number;

  constructor(database: DatabaseSync, published: Shapes, limits: RoomLimits) {
    this.#database = database;
    this.#shapes = keepShapes(database, published);
    this.#pending = new UnfoldedReports(this.#shapes);
    this.#closed = Number(database.prepare('SELECT before FROM closed').get()?.['before']);
    this.#ids = new Ids(database, this.#closed);
    this.#log = database.prepare('INSERT INTO log (partitions, words) VALUES (?, ?)');
    this.#clear = database.prepare('DELETE FROM log'); // deletes all rows, which SQLite does by dropping the table's pages whole
    this.#clearTo = database.prepare('DELETE FROM log WHERE n <= ?');
    this.#close = database.prepare('UPDATE closed SET before = ?');
    this.#fold = createFold(database);
    this.#writeGrowth = createGrowthWriter(database);
    this.#judge = createAdmission(database, this.#shapes);
    this.#room = new Room(database, limits);
    const next = database.prepare('SELECT n, partitions, words FROM log WHERE n > ? ORDER BY n LIMIT 1');
    for (let row = next.get(0); row !== undefined; row = next.get(row['n'] as number)) {
      const group = { partitions: JSON.parse(row['partitions'] as string) as Partition[], words: wordsOf(row['words']) };
      this.#take(group, batchesOf(group.words));
      this.#foldIfFull(row['n'] as number);
    }
    this.fold();
  }

  /** Commits a group, and returns the result for each batch. */
  commit(group: Group): Uint8Array {
    this.#foldIfFull(); // when this fails, nothing more is accepted, so the size of the log stays bounded
    const { words, partitions } = group;
    const held = { ids: this.#ids, room: this.#room, pending: this.#pending, closed: this.#closed };
    const { results, counted } = this.#judge(group, held);
    if (counted.length === 0) return results;
    const kept = counted.length === results.length ? words : only(words, counted);
    transaction(this.#database, () => this.#log.run(JSON.stringify(partitions), bytesOf(kept)));
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
    const fresh = new UnfoldedReports(this.#shapes);
    let growth: readonly Growth[] = [];
    transaction(this.#database, () => {
      growth = this.#fold(this.#pending.deltas());
      this.#writeGrowth(growth);
      this.#ids.write();
      if (row === undefined) this.#clear.run();
      else this.#clearTo.run(row);
    });
    this.#ids.written();
    this.#room.grow(growth);
    this.#pending = fresh;
    this.#words = 0;
    return true;
  }

  /** Truncates the WAL, so that nothing of the folded log is left in it. Returns false when a reader, such as a backup, prevents that. */
  erase(): boolean {
    this.fold();
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
    transaction(this.#database, () => this.#close.run(before));
    this.#closed = before;
    this.#ids.expire(before);
  }

  /** Deletes a part of the ids of days that have passed. Returns whether that was all. */
  forget(): boolean {
    let isDone = true;
    try {
      transaction(this.#database, () => {
        isDone = this.#ids.deleteSome();
      });
    } catch (error) {
      this.#ids.expire(this.#closed); // the rows of this slice are there again
      throw error;
    }
    return isDone;
  }

  get sizes(): StoreSizes {
    return { ids: this.#ids.count, rows: Number(this.#database.prepare('SELECT sum(rows) AS rows FROM room').get()?.['rows'] ?? 0) };
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

  #foldIfFull(row?: number): void {
    if (this.#words >= MOST_WORDS || this.#pending.bytes >= MOST_BYTES) this.fold(row);
  }

  /** Adds batches of a row of the log to the sums in memory. */
  #take(group: Group, starts: readonly number[]): void {
    for (const start of starts) this.#ids.add(group.words, start, dayOf(group, start));
    this.#pending.add(group, starts);
    this.#words += group.words.length;
  }
}

const dayOf = ({ partitions, words }: Group, start: number): number => (partitions[words[start] as number] as Partition)[1];

/** The words of only those batches of a group that begin at these words. */
function only(words: Int32Array, starts: readonly number[]): Int32Array {
  const parts = starts.map((start) => words.subarray(start, start + HEAD + (words[start + 1] as number)));
  const kept = new Int32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    kept.set(part, at);
    at += part.length;
  }
  return kept;
}

/** Opens the store and serves requests one after the other, with one reply each. */
export function serveWriter(port: MessagePort, { file, shapes, limits }: WriterData): void {
  const writer = new Writer(openForWriting(file), shapes, limits);
  const say = (trouble: string): void => port.postMessage({ trouble } satisfies Trouble);
  const folding = createDeferred(LONGEST, () => writer.fold(), say);
  let [isBusy, putOff] = [false, 0];
  const erase = (): boolean => {
    if (isBusy && putOff++ < MOST_PUT_OFF) {
      isBusy = false;
      return false;
    }
    putOff = 0;
    return writer.erase();
  };
  const erasing = createDeferred(TRACES, erase, say);
  const forgetting = createDeferred(0, () => writer.forget(), say, LONGEST);
  forgetting.plan(); // continues what a stop has interrupted
  erasing.plan(); // clears the WAL that a crash may have left
  const answer = (request: Request): Reply => {
    if (request.kind === 'group') {
      const results = writer.commit(request.group);
      isBusy = true;
      folding.plan();
      erasing.plan();
      return { results };
    }
    if (request.kind === 'sizes') return { sizes: writer.sizes };
    if (request.kind === 'fold') writer.fold();
    if (request.kind === 'expire') {
      writer.expire(request.day);
      forgetting.plan();
    }
    if (request.kind === 'close') {
      forgetting.cancel();
      folding.cancel();
      erasing.cancel();
      writer.close();
    }
    return {};
  };
  port.on('message', (request: Request) => {
    let reply: Reply;
    try {
      reply = answer(request);
    } catch (error) {
      if (error instanceof LogAndMemoryDiffer) throw error; // ends the thread
      reply = { error: (error as Error).message, isFull: (error as { readonly errcode?: number }).errcode === SQLITE_FULL };
    }
    port.postMessage(reply);
    if (request.kind === 'close' && reply.error === undefined) port.close();
  });
  port.postMessage({} satisfies Reply);
}

if (parentPort !== null) serveWriter(parentPort, workerData as WriterData);
