/**
 * Makes measurements that take long in a thread of their own: synthetic tables, associations and days. The thread draws from the system's
 * source, as everything else does, so laws are the same there. What a thread has not answered when it ends was charged, and is lost.
 */

import { Worker } from 'node:worker_threads';
import { refusal } from '../../base/refusal.ts';
import { createTaskQueue, TASK_LIMITS, threadFile } from '../../base/threads.ts';
import { kindOf } from '../measures/table.ts';
import type { Expected, Measured, Measuring } from '../query/making.ts';
import { allMeasures, type Resolved } from '../query/resolve.ts';
import type { Table } from '../table/columns.ts';
import type { ReportCount } from '../table/participation.ts';

/** Task of the thread: a resolved question, whose columns it finds again, and the rows if they are to be measured. */
export interface Task {
  readonly resolved: Omit<Resolved, 'table'>;
  readonly table: Omit<Table, 'columns'>;
  readonly rows?: readonly ReportCount[];
}

/** Results of the thread. */
export type Made = { readonly expected: readonly Expected[] } | { readonly measured: readonly Measured[] };

/** Questions that may wait before they are charged. Beyond that, the next is asked to retry later. */
const MOST_WAITING = 20;

/** Milliseconds that the running measurement gets when the collector stops. */
const GRACE = 2_000;

/** Measurements in a thread. */
export interface MeasuringThread extends Measuring {
  /** Ends the thread. What waits in it is lost. */
  readonly close: () => Promise<void>;
}

/**
 * Creates the service. No thread runs until the first question that takes long.
 *
 * @param here makes all other measurements
 * @param start starts the thread
 */
export function measuringInThread(
  here: Measuring,
  start: () => Worker = () => new Worker(threadFile(import.meta.url, 'worker')),
): MeasuringThread {
  // What was charged is never turned away.
  const queue = createTaskQueue<Task, Made>(start, { ...TASK_LIMITS, mostWaiting: Number.POSITIVE_INFINITY });
  const isLong = ({ question }: Resolved): boolean => allMeasures(question).some(({ measure }) => kindOf(measure.kind).isLong === true);
  const ask = async (resolved: Resolved, rows?: readonly ReportCount[]): Promise<Made> => {
    const { table, ...rest } = resolved;
    const { app, schemas } = table;
    const task: Task = { resolved: rest, table: { app, schemas }, ...(rows && { rows }) };
    return await queue.run(task, new AbortController().signal);
  };
  return {
    expect: async (resolved) => {
      if (!isLong(resolved)) return here.expect(resolved);
      if (queue.waiting() >= MOST_WAITING) throw refusal('busy', `at most ${MOST_WAITING} questions that wait`, 'more; try again later');
      const reply = await ask(resolved);
      return 'expected' in reply ? reply.expected : [];
    },
    measure: async (resolved, rows) => {
      if (!isLong(resolved)) return here.measure(resolved, rows);
      const reply = await ask(resolved, rows);
      return 'measured' in reply ? reply.measured : [];
    },
    close: () => queue.end(GRACE),
  };
}
