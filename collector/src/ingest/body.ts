/**
 * Reads the body of a request, with the length that it declared. Node's parser reads no more than that, and its timeouts bound how long it
 * may take.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { MAX_BODY_BYTES } from '@murmuration/shared';
import { type Refusal, refusal } from '../base/refusal.ts';
import type { UnfinishedBodies } from './unfinished-bodies.ts';

/** Whether the declared length of a request's body is acceptable. */
export const isReadable = ({ headers }: IncomingMessage): boolean => Number(headers['content-length']) <= MAX_BODY_BYTES;

/** The declared length of a request's body, in bytes. @throws {Refusal} before anything is read, when the length is not acceptable */
export function lengthOf(request: IncomingMessage): number {
  const declared = request.headers['content-length'];
  if (declared === undefined) throw refusal('length-required', 'a Content-Length', 'none');
  if (!isReadable(request)) throw refusal('too-large', `at most ${MAX_BODY_BYTES} bytes`, `${declared} bytes`);
  return Number(declared);
}

/**
 * Passes the whole body to `done`, or passes to `refuse` the reason why it was dropped before it was complete. Calls neither when the
 * sender disconnects early.
 */
export function readBody(
  response: ServerResponse<IncomingMessage>,
  unfinished: UnfinishedBodies,
  done: (body: Buffer) => void,
  refuse: (refusal: Refusal) => void,
): void {
  const request = response.req;
  let missing = lengthOf(request);
  let last: Buffer = Buffer.alloc(0);
  const take = (piece: Buffer): void => {
    missing -= piece.length;
    if (missing > 0) unfinished.add(response, piece, drop);
    else last = piece; // a body in one piece needs no buffering
  };
  const end = (): void => {
    const before = unfinished.take(request);
    done(before.length === 0 ? last : Buffer.concat([before, last]));
  };
  const drop = (refusal: Refusal): void => {
    request.off('data', take).off('end', end); // the stream keeps flowing, without a reader
    refuse(refusal);
  };
  request.on('data', take).on('end', end);
  request.on('error', () => {}); // nobody to answer, and nothing to log
}
