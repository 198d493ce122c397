/** Request bodies that have arrived in part: their bytes so far, within a budget of their own. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Refusal, refusal } from '../http/refusal.ts';

interface Part {
  body: Buffer;
  readonly refuse: (refusal: Refusal) => void;
}

const NOTHING = Buffer.alloc(0);

/** When the budget is used up, the requests that have been sending longest are refused, so slow senders cannot starve fast ones. */
export class UnfinishedBodies {
  readonly #most: number;
  #bytes = 0;
  /** In the order in which their first pieces came. */
  readonly #parts = new Map<IncomingMessage, Part>();

  /** @param most bytes of such bodies */
  constructor(most: number) {
    this.#most = most;
  }

  /** Keeps a piece of a body until it is taken, its request is answered or its sender goes away; `refuse` is told when nothing of it is kept any longer. */
  add(response: ServerResponse<IncomingMessage>, piece: Buffer, refuse: (refusal: Refusal) => void): void {
    if (response.writableEnded) return;
    const request = response.req;
    const part = this.#parts.get(request) ?? { body: NOTHING, refuse };
    if (part.body === NOTHING) {
      this.#parts.set(request, part);
      // Not the request's: Node does not close one that is answered before it is whole.
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

  /** What was kept of a body, and no longer is. */
  take(request: IncomingMessage): Buffer {
    const body = this.#parts.get(request)?.body ?? NOTHING;
    this.#parts.delete(request);
    this.#bytes -= body.length;
    return body;
  }
}
