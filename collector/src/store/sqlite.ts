/** The embedded store: node:sqlite in this process. A thread of its own writes it, and reads use snapshots. */

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { connect, threadFile } from '../threads/request-reply.ts';
import { makeFolder } from './durable.ts';
import { createGroupCommit } from './group-commit.ts';
import { lock } from './lock.ts';
import { RESULTS, type Reply, type Request, type Trouble, type WriterData } from './sqlite-protocol.ts';
import { DATABASE, TIMEOUT } from './sqlite-schema.ts';
import { type Appended, type DailyOnes, type Evidence, type Selection, type Shapes, type Store, StoreFull, type Tally } from './store.ts';

/** Size in MiB of the writer's young generation. Otherwise V8 would double it now and then, long into a run, without a benefit. */
const YOUNG = 48;

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

function readOnes(database: DatabaseSync, { schemas, metric, from, to }: Parameters<Store['ones']>[0]): readonly DailyOnes[] {
  const sql = `SELECT day, ones, sum(reports) AS reports FROM ones
    WHERE schema IN (${schemas.map(() => '?').join()}) AND metric = ? AND day >= ? AND day <= ? GROUP BY day, ones ORDER BY day, ones`;
  const days = new Map<number, Map<number, number>>();
  for (const row of database.prepare(sql).iterate(...schemas, metric, from ?? 0, to ?? 2 ** 31)) {
    const { day, ones, reports } = row as { day: number; ones: number; reports: number };
    const known = days.get(day) ?? new Map<number, number>();
    days.set(day, known.set(ones, reports));
  }
  return [...days].map(([day, reports]) => ({ day, reports }));
}

const isReply = (message: unknown): boolean => !('trouble' in (message as Reply | Trouble));

/** Returns a reply, or throws its error. */
function orThrow(reply: Reply): Reply {
  if (reply.error === undefined) return reply;
  throw reply.isFull ? new StoreFull(reply.error) : new Error(reply.error);
}

/** Options of the store. */
export interface SqliteOptions {
  /** The file of the writer thread. */
  readonly writer?: URL;
  /** Called when background work on acknowledged batches fails. The work is retried, and no data on the disk is lost. */
  readonly onTrouble?: (message: string) => void;
}

/**
 * Opens the store in a folder, which is created when it does not exist.
 *
 * @param shapes the shapes of every schema whose batches will be appended
 * @throws {RangeError} when the file is not a store, is a later version, or is open for writing in another process
 * @throws {Error} when the file can't be opened
 */
export async function openSqliteStore(
  folder: string,
  shapes: Shapes,
  { writer = threadFile(import.meta.url, 'sqlite-writer'), onTrouble = () => undefined }: SqliteOptions = {},
): Promise<Store> {
  makeFolder(folder);
  const unlock = lock(folder);
  const file = join(folder, DATABASE);
  const worker = new Worker(writer, {
    workerData: { file, shapes } satisfies WriterData,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG },
  });
  const thread = connect<Request, Reply>(worker, 'the store is closed', isReply);
  worker.on('message', (message: Reply | Trouble) => {
    if ('trouble' in message) onTrouble(message.trouble);
  });
  const ask = async (request: Request): Promise<Reply> =>
    orThrow(await thread.ask(request, request.kind === 'group' ? [request.group.words.buffer] : []));
  try {
    orThrow(await thread.reply());
  } catch (error) {
    unlock();
    throw error;
  }
  const { append, settle } = createGroupCommit(async (group) => {
    const { results = [] } = await ask({ kind: 'group', group });
    return Array.from(results, (result) => RESULTS[result] as Appended);
  });
  const reader = new DatabaseSync(file, { readOnly: true, timeout: TIMEOUT });
  let closed = false;
  const failed = new Promise<Error>((resolve) => {
    void thread.ended.then((error) => closed || resolve(error));
  });
  /** Resolves when everything appended so far is in the tallies. */
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
    ones: async (selection) => {
      await folded();
      return readOnes(reader, selection);
    },
    expire: async (day) => void (await ask({ kind: 'expire', day })),
    failed,
    close: async () => {
      closed = true;
      await settle();
      try {
        await ask({ kind: 'close' });
        await thread.ended; // wait for the thread to end by itself: terminating it could interrupt its own cleanup
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
