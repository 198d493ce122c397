/** The thread that estimates: a question, a reply, until there is none. */

import { parentPort } from 'node:worker_threads';
import { estimate, type MetricEstimates, type Question } from './estimates.ts';

/** What came of a question. */
export type Reply = { readonly estimates: MetricEstimates } | { readonly error: unknown };

parentPort?.on('message', (question: Question | null) => {
  if (question === null) return parentPort?.close();
  let reply: Reply;
  try {
    reply = { estimates: estimate(question) };
  } catch (error) {
    reply = { error };
  }
  parentPort?.postMessage(reply);
});
