/** Buffers for request bodies that have arrived in part, within a memory budget of their own. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Refusal, refusal } from '../base/refusal.ts';

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
