/** `POST /v1/reports`: checked in full, durable with its id, and only then acknowledged. Nothing about the sender is kept. */

import { createHash } from 'node:crypto';
import { ACCEPTED_DAYS, dayNumber, MAX_BODY_BYTES, parseBatch, REFUSALS, Refusal, type SchemaDocument } from '@murmuration/shared';
import type { Request, RequestHandler } from 'express';
import type { Store } from '../store/store.ts';
import { sendProblem } from './problem.ts';

/** Ids outlive the days on which their batches are accepted by so many: a replay can't slip in between. */
const ID_MARGIN = 2;

/** Reads a body whose length the request has declared. */
async function readBody(request: Request): Promise<Buffer> {
  const declared = request.headers['content-length'];
  if (declared === undefined) throw new Refusal('length-required', 'a Content-Length', 'none');
  if (Number(declared) > MAX_BODY_BYTES) throw new Refusal('too-large', `at most ${MAX_BODY_BYTES} bytes`, `${declared} bytes`);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

/** The ingest route. `now` gives milliseconds since 1970. */
export function ingest(schemas: ReadonlyMap<string, SchemaDocument>, store: Store, now: () => number): RequestHandler {
  let expired = 0;
  return async (request, response) => {
    // Any page may report, and read whether it was heard: the answer holds nothing about anybody.
    response.set({ 'access-control-allow-origin': '*', 'access-control-expose-headers': 'retry-after', 'cache-control': 'no-store' });
    try {
      const body = await readBody(request);
      const today = dayNumber(now());
      const batch = parseBatch(body.toString('utf8'), schemas, today);
      if (today > expired) {
        expired = today;
        await store.expire(today - ACCEPTED_DAYS.before - ID_MARGIN);
      }
      const hash = createHash('sha256').update(body).digest('base64url').slice(0, 22);
      if ((await store.append({ ...batch, hash })) === 'conflict')
        throw new Refusal('conflict', 'the bytes that this batch id came with', 'others');
      response.status(204).end();
    } catch (error) {
      if (request.errored) return; // the sender is gone: nobody to answer, and nothing to log
      if (!(error instanceof Refusal)) throw error;
      if (!request.complete) response.set('connection', 'close');
      sendProblem(response, REFUSALS[error.code], error.code, error.expected, error.got);
    }
  };
}
