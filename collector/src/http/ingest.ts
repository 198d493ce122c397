/** `POST /v1/reports`: checked in full, durable with its id, and only then acknowledged. Nothing about the sender is kept. */

import { hash } from 'node:crypto';
import { ACCEPTED_DAYS, dayNumber, type Published, parseBatch, REFUSALS, Refusal } from '@murmuration/shared';
import type { RequestHandler } from 'express';
import type { Store } from '../store/store.ts';
import { lengthOf, readBody } from './body.ts';
import { sendProblem } from './problem.ts';

/** Ids outlive the days on which their batches are accepted by so many: a replay can't slip in between. */
const ID_MARGIN = 2;

/** The ingest route. `now` gives milliseconds since 1970. */
export function ingest(schemas: ReadonlyMap<string, Published>, store: Store, now: () => number): RequestHandler {
  let expired = 0;
  return async (request, response) => {
    // Any page may report, and read whether it was heard: the answer holds nothing about anybody.
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-expose-headers', 'retry-after');
    response.setHeader('cache-control', 'no-store');
    try {
      lengthOf(request);
      const body = await readBody(request);
      const today = dayNumber(now());
      const batch = parseBatch(body.toString('utf8'), schemas, today);
      if (today > expired) {
        expired = today;
        await store.expire(today - ACCEPTED_DAYS.before - ID_MARGIN);
      }
      if ((await store.append({ ...batch, hash: hash('sha256', body, 'buffer') })) === 'conflict')
        throw new Refusal('conflict', 'the bytes that this batch id came with', 'others');
      response.writeHead(204).end();
    } catch (error) {
      if (request.errored) return; // the sender is gone: nobody to answer, and nothing to log
      if (!(error instanceof Refusal)) throw error;
      if (!request.complete) response.set('connection', 'close');
      sendProblem(response, REFUSALS[error.code], error.code, error.expected, error.got);
    }
  };
}
