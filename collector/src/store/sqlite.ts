/** The embedded store: node:sqlite in this process, written by a thread of its own, read in snapshots. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import type { Reply, Request } from './sqlite-writer.ts';
import type { Appended, Evidence, Selection, Store, Tally } from './store.ts';

type Body<R> = R extends { readonly n: number } ? Omit<R, 'n'> : never;

interface Waiter {
  readonly resolve: (result: Appended | undefined) => void;
  readonly reject: (error: Error) => void;
}

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

/**
 * Opens the store in a folder, which is made if need be.
 *
 * @param cellsOf how many cells a tally of a schema's metric has
 * @throws {Error} when the file can't be opened, or holds a store of another version
 */
export async function openSqliteStore(folder: string, cellsOf: (schema: string, metric: string) => number): Promise<Store> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'murmuration.sqlite');
  const worker = new Worker(writerFile, { workerData: file });
  const waiters = new Map<number, Waiter>();
  let next = 0;
  let failed: Error | undefined;

  const fail = (error: Error): void => {
    failed ??= error;
    for (const { reject } of waiters.values()) reject(error);
    waiters.clear();
  };
  worker.on('error', fail);
  worker.on('exit', () => fail(new Error('the store is closed')));
  worker.on('message', (replies: readonly Reply[]) => {
    for (const { n, result, error } of replies) {
      const waiter = waiters.get(n);
      waiters.delete(n);
      if (error === undefined) waiter?.resolve(result);
      else waiter?.reject(new Error(error));
    }
  });
  const expect = (n: number): Promise<Appended | undefined> => new Promise((resolve, reject) => waiters.set(n, { resolve, reject }));
  const ask = (request: Body<Request>): Promise<Appended | undefined> => {
    if (failed !== undefined) return Promise.reject(failed);
    const n = ++next;
    const reply = expect(n);
    worker.postMessage({ ...request, n });
    return reply;
  };

  await expect(0);
  const reader = new DatabaseSync(file, { readOnly: true, timeout: 5_000 });
  return {
    append: async (entry) => {
      const shapes = Object.fromEntries(entry.reports.map(({ metric }) => [metric, cellsOf(entry.schema, metric)]));
      return (await ask({ kind: 'append', entry, shapes })) as Appended;
    },
    read: (selection) => readEvidence(reader, selection),
    expire: async (day) => void (await ask({ kind: 'expire', day })),
    close: async () => {
      await ask({ kind: 'close' });
      reader.close();
      await worker.terminate();
    },
  };
}
