/** The embedded store: node:sqlite in this process, written by a thread of its own, read in snapshots. */

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { makeFolder } from './durable.ts';
import { createGroupCommit } from './group-commit.ts';
import { lock } from './lock.ts';
import { RESULTS, type Reply, type Request, type Trouble, type WriterData } from './sqlite-protocol.ts';
import { DATABASE, TIMEOUT } from './sqlite-schema.ts';
import { type Appended, type Evidence, type Selection, type Shapes, type Store, StoreFull, type Tally, type Weights } from './store.ts';

interface Waiter {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: Error) => void;
}

/** MiB of the writer's young objects: V8 would let them double now and then, long into a run, and gain nothing by it. */
const YOUNG = 48;

/** The writer's own file, as source or as built. */
const writerFile = new URL(import.meta.url.endsWith('.ts') ? './sqlite-writer.ts' : './sqlite-writer.js', import.meta.url);

function readEvidence(database: DatabaseSync, { schemas, metric, from, to, segment = {} }: Selection): Evidence {
  const wanted = Object.entries(segment);
  const names = schemas.map(() => '?').join();
  const parts = wanted.map(() => 'AND json_extract(segment, ?) = ?').join(' ');
  const sql = `SELECT cohort, day, reports, cells FROM tally
    WHERE schema IN (${names}) AND metric = ? AND day >= ? AND day <= ? ${parts}`;
  const parameters = [...schemas, metric, from ?? 0, to ?? 2 ** 31, ...wanted.flatMap(([name, value]) => [`$."${name}"`, value])];
  const tallies = new Map<number, Tally>();
  let [first, last, total] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  for (const row of database.prepare(sql).iterate(...parameters)) {
    const { cohort, day, reports } = row as { cohort: number; day: number; reports: number };
    const counts = new Float64Array((row['cells'] as Uint8Array).slice().buffer);
    const known = tallies.get(cohort);
    const cells = known === undefined ? counts : counts.map((count, i) => count + (known.cells[i] as number));
    tallies.set(cohort, { reports: reports + (known?.reports ?? 0), cells });
    [first, last, total] = [Math.min(first, day), Math.max(last, day), total + reports];
  }
  return { tallies, reports: total, from: total > 0 ? first : null, to: total > 0 ? last : null };
}

function readWeights(database: DatabaseSync, { schemas, metric, from, to }: Parameters<Store['weights']>[0]): readonly Weights[] {
  const sql = `SELECT day, ones, sum(reports) AS reports FROM weight
    WHERE schema IN (${schemas.map(() => '?').join()}) AND metric = ? AND day >= ? AND day <= ? GROUP BY day, ones ORDER BY day, ones`;
  const days = new Map<number, Map<number, number>>();
  for (const row of database.prepare(sql).iterate(...schemas, metric, from ?? 0, to ?? 2 ** 31)) {
    const { day, ones, reports } = row as { day: number; ones: number; reports: number };
    const weights = days.get(day) ?? new Map<number, number>();
    days.set(day, weights.set(ones, reports));
  }
  return [...days].map(([day, reports]) => ({ day, reports }));
}

/** Requests to the writer, each with its reply, in order. */
function connect(
  worker: Worker,
  onTrouble: (message: string) => void,
): {
  readonly opened: Promise<Reply>;
  readonly ask: (request: Request) => Promise<Reply>;
  /** Resolves when the writer has ended, to why. */
  readonly ended: Promise<Error>;
} {
  const waiters: Waiter[] = [];
  let failed: Error | undefined;
  const fail = (error: Error): void => {
    failed ??= error;
    for (const { reject } of waiters.splice(0)) reject(error);
  };
  worker.on('error', fail);
  const ended = new Promise<Error>((resolve) =>
    worker.on('exit', () => {
      fail(new Error('the store is closed'));
      resolve(failed as Error);
    }),
  );
  worker.on('message', (reply: Reply | Trouble) => {
    if ('trouble' in reply) return onTrouble(reply.trouble);
    const waiter = waiters.shift();
    if (reply.error === undefined) waiter?.resolve(reply);
    else waiter?.reject(reply.isFull ? new StoreFull(reply.error) : new Error(reply.error));
  });
  const reply = (): Promise<Reply> => new Promise((resolve, reject) => waiters.push({ resolve, reject }));
  return {
    opened: reply(),
    ask: (request) => {
      if (failed !== undefined) return Promise.reject(failed);
      worker.postMessage(request, request.kind === 'group' ? [request.group.words.buffer] : []);
      return reply();
    },
    ended,
  };
}

/** What a store may be opened with. */
export interface SqliteOptions {
  /** The file of the writer's thread. */
  readonly writer?: URL;
  /** Told of work that failed after it was acknowledged, and is tried again: what is on the disk stays there. */
  readonly onTrouble?: (message: string) => void;
}

/**
 * Opens the store in a folder, which is made if need be.
 *
 * @param shapes of every schema whose batches will be appended
 * @throws {RangeError} when the file is no store, one of a later version, or another process writes it
 * @throws {Error} when the file can't be opened
 */
export async function openSqliteStore(
  folder: string,
  shapes: Shapes,
  { writer = writerFile, onTrouble = () => undefined }: SqliteOptions = {},
): Promise<Store> {
  makeFolder(folder);
  const unlock = lock(folder);
  const file = join(folder, DATABASE);
  const worker = new Worker(writer, {
    workerData: { file, shapes } satisfies WriterData,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG },
  });
  const { opened, ask, ended } = connect(worker, onTrouble);
  await opened.catch((error: Error) => {
    unlock();
    throw error;
  });
  const { append, settle } = createGroupCommit(async (group) => {
    const { results = [] } = await ask({ kind: 'group', group });
    return Array.from(results, (result) => RESULTS[result] as Appended);
  });
  const reader = new DatabaseSync(file, { readOnly: true, timeout: TIMEOUT });
  let closed = false;
  const failed = new Promise<Error>((resolve) => {
    void ended.then((error) => closed || resolve(error));
  });
  /** What was appended is in the tallies. */
  const folded = async (): Promise<void> => {
    await settle();
    await ask({ kind: 'fold' });
  };
  return {
    append: (entry) => (closed ? Promise.reject(new Error('the store is closed')) : append(entry)),
    read: async (selection) => {
      await folded();
      return readEvidence(reader, selection);
    },
    weights: async (selection) => {
      await folded();
      return readWeights(reader, selection);
    },
    expire: async (day) => void (await ask({ kind: 'expire', day })),
    failed,
    close: async () => {
      closed = true;
      await settle();
      try {
        await ask({ kind: 'close' });
        await ended; // of itself: a thread that is stopped from outside may be in the midst of its own end
      } catch (error) {
        await worker.terminate();
        throw error;
      } finally {
        reader.close();
        unlock();
      }
    },
  };
}
