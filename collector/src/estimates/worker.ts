/** The estimates thread: replies to each request until it receives null. */

import { parentPort } from 'node:worker_threads';
import { type EstimateRequest, estimate, type MetricEstimates } from './estimates.ts';

/** The result of a request. */
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
