/**
 * The writer: a thread of its own that owns the database, for a commit waits for the disk and an event loop must not.
 * Group commit: whatever arrives during one commit shares the next. An id and the counts of its batch stand in one
 * transaction, so a batch is in the tallies exactly once, or not at all.
 */

import type { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { openForWriting } from './sqlite-schema.ts';
import type { Appended, Entry } from './store.ts';

/** What the store asks of its writer. */
export type Request = { readonly n: number } & (
  | { readonly kind: 'append'; readonly entry: Entry; readonly shapes: { readonly [metric: string]: number } }
  | { readonly kind: 'expire'; readonly day: number }
  | { readonly kind: 'close' }
);

/** What the writer answers, once it is on the disk. */
export type Reply = { readonly n: number; readonly result?: Appended; readonly error?: string };

interface Delta {
  reports: number;
  readonly cells: Map<number, number>;
  readonly key: readonly [schema: string, metric: string, day: number, segment: string, cohort: number];
  readonly size: number;
}

function createWriter(database: DatabaseSync): (group: readonly Request[]) => Reply[] {
  const findId = database.prepare('SELECT hash FROM batch WHERE id = ?');
  const addId = database.prepare('INSERT INTO batch (id, day, hash) VALUES (?, ?, ?)');
  const where = 'WHERE schema = ? AND metric = ? AND day = ? AND segment = ? AND cohort = ?';
  const find = database.prepare(`SELECT reports, cells FROM tally ${where}`);
  const put = database.prepare(
    'INSERT OR REPLACE INTO tally (schema, metric, day, segment, cohort, reports, cells) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const expire = database.prepare('DELETE FROM batch WHERE day < ?');

  const append = (
    { id, day, hash, schema, segment, reports }: Entry,
    shapes: { readonly [metric: string]: number },
    deltas: Map<string, Delta>,
  ): Appended => {
    const known = findId.get(id);
    if (known !== undefined) return known['hash'] === hash ? 'duplicate' : 'conflict';
    addId.run(id, day, hash);
    for (const { metric, report } of reports) {
      const key = [schema, metric, day, segment, report.cohort] as const;
      const name = key.join('\n');
      let delta = deltas.get(name);
      if (delta === undefined) {
        delta = { reports: 0, cells: new Map(), key, size: shapes[metric] as number };
        deltas.set(name, delta);
      }
      delta.reports++;
      for (const cell of report.cells) delta.cells.set(cell, (delta.cells.get(cell) ?? 0) + 1);
    }
    return 'counted';
  };

  const fold = ({ key, reports, cells, size }: Delta): void => {
    const row = find.get(...key);
    const counts = row === undefined ? new Float64Array(size) : new Float64Array((row['cells'] as Uint8Array).slice().buffer);
    for (const [cell, count] of cells) counts[cell] = (counts[cell] as number) + count;
    put.run(...key, reports + Number(row?.['reports'] ?? 0), new Uint8Array(counts.buffer));
  };

  return (group) => {
    const deltas = new Map<string, Delta>();
    try {
      database.exec('BEGIN IMMEDIATE');
      const replies = group.map((request): Reply => {
        if (request.kind === 'expire') expire.run(request.day);
        return request.kind === 'append' ? { n: request.n, result: append(request.entry, request.shapes, deltas) } : { n: request.n };
      });
      for (const delta of deltas.values()) fold(delta);
      database.exec('COMMIT');
      return replies;
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      return group.map(({ n }) => ({ n, error: (error as Error).message }));
    }
  };
}

const port = parentPort;
if (port !== null) {
  const database = openForWriting(workerData as string);
  const write = createWriter(database);
  let queue: Request[] = [];
  const drain = (): void => {
    const group = queue;
    queue = [];
    const replies = write(group);
    const closing = group.some(({ kind }) => kind === 'close');
    if (closing) database.close();
    port.postMessage(replies);
    if (closing) port.close();
  };
  port.on('message', (request: Request) => {
    if (queue.push(request) === 1) setImmediate(drain);
  });
  port.postMessage([{ n: 0 }] satisfies Reply[]);
}
