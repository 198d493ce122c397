/** Makes plans in a thread of their own: one of a long list or of many wishes takes seconds, and ingest must not wait for it. */

import { Worker } from 'node:worker_threads';
import { createTaskQueue, TASK_LIMITS, threadFile } from '../../base/threads.ts';
import type { PlanOf, PlanTask } from './plan-of.ts';

/** Milliseconds that the running plan gets when the collector stops. */
const GRACE = 2_000;

/** Milliseconds that the thread is kept without tasks: whoever plans thinks between two of them. */
const IDLE = 60_000;

/** Makes a plan. @throws {Refusal} 503 when too many wait, or it takes too long */
export type Plans = (task: PlanTask, signal: AbortSignal) => Promise<PlanOf>;

/** The service of plans. */
export interface Planning {
  readonly plans: Plans;
  /** Refuses what waits, and ends the thread. */
  readonly close: () => Promise<void>;
}

/** Creates the service. No thread runs until the first plan. */
export function createPlanning(begin: () => Worker = () => new Worker(threadFile(import.meta.url, 'worker'))): Planning {
  const queue = createTaskQueue<PlanTask, PlanOf>(begin, { ...TASK_LIMITS, idle: IDLE });
  return { plans: queue.run, close: () => queue.end(GRACE) };
}
