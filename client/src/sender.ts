/** When to send, and what an answer means for the batch that was sent. */

import type { Clock } from './adapters/lifecycle.ts';
import type { Delivery, Transport, Upload } from './adapters/transport.ts';
import { after, attempt, type Maybe } from './maybe.ts';
import type { Batch } from './outbox.ts';

// Milliseconds: from a record to its upload at least and at most, then the longest first and the longest pause after failures.
const SOON = 1_000;
const JITTER = 4_000;
const FIRST_PAUSE = 5_000;
const LONGEST_PAUSE = 3_600_000;
/** The longest pause that a collector can ask for. */
const LONGEST_RETRY_AFTER = 86_400_000;
/** Uploads in a row that nobody answered, after which the next waits for a reason other than time: who blocks us is not pestered. */
const TRIES = 3;
/** Characters on their way at once: browsers allow 64 KiB to what outlives a page. */
const IN_FLIGHT = 60_000;

/** 2xx and every 4xx that a retry can't mend; all else keeps the batch, to be sent again as it is. */
const isFinal = (status: number): boolean => status >= 200 && status < 500 && ![408, 425, 429].includes(status);

/** What a sender works on. */
export interface Sending {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly uploadOf: (batch: Batch) => Upload;
  /** A whole number below n; n itself without entropy, when there may still be something to send again. */
  readonly jitter: (n: number) => number;
  /** What may be sent now, the oldest first: nothing without consent. */
  readonly due: () => readonly Batch[];
  /** Fixes the bytes of what may be sent, and writes the state; undefined when that failed. */
  readonly seal: () => Maybe<true | undefined>;
  /** A batch has its final answer. */
  readonly settle: (batch: Batch, result: 'delivered' | 'refused') => void;
}

/** Sends what is due. */
export interface Sender {
  /** Sends soon, if no time is set yet. */
  readonly schedule: () => void;
  readonly cancel: () => void;
  /** Sends now; resolves when each batch has its answer. */
  readonly flush: () => Promise<void>;
  /** Sends now, but for a pause that the collector asked for. */
  readonly nudge: () => Promise<void> | undefined;
}

export function createSender({ clock, transport, uploadOf, jitter, due, seal, settle }: Sending): Sender {
  let stop: (() => void) | undefined; // of the one timer
  let sending: Promise<void> | undefined;
  let again: Promise<void> | undefined; // once that has ended
  let failures = 0;
  let silences = 0;
  let notBefore = 0; // by the collector's Retry-After

  const cancel = (): void => {
    stop?.();
    stop = undefined;
  };
  const schedule = (): void => {
    // Full jitter: a pause after failures is uniform below a bound that doubles.
    const pause = failures > 0 ? jitter(Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (failures - 1))) : SOON + jitter(JITTER);
    // A clock that went back must not make a day's pause longer than a timer can hold.
    stop ??= clock.after(Math.min(LONGEST_RETRY_AFTER, Math.max(pause, notBefore - clock.now())), () => {
      stop = undefined;
      return flush();
    });
  };

  const deliver = async (batch: Batch): Promise<number> => {
    const { status, retryAfter = 0 }: Delivery = (await attempt(() => transport(uploadOf(batch)))) ?? { status: 0 };
    if (isFinal(status)) settle(batch, status < 300 ? 'delivered' : 'refused');
    else if (retryAfter > 0) notBefore = clock.now() + Math.min(LONGEST_RETRY_AFTER, retryAfter * 1_000);
    return status;
  };

  /** No await stands before the transport when the storage is synchronous. */
  const send = async (): Promise<void> => {
    cancel();
    let size = 0;
    const going = due().flatMap((batch) => {
      size += uploadOf(batch).body.length;
      return size < IN_FLIGHT ? batch.batch : [];
    });
    if (going.length === 0) return;
    // What was recorded while this was written is not written yet: only what was sealed may go, and nothing where that failed, for
    // after a restart it would go with other bytes.
    const statuses = await after(seal(), (ok) =>
      ok
        ? Promise.all(
            due()
              .filter(({ batch }) => going.includes(batch))
              .map(deliver),
          )
        : [0],
    );
    failures = statuses.every(isFinal) ? 0 : failures + 1;
    silences = statuses.some((status) => status > 0) ? 0 : silences + 1;
    if (failures === 0 && size >= IN_FLIGHT) return send();
    if (due().length > 0 && silences < TRIES) schedule();
  };

  const flush = (): Promise<void> => {
    // What was recorded since goes too, unless what is on its way fails.
    if (sending) {
      again ??= sending.then(() => {
        again = undefined;
        return failures > 0 ? undefined : flush();
      });
      return again;
    }
    sending = send()
      .catch(() => {}) // only a broken rng or an app's own adapter gets here; the outbox is as it was
      .finally(() => {
        sending = undefined;
      });
    return sending;
  };

  return { schedule, cancel, flush, nudge: () => (clock.now() < notBefore ? undefined : flush()) };
}
