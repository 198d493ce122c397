/** The sender: flushes the outbox soon after a record, when the page is hidden, and again after failures. */

import { ACCEPTED_DAYS, dayText } from '@murmuration/shared';
import type { Clock } from './adapters/lifecycle.ts';
import type { Delivery } from './adapters/transport.ts';
import type { State } from './ledger/state.ts';
import { after, attempt, type Maybe } from './maybe.ts';
import type { Batch } from './outbox.ts';
import type { Outcome } from './types.ts';

// Milliseconds: from a record to its upload at least and at most, then the longest first and the longest pause after failures.
const SOON = 1_000;
const JITTER = 4_000;
const FIRST_PAUSE = 5_000;
const LONGEST_PAUSE = 3_600_000;
const LONGEST_RETRY_AFTER = 86_400_000;

/** What the sender needs of its telemetry. */
export interface SenderParts {
  readonly state: State;
  /** Whether anything may be sent now. */
  readonly isOpen: () => boolean;
  /** Fixes the bytes of all batches, and writes the state with all that was claimed since. */
  readonly seal: () => Maybe<unknown>;
  readonly post: (batch: Batch) => Promise<Delivery>;
  readonly clock: Clock;
  /** A whole number below n, for jitter. */
  readonly uniform: (n: number) => number;
  readonly say: (result: Outcome['result'], metric: string) => void;
}

/** Sends when asked, when due, and when it must. */
export interface Sender {
  /** Sends what waits. Never rejects. */
  readonly flush: () => Promise<void>;
  /** Flushes unless the collector asked to be left alone for a while. */
  readonly hidden: () => void;
  readonly schedule: (milliseconds?: number) => void;
  readonly cancel: () => void;
}

export function createSender({ state, isOpen, seal, post, clock, uniform, say }: SenderParts): Sender {
  let sending: Promise<void> | undefined;
  let cancelTimer: (() => void) | undefined;
  let failures = 0;
  let notBefore = 0; // by the collector's Retry-After

  const cancel = (): void => {
    cancelTimer?.();
    cancelTimer = undefined;
  };

  /** A whole number below n; n itself without entropy, when there may still be something to send again. */
  const jitter = (n: number): number => attempt(() => uniform(n)) ?? n;

  const schedule = (milliseconds?: number): void => {
    if (!isOpen()) return;
    const pause = Math.max(milliseconds ?? SOON + jitter(JITTER), notBefore - clock.now());
    cancelTimer ??= clock.after(pause, () => {
      cancelTimer = undefined;
      void flush();
    });
  };

  /** Takes a batch out, and says what became of its reports. */
  const settle = ({ batch, reports }: Batch, result: Outcome['result']): void => {
    state.outbox = state.outbox.filter((other) => other.batch !== batch);
    for (const [metric] of reports) say(result, metric);
  };

  /** 2xx and every 4xx that a retry can't mend are final; all else keeps the batch, to be sent again as it is. */
  const deliver = async (batch: Batch): Promise<void> => {
    const { status, retryAfter = 0 }: Delivery = await post(batch).catch(() => ({ status: 0 }));
    if (status >= 200 && status < 500 && ![408, 425, 429].includes(status)) {
      failures = 0;
      settle(batch, status < 300 ? 'delivered' : 'refused');
    } else {
      if (retryAfter > 0) notBefore = clock.now() + Math.min(LONGEST_RETRY_AFTER, retryAfter * 1_000);
      cancel();
      schedule(jitter(Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** failures++)));
    }
  };

  /** No await stands before the transport when the storage is synchronous. */
  const send = async (): Promise<void> => {
    if (!isOpen() || state.outbox.length === 0) return;
    cancel();
    const oldest = dayText(state.day - ACCEPTED_DAYS.before);
    for (const batch of state.outbox) if (batch.day < oldest) settle(batch, 'expired');
    const sealed = state.outbox.map(({ batch }) => batch);
    await after(seal(), async () => {
      // What was recorded while this was written is not written yet: only what was sealed may go.
      if (isOpen()) await Promise.all(state.outbox.filter(({ batch }) => sealed.includes(batch)).map(deliver));
    });
    await seal();
  };

  const flush = (): Promise<void> => {
    sending ??= send()
      .catch(() => {}) // only a broken rng or an app's own adapter gets here; the outbox is as it was
      .finally(() => {
        sending = undefined;
      });
    return sending;
  };

  return {
    flush,
    hidden: () => {
      if (clock.now() >= notBefore) void flush();
    },
    schedule,
    cancel,
  };
}
