/** Bodies of requests: how they are read, and the memory that those which have arrived in part may take. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { MAX_BODY_BYTES } from '@murmuration/shared';
import { type Refusal, refusal } from '../base/refusal.ts';

/** True if the declared length of a request's body is acceptable. */
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

// Buffers for request bodies that have arrived in part, within a memory budget of their own.

interface Part {
  body: Buffer;
  readonly refuse: (refusal: Refusal) => void;
}

/** The default of the budget, in bytes. */
export const MOST_ARRIVING: number = 96 * 2 ** 20;

const NOTHING = Buffer.alloc(0);

/** When the budget is used up, the requests that have been sending longest are refused, so slow senders cannot starve fast ones. */
export class UnfinishedBodies {
  readonly #most: number;
  #bytes = 0;
  /** In the order in which their first chunks arrived. */
  readonly #parts = new Map<IncomingMessage, Part>();

  /** @param most total bytes of unfinished bodies */
  constructor(most: number) {
    this.#most = most;
  }

  /** Bytes of unfinished bodies now. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Keeps a chunk of a body until the body is taken, the request is answered or the sender disconnects. Calls `refuse` when the body is
   * dropped.
   */
  add(response: ServerResponse<IncomingMessage>, piece: Buffer, refuse: (refusal: Refusal) => void): void {
    if (response.writableEnded) return;
    const request = response.req;
    const part = this.#parts.get(request) ?? { body: NOTHING, refuse };
    if (part.body === NOTHING) {
      this.#parts.set(request, part);
      // The response's `close` event, not the request's: Node does not close a request that is answered before its body is complete.
      response.once('close', () => this.take(request));
    }
    part.body = Buffer.concat([part.body, piece]);
    this.#bytes += piece.length;
    for (const [oldest, { refuse }] of this.#parts) {
      if (this.#bytes <= this.#most) break;
      this.take(oldest);
      refuse(refusal('busy', `at most ${this.#most} bytes of bodies on their way`, 'more; try again later'));
    }
  }

  /** Removes the chunks of a body and returns them. */
  take(request: IncomingMessage): Buffer {
    const body = this.#parts.get(request)?.body ?? NOTHING;
    this.#parts.delete(request);
    this.#bytes -= body.length;
    return body;
  }
}
