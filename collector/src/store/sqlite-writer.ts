/**
 * The writer: a thread of its own that owns the database, for a commit waits for the disk and an event loop must not.
 * A group's ids and reports enter the log in one transaction, so a batch is counted exactly once, or not at all. The log
 * is folded into the tallies when it has grown, a second has passed, or somebody reads; the fold takes the ids and the
 * sums out of the log in one transaction too, and a start begins with the fold of what a crash has left there.
 */

import type { DatabaseSync } from 'node:sqlite';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { batchesOf, type Group, HEAD, type Place } from './group.ts';
import { IdSet } from './id-set.ts';
import { type Delta, Pending } from './pending.ts';
import { bytesOf, Ids, wordsOf } from './sqlite-ids.ts';
import type { Reply, Request, WriterData } from './sqlite-protocol.ts';
import { openForWriting } from './sqlite-schema.ts';
import type { Shapes } from './store.ts';

/** The log is folded when it has so many words, or is so many milliseconds old. */
const MOST_WORDS = 1_000_000;
const LONGEST = 1_000;

const SQLITE_FULL = 13;

function transaction(database: DatabaseSync, work: () => void): void {
  database.exec('BEGIN IMMEDIATE');
  try {
    work();
    database.exec('COMMIT');
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

/** Adds sums to the tallies. */
function createFold(database: DatabaseSync): (delta: Delta) => void {
  const where = 'WHERE schema = ? AND metric = ? AND day = ? AND segment = ? AND cohort = ?';
  const find = database.prepare(`SELECT reports, cells FROM tally ${where}`);
  const put = database.prepare(
    'INSERT OR REPLACE INTO tally (schema, metric, day, segment, cohort, reports, cells) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const weigh = database.prepare(
    `INSERT INTO weight (schema, metric, day, ones, reports) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET reports = reports + excluded.reports`,
  );
  return ({ place: [schema, day, segment], metric, folder }) => {
    for (const [cohort, { reports, cells }] of folder.tallies()) {
      const key = [schema, metric, day, segment, cohort] as const;
      const row = find.get(...key);
      const sums = row === undefined ? cells : new Float64Array((row['cells'] as Uint8Array).slice().buffer);
      if (row !== undefined) for (const [cell, count] of cells.entries()) sums[cell] = (sums[cell] as number) + count;
      put.run(...key, reports + Number(row?.['reports'] ?? 0), bytesOf(sums));
    }
    for (const [ones, reports] of folder.ones()) weigh.run(schema, metric, day, ones, reports);
  };
}

/** What is kept of the shapes that the log's numbers stand for: a schema may no longer be published when its log is folded. */
function keepShapes(database: DatabaseSync, published: Shapes): Shapes {
  const put = database.prepare('INSERT OR REPLACE INTO shape (schema, metrics) VALUES (?, ?)');
  transaction(database, () => {
    for (const [schema, metrics] of published) put.run(schema, JSON.stringify(metrics));
  });
  const rows = database.prepare('SELECT schema, metrics FROM shape').all();
  return new Map(rows.map(({ schema, metrics }) => [schema as string, JSON.parse(metrics as string)]));
}

class Writer {
  readonly #database: DatabaseSync;
  readonly #ids: Ids;
  readonly #shapes: Shapes;
  readonly #log;
  readonly #clear;
  readonly #fold: (delta: Delta) => void;
  #pending: Pending;
  #words = 0;

  constructor(database: DatabaseSync, published: Shapes) {
    this.#database = database;
    this.#shapes = keepShapes(database, published);
    this.#pending = new Pending(this.#shapes);
    this.#ids = new Ids(database);
    this.#log = database.prepare('INSERT INTO log (places, words) VALUES (?, ?)');
    this.#clear = database.prepare('DELETE FROM log');
    this.#fold = createFold(database);
    for (const { places, words } of database.prepare('SELECT places, words FROM log ORDER BY n').all()) {
      const group = { places: JSON.parse(places as string) as Place[], words: wordsOf(words) };
      this.#take(group, batchesOf(group.words));
    }
    this.fold();
  }

  /** Whether the log should be folded now. */
  get isFull(): boolean {
    return this.#words >= MOST_WORDS;
  }

  /** Commits a group, and says what became of each batch. */
  commit(group: Group): Uint8Array {
    const { words, places } = group;
    const all = batchesOf(words);
    const results = new Uint8Array(all.length);
    const here = new IdSet();
    const counted = all.filter((start, i) => {
      let known = this.#ids.known(words, start);
      if (known === 'new') {
        const first = here.find(words, start + 2, (number) => sameWords(words, all[number] as number, start, 2, 6));
        if (first < 0) here.add(words, start + 2, i, 0);
        else known = sameWords(words, all[first] as number, start, 6, HEAD) ? 'same' : 'other';
      }
      results[i] = known === 'new' ? 0 : known === 'same' ? 1 : 2;
      return known === 'new';
    });
    if (counted.length === 0) return results;
    const kept = counted.length === all.length ? words : only(words, counted);
    transaction(this.#database, () => this.#log.run(JSON.stringify(places), bytesOf(kept)));
    this.#take(group, counted);
    return results;
  }

  /** Takes the log into the tallies. */
  fold(): void {
    if (this.#words === 0) return;
    transaction(this.#database, () => {
      for (const delta of this.#pending.deltas()) this.#fold(delta);
      this.#ids.write();
      this.#clear.run();
    });
    this.#ids.written();
    this.#pending = new Pending(this.#shapes);
    this.#words = 0;
  }

  expire(day: number): void {
    this.fold();
    this.#ids.expire(day);
  }

  close(): void {
    this.fold();
    this.#database.close();
  }

  #take(group: Group, starts: readonly number[]): void {
    for (const start of starts) this.#ids.add(group.words, start, (group.places[group.words[start] as number] as Place)[1]);
    this.#pending.add(group, starts);
    this.#words += group.words.length;
  }
}

const sameWords = (words: Int32Array, a: number, b: number, from: number, to: number): boolean => {
  for (let i = from; i < to; i++) if (words[a + i] !== words[b + i]) return false;
  return true;
};

/** The batches of a group that begin at these words. */
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

/** Opens the store and answers requests, one after the other, each with one reply. */
export function serveWriter(port: MessagePort, { file, shapes }: WriterData): void {
  const writer = new Writer(openForWriting(file), shapes);
  let timer: NodeJS.Timeout | undefined;
  const fold = (): void => {
    clearTimeout(timer);
    timer = undefined;
    writer.fold();
  };
  const later = (): void => {
    timer = undefined;
    try {
      writer.fold();
    } catch {
      timer = setTimeout(later, LONGEST); // somebody else holds the database, or the disk is full: the log stays
    }
  };
  const answer = (request: Request): Reply => {
    if (request.kind === 'group') {
      const results = writer.commit(request.group);
      // A fold that fails takes nothing from what is committed.
      timer ??= setTimeout(later, writer.isFull ? 0 : LONGEST);
      return { results };
    }
    if (request.kind === 'fold') fold();
    if (request.kind === 'expire') writer.expire(request.day);
    if (request.kind === 'close') writer.close();
    return {};
  };
  port.on('message', (request: Request) => {
    let reply: Reply;
    try {
      reply = answer(request);
    } catch (error) {
      reply = { error: (error as Error).message, isFull: (error as { readonly errcode?: number }).errcode === SQLITE_FULL };
    }
    port.postMessage(reply);
    if (request.kind === 'close' && reply.error === undefined) port.close();
  });
  port.postMessage({} satisfies Reply);
}

if (parentPort !== null) serveWriter(parentPort, workerData as WriterData);
