/** When to send, and what an answer means for the batch that was sent. */

import type { Clock } from './adapters/lifecycle.ts';
import type { Delivery } from './adapters/transport.ts';
import type { Device } from './device.ts';
import type { QueuedBatch } from './ledger/queued.ts';
import { after, attempt, type Maybe } from './maybe.ts';
import { hasten, PATIENCE, pauseFor, remove, seal, wait } from './outbox.ts';
import { advance } from './slots.ts';
import type { DeviceStore } from './store.ts';

// Milliseconds from a record to its upload: at least, and at most so many more.
const SOON = 1_000;
const JITTER = 4_000;
/** The longest that a timer can wait. */
const LONGEST = 2_147_483_647;
/** Uploads in a row that nobody answered, after which the next waits for a reason other than time: who blocks us is not pestered. */
const TRIES = 3;

/**
 * 2xx and every 4xx that a retry can't mend; all else keeps the batch, to be sent again as it is. A 404 may come of a schema that is not
 * published yet, a 403 of a proxy on the way.
 */
export const isFinal = (status: number): boolean => status >= 200 && status < 500 && ![403, 404, 408, 425, 429].includes(status);

/** A batch and what was answered. */
type Answered = readonly [batch: QueuedBatch, delivery: Delivery];

/** Sends what is due. */
export interface Sender {
  /** Sends when something may go, if no time is set yet. */
  readonly schedule: () => void;
  readonly cancel: () => void;
  /** Sends what may go now; resolves when each batch has its answer. */
  readonly flush: () => Promise<void>;
}

/** @param isActive whether the person agrees, and the page has not been left */
export function createSender(
  device: Device,
  store: DeviceStore,
  clock: Clock,
  send: (batch: QueuedBatch) => Promise<Delivery>,
  isActive: () => boolean,
): Sender {
  let stop: (() => void) | undefined; // of the one timer
  let sending: Promise<void> | undefined;
  let again: Promise<void> | undefined; // once that has ended
  let silences = 0;

  const waiting = (): number => (isActive() ? wait(device, store.view) : Number.POSITIVE_INFINITY);
  const cancel = (): void => {
    stop?.();
    stop = undefined;
  };
  const schedule = (): void => {
    const milliseconds =
      Math.max(attempt(waiting) ?? Number.POSITIVE_INFINITY, SOON) + (attempt(() => device.coins.uniform(JITTER)) ?? JITTER);
    if (milliseconds < Number.POSITIVE_INFINITY && silences < TRIES)
      stop ??= clock.after(Math.min(LONGEST, milliseconds), () => {
        stop = undefined;
        return flush();
      });
  };

  /** An upload, and its answer: none when that takes too long. */
  const deliver = (batch: QueuedBatch): Promise<Answered> =>
    new Promise((resolve) => {
      const end = (delivery?: Delivery): void => {
        late();
        resolve([batch, delivery ?? { status: 0 }]);
      };
      const late = clock.after(PATIENCE, () => end());
      void after(
        attempt(() => send(batch)),
        end,
      );
    });

  /** Writes down what the collector has answered. */
  const settle = (answers: readonly Answered[]): Maybe<unknown> =>
    store.change((state) => {
      for (const [{ batch: id, schema }, { status, retryAfter = 0, reason, stop }] of answers) {
        const batch = state.outbox.find((each) => each.batch === id);
        if (retryAfter > 0) pauseFor(device, state, retryAfter);
        if (isFinal(status)) hasten(device, state);
        if (batch && isFinal(status)) remove(device, state, batch, status < 300 ? 'delivered' : 'refused', reason);
        for (const metric of Object.keys(device.metrics)) {
          if (stop !== true && !(Array.isArray(stop) && stop.includes(metric))) continue; // it may say anything
          state.retired[metric] = schema;
          device.said.push({ result: 'retired', metric });
        }
      }
    });

  const conclude = async (answers: readonly Answered[]): Promise<unknown> => {
    silences = answers.some(([, { status }]) => status > 0) ? 0 : silences + 1;
    if (answers.some(([, { status, retryAfter = 0 }]) => isFinal(status) || retryAfter > 0)) await settle(answers);
    return waiting() <= 0 && answers.every(([, { status }]) => isFinal(status)) ? next() : schedule();
  };
  /** Nothing stands before the transport when the storage is synchronous: a program that is ended runs nothing later. */
  const next = (): Maybe<unknown> => {
    cancel();
    if (!isActive()) return;
    const { me } = device;
    const sealed = store.change((state, isGranted) => {
      if (!isGranted) return [];
      advance(device, state);
      return seal(device, state);
    });
    return after(sealed, (batches) => {
      // Meanwhile the person may have refused; or the page been left, and another have been told so.
      if (batches?.length && isActive() && me === device.me) return Promise.all(batches.map(deliver)).then(conclude);
      if (!batches) silences++;
      return schedule();
    });
  };

  const flush = (): Promise<void> => {
    // What was recorded since goes too.
    if (sending) {
      again ??= sending.then(() => {
        again = undefined;
        return flush();
      });
      return again;
    }
    // Only a broken rng or an app's own adapter fails here; the outbox is as it was.
    sending = Promise.resolve(attempt(next)).then(() => {
      sending = undefined;
    });
    return sending;
  };

  return {
    schedule,
    cancel,
    flush: () => {
      silences = 0;
      return flush();
    },
  };
}
