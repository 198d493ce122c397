/** The thread that estimates: a request, a reply, until there is none. */

import { parentPort } from 'node:worker_threads';
import { type EstimateRequest, estimate, type MetricEstimates } from './estimates.ts';

/** What came of a request. */
export type Reply = { readonly estimates: MetricEstimates } | { readonly error: unknown };

parentPort?.on('message', (request: EstimateRequest | null) => {
  if (request === null) return parentPort?.close();
  let reply: Reply;
  try {
    reply = { estimates: estimate(request) };
  } catch (error) {
    reply = { error };
  }
  parentPort?.postMessage(reply);
});
