/**
 * Estimates, beside the ingest: a large one takes tenths of a second, and no report waits for it. One thread computes them in their
 * order; the first request starts it, and the first after it failed another.
 */

import { Worker } from 'node:worker_threads';
import { refusal } from '../http/refusal.ts';
import { connect, type Thread, threadFile } from '../threads/request-reply.ts';
import type { EstimateRequest, MetricEstimates } from './estimates.ts';
import type { Reply } from './worker.ts';

/** Questions that may wait: beyond them the next is asked to come later. */
const MOST_WAITING = 200;

/** What estimates. */
export interface Estimating {
  /** @throws {Refusal} when too many wait */
  readonly estimate: (request: EstimateRequest) => Promise<MetricEstimates>;
  /** Ends the thread, when it has answered. */
  readonly close: () => Promise<void>;
}

/** Nothing runs until something is asked. */
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
    close: async () => {
      thread?.ask(null).catch(() => undefined); // which is not answered
      await thread?.ended;
    },
  };
}
