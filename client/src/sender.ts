/** The sender: flushes the outbox soon after a record, when the page is hidden, and again after failures. */

import type { Clock } from './adapters/lifecycle.ts';
import type { Delivery, Transport, Upload } from './adapters/transport.ts';
import type { State, Waiting } from './ledger/state.ts';
import { isPromise, type Maybe } from './maybe.ts';
import { backoff, dropStale, isTransient, remove } from './outbox.ts';
import type { Outcome } from './types.ts';

const SOON = { from: 1_000, spread: 4_000 }; // milliseconds from a record to its upload, jittered

/** What the sender needs of its telemetry. */
export interface SenderParts {
  /** The state to send from; undefined while nothing may be sent. */
  readonly sendable: () => State | undefined;
  /** Writes the state, with all that was claimed since. */
  readonly persist: () => Maybe<unknown>;
  readonly uploadOf: (waiting: Waiting) => Upload;
  readonly transport: Transport;
  readonly clock: Clock;
  /** A whole number below n, for jitter. */
  readonly jitter: (n: number) => number;
  readonly say: (result: Outcome['result'], metric: string) => void;
}

/** Sends when asked, when due, and when it must. */
export interface Sender {
  readonly flush: () => Promise<void>;
  /** Flushes unless the collector asked to be left alone for a while. */
  readonly hidden: () => void;
  readonly schedule: () => void;
  readonly cancel: () => void;
}

export function createSender({ sendable, persist, uploadOf, transport, clock, jitter, say }: SenderParts): Sender {
  let sending: Promise<void> | undefined;
  let cancelTimer: (() => void) | undefined;
  let failures = 0;
  let notBefore = 0; // the collector's Retry-After, in the clock's milliseconds

  const cancel = (): void => {
    cancelTimer?.();
    cancelTimer = undefined;
  };

  const wake = (milliseconds: number): void => {
    if (cancelTimer !== undefined || sendable() === undefined) return;
    cancelTimer = clock.after(milliseconds, () => {
      cancelTimer = undefined;
      void flush();
    });
  };

  const settle = (state: State, waiting: Waiting, delivery: Delivery): void => {
    if (isTransient(delivery)) {
      failures++;
      const pause = Math.max(jitter(backoff(failures)), (delivery.retryAfter ?? 0) * 1_000);
      notBefore = delivery.retryAfter === undefined ? notBefore : clock.now() + pause;
      return wake(pause);
    }
    failures = 0;
    remove(state, waiting);
    for (const [metric] of waiting.batch.reports) say(delivery.status < 300 ? 'delivered' : 'refused', metric);
  };

  /** No await stands before the transport when the storage is synchronous. */
  const send = async (state: State): Promise<void> => {
    cancel();
    for (const { batch } of dropStale(state)) for (const [metric] of batch.reports) say('expired', metric);
    for (const waiting of state.outbox) waiting.sealed = true;
    const written = persist();
    if (isPromise(written)) await written;
    const uploads = (sendable()?.outbox ?? []).map(async (waiting) => {
      const delivery = await transport(uploadOf(waiting)).catch(() => ({ status: 0 }));
      settle(state, waiting, delivery);
    });
    await Promise.all(uploads);
    await persist();
  };

  const flush = (): Promise<void> => {
    const state = sendable();
    if (sending === undefined && state !== undefined && state.outbox.length > 0) {
      sending = send(state).finally(() => {
        sending = undefined;
      });
    }
    return sending ?? Promise.resolve();
  };

  return {
    flush,
    hidden: () => {
      if (clock.now() >= notBefore) void flush();
    },
    schedule: () => wake(SOON.from + jitter(SOON.spread)),
    cancel,
  };
}
