/**
 * Answers questions about the tallies in a thread of its own, which also reads them. A large answer takes tenths of a second, and ingest
 * must not wait for it. Equal questions are answered once until the tallies of their metrics change. A question whose strings must be
 * discovered first takes seconds: it has another thread, so that no other question waits for it.
 */

import { Worker } from 'node:worker_threads';
import { createTaskQueue, TASK_LIMITS, type TaskLimits, threadFile } from '../base/threads.ts';
import type { Store } from '../storage/store.ts';
import { AnswerCache, type HeldAnswer, type PackedAnswer, partsOf } from './packed-answer.ts';
import { createFreshTotals, type FreshTotals } from './summary.ts';
import { type Candidates, keyOf, searchesFirst, type Task } from './tasks.ts';
import type { EstimatesData } from './worker.ts';

/** Milliseconds that the running computation gets when the collector stops. */
const GRACE = 2_000;

/** Size in MiB of the thread's young generation. By default a large answer would make it several times as large, for good. */
const YOUNG = 8;

/** Options of an estimates service. */
export interface EstimatingOptions {
  readonly store: Pick<Store, 'totals' | 'source'>;
  readonly candidates: Candidates;
  readonly limits?: TaskLimits;
  /** Bytes of answers that are kept or being sent. */
  readonly mostBytes?: number;
  /** Starts a thread. */
  readonly begin?: (data: EstimatesData) => Worker;
}

/** The estimates service. */
export interface Estimating {
  /** The totals of all metrics, at most this many milliseconds old. */
  readonly totals: FreshTotals;
  /**
   * The answer to a task from tallies that are at most this many milliseconds old. The caller releases it.
   *
   * @throws {Refusal} 503 when too many tasks wait, too much is being sent, or the task took too long
   */
  readonly answer: (task: Task, maxAge: number, signal: AbortSignal) => Promise<HeldAnswer>;
  /** The number of tasks that are being computed or wait. */
  readonly waiting: () => number;
  /** Refuses what waits, and ends the threads. */
  readonly close: () => Promise<void>;
}

const beginWorker = (data: EstimatesData): Worker =>
  new Worker(threadFile(import.meta.url, 'worker'), { workerData: data, resourceLimits: { maxYoungGenerationSizeMb: YOUNG } });

/** Creates the service. No thread runs until the first question. */
export function createEstimating(options: EstimatingOptions): Estimating {
  const { store, candidates, limits = TASK_LIMITS, mostBytes, begin = beginWorker } = options;
  const open = () => createTaskQueue<Task, PackedAnswer>(() => begin({ source: store.source, candidates }), limits);
  const short = open();
  const searches = open();
  const cache = new AnswerCache(mostBytes);
  const totals = createFreshTotals(store);
  return {
    totals,
    answer: async (task, maxAge, signal) =>
      cache.get(keyOf(task, await totals(maxAge)), signal, async (abandoned, isWelcome) => {
        const queue = searchesFirst(task, candidates) ? searches : short;
        return await queue.run(task, abandoned, isWelcome);
      }),
    waiting: () => short.waiting() + searches.waiting(),
    close: async () => {
      await Promise.all([short.end(GRACE), searches.end(GRACE)]);
    },
  };
}

/** Rows of a whole answer, at most. */
export const WHOLE = { offset: 0, limit: 10_000 } as const;

/** A whole answer as an object, for what is made of several. */
export async function wholeAnswer<T>(estimating: Pick<Estimating, 'answer'>, task: Task, maxAge: number, signal: AbortSignal): Promise<T> {
  const { answer, release } = await estimating.answer(task, maxAge, signal);
  try {
    return JSON.parse(Buffer.concat(partsOf(answer, WHOLE)).toString()) as T;
  } finally {
    release();
  }
}
