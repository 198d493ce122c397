/** The body of a request: of the length that it declared. Node's parser takes no more of it, and its timeouts bound how long it may take. */

import type { IncomingMessage } from 'node:http';
import { MAX_BODY_BYTES, Refusal } from '@murmuration/shared';

/** @throws {Refusal} before anything is read, unless the request declares a length that is accepted */
export function checkLength(request: IncomingMessage): void {
  const declared = request.headers['content-length'];
  if (declared === undefined) throw new Refusal('length-required', 'a Content-Length', 'none');
  if (Number(declared) > MAX_BODY_BYTES) throw new Refusal('too-large', `at most ${MAX_BODY_BYTES} bytes`, `${declared} bytes`);
}

/** Gives the whole body to `done`; never, when the sender goes away before it has sent it. */
export function readBody(request: IncomingMessage, done: (body: Buffer) => void): void {
  let body: Buffer | undefined;
  request.on('data', (chunk: Buffer) => {
    body = body === undefined ? chunk : Buffer.concat([body, chunk]);
  });
  request.on('end', () => done(body ?? Buffer.alloc(0)));
  request.on('error', () => {}); // nobody to answer, and nothing to log
}
