/**
 * Computes estimates in a thread of its own. A large estimate takes tenths of a second, and ingest must not wait for it. One thread
 * computes them in order. The first request starts it, and the first request after a failure starts another.
 */

import { Worker } from 'node:worker_threads';
import { refusal } from '../http/refusal.ts';
import { connect, type Thread, threadFile } from '../threads/request-reply.ts';
import type { EstimateRequest, MetricEstimates } from './estimates.ts';
import type { Reply } from './worker.ts';

/** Requests that may wait. Beyond that, the next is asked to retry later. */
const MOST_WAITING = 200;

/** The estimates service. */
export interface Estimating {
  /** @throws {Refusal} when too many requests wait */
  readonly estimate: (request: EstimateRequest) => Promise<MetricEstimates>;
  /** The number of requests that are being computed or wait. */
  readonly waiting: () => number;
  /** Ends the thread after it has answered. */
  readonly close: () => Promise<void>;
}

/** Creates the service. No thread runs until the first request. */
export function createEstimating(): Estimating {
  let thread: Thread<EstimateRequest | null, Reply> | undefined;
  let waiting = 0;
  const start = (): Thread<EstimateRequest | null, Reply> => {
    const started = connect<EstimateRequest | null, Reply>(new Worker(threadFile(import.meta.url, 'worker')), 'nothing estimates any more');
    void started.ended.then(() => {
      if (thread === started) thread = undefined;
    });
    return started;
  };
  return {
    estimate: async (request) => {
      if (waiting >= MOST_WAITING) {
        throw refusal('busy', `at most ${MOST_WAITING} estimates that wait`, 'more; try again later');
      }
      waiting++;
      try {
        thread ??= start();
        const reply = await thread.ask(request);
        if ('error' in reply) throw reply.error;
        return reply.estimates;
      } finally {
        waiting--;
      }
    },
    waiting: () => waiting,
    close: async () => {
      thread?.ask(null).catch(() => undefined); // this request has no reply
      await thread?.ended;
    },
  };
}
