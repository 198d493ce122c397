/** The body of a request: of the length that it declared, and in time. */

import type { IncomingMessage } from 'node:http';
import { MAX_BODY_BYTES, Refusal } from '@murmuration/shared';

/** The length that a request declares. @throws {Refusal} before anything is read */
export function lengthOf(request: IncomingMessage): number {
  const declared = request.headers['content-length'];
  if (declared === undefined) throw new Refusal('length-required', 'a Content-Length', 'none');
  const length = Number(declared);
  if (length > MAX_BODY_BYTES) throw new Refusal('too-large', `at most ${MAX_BODY_BYTES} bytes`, `${declared} bytes`);
  return length;
}

/** Resolves to the body. Node's parser takes no more of it than was declared. */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let body: Buffer | undefined;
    request.on('data', (chunk: Buffer) => {
      body = body === undefined ? chunk : Buffer.concat([body, chunk]);
    });
    request.on('end', () => resolve(body ?? Buffer.alloc(0)));
    request.on('error', reject);
  });
}
